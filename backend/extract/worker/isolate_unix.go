//go:build unix

package worker

import (
	"os/exec"
	"syscall"
)

// isolate keeps signals of the terminal from the process: the parent decides.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
