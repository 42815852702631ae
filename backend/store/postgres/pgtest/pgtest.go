// Package pgtest runs a real PostgreSQL with pgvector for tests: a child
// process of its own on a loopback port and a socket, in a temporary folder,
// as an unprivileged user where the tests run as root. The binaries are those
// of scripts/postgres.sh; what initdb makes is cached, so that a start costs a
// fraction of a second. TEST_DATABASE_URL, the address of an administrator,
// names a server to use instead.
//
// Everything a test gets is meant for the application's role, which owns its
// database but is neither a superuser nor exempt from row level security.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Role is the application's role, Password its password.
const (
	Role     = "ibid_app"
	Password = "s3cret/app"
)

// template is the database that the databases of tests are copies of.
const template = "ibid_template"

// ErrMissing tells that there is no PostgreSQL to run.
var ErrMissing = errors.New("no PostgreSQL for tests: run scripts/postgres.sh, or set TEST_DATABASE_URL")

// Server is a running server.
type Server struct {
	admin url.URL // as superuser
	child *child  // nil: somebody else's
	count atomic.Int64
	label string
}

// Start starts a server, or connects to the one of TEST_DATABASE_URL.
func Start(ctx context.Context) (*Server, error) {
	s := &Server{label: strconv.Itoa(os.Getpid())}
	if external := os.Getenv("TEST_DATABASE_URL"); external != "" {
		u, err := url.Parse(external)
		if err != nil {
			return nil, errors.New("TEST_DATABASE_URL is not a URL")
		}
		s.admin = *u
	} else {
		c, err := startChild(ctx)
		if err != nil {
			return nil, err
		}
		s.child = c
		s.admin = url.URL{Scheme: "postgres", User: url.User("postgres"), Host: "127.0.0.1:" + c.port, Path: "/postgres"}
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Main runs a package's tests with a server, which need calls require. It
// returns the exit code.
func Main(m *testing.M, use func(s *Server, err error)) int {
	s, err := Start(context.Background())
	use(s, err)
	code := m.Run()
	if s != nil {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
			code = max(code, 1)
		}
	}
	return code
}

// Serve starts a server for one test, which it requires and stops at its end.
func Serve(tb testing.TB) *Server {
	tb.Helper()
	s, err := Start(tb.Context())
	Require(tb, err)
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return s
}

// Require fails the test for want of a server where one is demanded
// (IBID_REQUIRE_POSTGRES=1, or CI), and else skips it aloud.
func Require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case !errors.Is(err, ErrMissing), os.Getenv("CI") == "true", os.Getenv("IBID_REQUIRE_POSTGRES") == "1":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}

// prepare makes the role and the template database.
func (s *Server) prepare(ctx context.Context) error {
	return s.exec(ctx, "", func(ctx context.Context, c *pgx.Conn) error {
		var role, database bool
		if err := c.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1), EXISTS (SELECT FROM pg_database WHERE datname = $2)", Role, template).Scan(&role, &database); err != nil {
			return err
		}
		if !role {
			if _, err := c.Exec(ctx, "CREATE ROLE "+Role+" LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '"+Password+"'"); err != nil {
				return err
			}
		}
		if !database {
			if _, err := c.Exec(ctx, "CREATE DATABASE "+template+" TEMPLATE template0"); err != nil {
				return err
			}
		}
		return s.exec(ctx, template, func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector")
			return err
		})
	})
}

// exec connects as superuser to a database ("": the first) for fn.
func (s *Server) exec(ctx context.Context, database string, fn func(context.Context, *pgx.Conn) error) error {
	u := s.admin
	if database != "" {
		u.Path = "/" + database
	}
	c, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, c), c.Close(ctx))
}

// Database makes a database with the vector extension, owned by the
// application's role, that lives until the test's end.
func (s *Server) Database(tb testing.TB) *Database {
	tb.Helper()
	return s.database(tb, template)
}

// Plain makes a database without the vector extension.
func (s *Server) Plain(tb testing.TB) *Database {
	tb.Helper()
	return s.database(tb, "template0")
}

func (s *Server) database(tb testing.TB, from string) *Database {
	tb.Helper()
	d := &Database{server: s, name: fmt.Sprintf("ibid_test_%s_%d", s.label, s.count.Add(1))}
	if err := s.exec(context.Background(), "", func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "CREATE DATABASE "+d.name+" TEMPLATE "+from+" OWNER "+Role)
		return err
	}); err != nil {
		tb.Fatalf("make database: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.exec(context.Background(), "", func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "DROP DATABASE "+d.name+" WITH (FORCE)")
			return err
		}); err != nil {
			tb.Errorf("drop database: %v", err)
		}
	})
	return d
}

// Database is a database of one test.
type Database struct {
	server *Server
	name   string
}

// URL is the database's address for the application's role.
func (d *Database) URL() string {
	u := d.server.admin
	u.User = url.UserPassword(Role, Password)
	u.Path = "/" + d.name
	return u.String()
}

// AdminURL is the database's address for a superuser.
func (d *Database) AdminURL() string {
	u := d.server.admin
	u.Path = "/" + d.name
	return u.String()
}

// Exec runs SQL as superuser, exempt from row level security.
func (d *Database) Exec(tb testing.TB, sql string, args ...any) {
	tb.Helper()
	if err := d.server.exec(context.Background(), d.name, func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, sql, args...)
		return err
	}); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

// RequireOwn skips the test, aloud, where the server is not ours to kill.
func (s *Server) RequireOwn(tb testing.TB) {
	tb.Helper()
	if s.child == nil {
		tb.Skip("the server of TEST_DATABASE_URL is not to be killed")
	}
}

// Kill kills the server with SIGKILL, all its processes at once. Restart
// starts it again on the same port, which recovers what was committed.
func (s *Server) Kill() error {
	return s.child.kill()
}

// Restart starts a killed server and waits until it answers.
func (s *Server) Restart(ctx context.Context) error { return s.child.start(ctx) }

// Stop ends the server and deletes its files.
func (s *Server) Stop() error {
	if s.child == nil {
		return nil
	}
	return s.child.stop()
}

// binaries finds the folder of the server's programs.
func binaries() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		bin := filepath.Join(dir, "data", "postgres", "bin")
		if _, err := os.Stat(filepath.Join(bin, "postgres")); err == nil {
			return filepath.EvalSymlinks(bin)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ErrMissing
		}
		dir = up
	}
}

// settings of the server. Its data survive the death of its processes, not
// that of the machine.
func settings(socket, port string) string {
	return strings.Join([]string{
		"listen_addresses = '127.0.0.1'",
		"port = " + port,
		"unix_socket_directories = '" + socket + "'",
		"max_connections = 200",
		"shared_buffers = 256MB",
		"fsync = off",
		"full_page_writes = off",
		"max_wal_size = 512MB",
		"",
	}, "\n")
}
