package worker

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// isolate keeps the process from opening a console window, and signals of the
// terminal from the process.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
}
