package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Bouncer starts a pgbouncer in transaction mode in front of the server for
// the test's time and returns the database's address through it. Without
// pgbouncer on the machine the test is skipped or fails as by Require.
func (d *Database) Bouncer(tb testing.TB) string {
	tb.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		Require(tb, fmt.Errorf("%w: pgbouncer is not installed", ErrMissing))
	}
	home, err := os.MkdirTemp("", "ibid-bouncer-") //nolint:usetesting // the test's own folder is not for the pooler's user
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(home) })
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	host, serverPort, err := net.SplitHostPort(d.server.admin.Host)
	if err != nil {
		tb.Fatal(err)
	}
	config := strings.Join([]string{
		"[databases]",
		fmt.Sprintf("* = host=%s port=%s", host, serverPort),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1",
		"listen_port = " + port,
		"unix_socket_dir =",
		"auth_type = plain",
		"auth_file = " + filepath.Join(home, "users"),
		"pool_mode = transaction",
		"default_pool_size = 60",
		"max_client_conn = 400",
		"logfile = " + filepath.Join(home, "log"),
		"",
	}, "\n")
	for name, text := range map[string]string{"pgbouncer.ini": config, "users": fmt.Sprintf("%q %q\n", Role, Password)} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	if err := give(home); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(program, "-q", filepath.Join(home, "pgbouncer.ini")) //nolint:noctx // ended at cleanup, after what uses it
	cmd.Dir = home
	demote(cmd)
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { _ = cmd.Wait() })
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		waiting.Wait()
	})
	ready := context.WithoutCancel(tb.Context())
	if err := dial(ready, "127.0.0.1:"+port); err != nil {
		text, _ := os.ReadFile(filepath.Join(home, "log"))
		tb.Fatalf("start pgbouncer: %v\n%s", err, text)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(Role, Password), Host: "127.0.0.1:" + port, Path: "/" + d.name}
	return u.String()
}

// dial waits until an address takes connections.
func dial(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-ticks.C:
		}
	}
}
