package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// child is a server of our own.
type child struct {
	home string // folder of everything, owned by the server's user
	bin  string
	port string
	cmd  *exec.Cmd
	done chan error // gets the result of Wait
}

// startChild starts a server on a copy of the cached cluster.
func startChild(ctx context.Context) (*child, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "ibid-pg-")
	if err != nil {
		return nil, err
	}
	c := &child{home: home, bin: bin}
	if err := c.setUp(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	return c, nil
}

func (c *child) setUp(ctx context.Context) error {
	root := filepath.Dir(filepath.Dir(filepath.Dir(c.bin))) // data/postgres
	if err := give(c.home); err != nil {
		return err
	}
	if err := run(ctx, filepath.Join(c.bin, "postgres"), "--version"); err != nil {
		// It lies in a place that the server's user cannot read: a copy does.
		if err := os.CopyFS(filepath.Join(c.home, "programs"), os.DirFS(root)); err != nil {
			return err
		}
		rel, err := filepath.Rel(root, c.bin)
		if err != nil {
			return err
		}
		c.bin = filepath.Join(c.home, "programs", rel)
	}
	data := filepath.Join(c.home, "data")
	if err := c.cluster(ctx, filepath.Join(root, "cluster"), data); err != nil {
		return err
	}
	if err := os.Chmod(data, 0o700); err != nil {
		return err
	}
	var err error
	for range 5 { // another process may take the port meanwhile
		if c.port, err = freePort(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(data, "postgresql.auto.conf"), []byte(settings(c.home, c.port)), 0o600); err != nil {
			return err
		}
		if err := give(c.home); err != nil {
			return err
		}
		if err = c.start(ctx); err == nil {
			return nil
		}
	}
	return err
}

// cluster makes the server's data folder: a copy of what initdb made before,
// which is kept beside the programs and goes with them.
func (c *child) cluster(ctx context.Context, cached, data string) error {
	if _, err := os.Stat(filepath.Join(cached, "PG_VERSION")); err == nil {
		return os.CopyFS(data, os.DirFS(cached))
	}
	if err := give(c.home); err != nil {
		return err
	}
	if err := run(ctx, filepath.Join(c.bin, "initdb"), "--pgdata="+data, "--auth=trust", "--username=postgres",
		"--locale=C", "--encoding=UTF8", "--no-sync", "--wal-segsize=4"); err != nil {
		return err
	}
	made := fmt.Sprintf("%s-%d", cached, os.Getpid())
	err := os.CopyFS(made, os.DirFS(data))
	if err == nil {
		err = os.Rename(made, cached)
	}
	if err != nil { // no place for a cache, or another process was faster
		return os.RemoveAll(made)
	}
	return nil
}

// run runs a program as the server's user.
func run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = os.TempDir()
	demote(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("run %s: %w: %s", filepath.Base(program), err, out)
	}
	return nil
}

// start starts the server and waits until it takes connections.
func (c *child) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(c.home, "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.cmd = exec.Command(filepath.Join(c.bin, "postgres"), "-D", filepath.Join(c.home, "data")) //nolint:noctx // it outlives the caller
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = c.home, log, log
	demote(c.cmd)
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	done, cmd := make(chan error, 1), c.cmd
	go func() { done <- cmd.Wait() }()
	c.done = done
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for limit := time.After(time.Minute); ; {
		if err := run(ctx, filepath.Join(c.bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-U", "postgres", "-p", c.port); err == nil {
			return nil
		}
		select {
		case err := <-done:
			done <- err
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("start PostgreSQL: %w: %s", errors.Join(errors.New("it ended"), err), text)
		case <-limit:
			return errors.Join(errors.New("start PostgreSQL: it takes no connections"), c.kill())
		case <-ctx.Done():
			return errors.Join(ctx.Err(), c.kill())
		case <-ticks.C:
		}
	}
}

// kill kills all processes of the server.
func (c *child) kill() error {
	if err := killAll(c.cmd); err != nil {
		return err
	}
	ended := <-c.done // tells of the kill
	c.done <- ended   // for the next to ask
	// What a dead postmaster leaves would look like a running one.
	return remove(filepath.Join(c.home, "data", "postmaster.pid"))
}

func (c *child) stop() error {
	var err error
	if c.cmd != nil {
		err = c.kill() // nothing of it is needed any more
	}
	return errors.Join(err, os.RemoveAll(c.home))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it returns at once
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
