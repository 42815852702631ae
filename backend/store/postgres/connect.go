package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"ibid/backend/corpus"
)

// newPool makes a pool for the database. It does not connect.
func newPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil { // its text has parts of the URL
		return nil, fmt.Errorf("%w: the database's URL cannot be read; it looks like postgres://user:password@host:5432/database", corpus.ErrInvalid)
	}
	if !strings.Contains(url, "default_query_exec_mode") {
		// Poolers in transaction mode keep no prepared statements.
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = 16 // views may be nested
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	if _, ok := config.ConnConfig.RuntimeParams["application_name"]; !ok {
		config.ConnConfig.RuntimeParams["application_name"] = "ibid"
	}
	config.MaxConnIdleTime = 5 * time.Minute // an idle database may go to sleep
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%w: the database's URL cannot be used", corpus.ErrInvalid)
	}
	return pool, nil
}

// patiently calls try until it succeeds, fails for good, or the database has
// been out of reach for the time of Options.Patience.
func (db *DB) patiently(ctx context.Context, try func() error) error {
	begun := time.Now()
	pause := 10 * time.Millisecond
	for {
		err := try()
		if err == nil || !passing(err) || ctx.Err() != nil || time.Since(begun)+pause > db.patience {
			return err
		}
		db.log.Debug("database did not answer", "error", err, "pause", pause)
		if unreachable(err) && db.owned {
			db.pool.Reset() // the others are as dead
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, time.Second)
	}
}

// passing reports whether what failed may succeed when it is tried again: the
// database was out of reach, or two transactions were in each other's way.
func passing(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "40001" || e.Code == "40P01") {
		return true // serialization failure, deadlock
	}
	return unreachable(err)
}

// unreachable reports whether the database could not be spoken to.
func unreachable(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "57P01", "57P02", "57P03", "57P05", // shut down, crashed, starting
			"53300": // too many connections
			return true
		}
		return strings.HasPrefix(e.Code, "08") // connection, also pgbouncer's
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		_, connecting := errors.AsType[*pgconn.ConnectError](err)
		return connecting // has its own limit of time
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// wrap says what failed and turns the database's faults into shared sentinels.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	is := func(codes ...string) bool {
		return ok && slices.ContainsFunc(codes, func(c string) bool { return strings.HasPrefix(e.Code, c) })
	}
	switch {
	case is("54"): // a program's limit, such as a tsvector's size
		return fmt.Errorf("%s: %w: %w", doing, corpus.ErrLimit, err)
	case is("40001", "40P01", "55P03"):
		return fmt.Errorf("%s: %w: %w", doing, corpus.ErrBusy, err)
	case is("53", "58"), !errors.Is(err, corpus.ErrUnavailable) && unreachable(err): // disk, memory, I/O
		return fmt.Errorf("%s: %w: %w", doing, corpus.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
