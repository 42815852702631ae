package pgtest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// nobody is the unprivileged user that root's servers run as: PostgreSQL and
// pgbouncer refuse to run as root.
const nobody = 65534

// demote makes a child that is not root's and that dies with this process.
func demote(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}

// killAll kills a server at one instant, with its processes, and waits for
// their end: they hold the shared memory that the next server asks about.
func killAll(cmd *exec.Cmd) error {
	parent := cmd.Process.Pid
	if err := syscall.Kill(parent, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err // it makes no further ones
	}
	processes, err := children(parent)
	if err != nil {
		return err
	}
	processes = append(processes, parent)
	for _, pid := range processes {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	for limit := time.Now().Add(10 * time.Second); slices.ContainsFunc(processes, alive); {
		if time.Now().After(limit) {
			return errors.New("killed processes stay")
		}
		runtime.Gosched()
	}
	return nil
}

// give hands a folder to the user of demote.
func give(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
}
