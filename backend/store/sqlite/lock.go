package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"ibid/backend/corpus"
)

// lock is the writer role's lock on a file beside the database. The system
// releases it when the process dies. The file holds the holder's name, is
// never deleted, and is of no other use.
type lock struct {
	path string
	mu   sync.Mutex
	file *os.File // nil after release
}

// lockPath is the tenant's lock file: a tenant never waits for another.
func lockPath(database string, tenant corpus.ID) string {
	if tenant == corpus.LocalTenant {
		return database + ".writer"
	}
	return database + "." + tenant.String() + ".writer"
}

// errLocked is what the platform's lockFile returns for a lock that is held.
var errLocked = errors.New("locked")

// acquire takes the lock or fails at once with corpus.ErrBusy.
func acquire(ctx context.Context, path, holder string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("acquire writer role: %w", err)
	}
	l := &lock{path: path, file: f}
	err = lockFile(f)
	for try := 0; errors.Is(err, errLocked) && try < 3; try++ {
		select { // somebody may only have asked who holds it
		case <-time.After(time.Millisecond):
			err = lockFile(f)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		if errors.Is(err, errLocked) {
			err = fmt.Errorf("%w: held by %s", corpus.ErrBusy, readHolder(f))
		}
		return nil, errors.Join(fmt.Errorf("acquire writer role: %w", err), f.Close())
	}
	if err := l.check(); err != nil { // exchanged between opening and locking
		return nil, errors.Join(fmt.Errorf("acquire writer role: %w", err), l.release())
	}
	if err := writeHolder(f, holder); err != nil {
		return nil, errors.Join(fmt.Errorf("acquire writer role: %w", err), l.release())
	}
	return l, nil
}

// holder names who holds the lock; "" if nobody does. A name that its holder
// left behind when it died is told from a living one's by trying the lock.
func holder(path string) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // of another user's library nobody can say
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close() // gives back what it locked
	if info, err := f.Stat(); err != nil || info.Size() <= holderOffset {
		return "", err
	}
	switch err := lockFile(f); {
	case err == nil:
		return "", nil
	case !errors.Is(err, errLocked):
		return "", err
	}
	return readHolder(f), nil
}

// acquireWithin is acquire, tried again for a while.
func acquireWithin(ctx context.Context, patience time.Duration, path, holder string) (*lock, error) {
	for deadline := time.Now().Add(patience); ; {
		l, err := acquire(ctx, path, holder)
		if !errors.Is(err, corpus.ErrBusy) || time.Now().After(deadline) {
			return l, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// check tells whether the role is still held: not released, and the locked
// file still the one that others would find.
func (l *lock) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("%w: the writer role was released", corpus.ErrBusy)
	}
	mine, err := l.file.Stat()
	if err != nil {
		return err
	}
	found, err := os.Stat(l.path)
	if err != nil || !os.SameFile(mine, found) {
		return fmt.Errorf("%w: the writer role was lost, its lock file was exchanged", corpus.ErrBusy)
	}
	return nil
}

func (l *lock) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.file.Truncate(holderOffset), l.file.Close()) // closing gives the lock back
	l.file = nil
	return err
}

// maxHolder bounds what is read of a holder's name.
const maxHolder = 256

func writeHolder(f *os.File, holder string) error {
	line := fmt.Sprintf("%s (process %d)\n", strings.ToValidUTF8(holder, "?"), os.Getpid())
	if err := f.Truncate(holderOffset); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(line), holderOffset)
	return err
}

func readHolder(f *os.File) string {
	b := make([]byte, maxHolder)
	n, err := f.ReadAt(b, holderOffset)
	name := strings.TrimSpace(string(b[:n]))
	if (err != nil && err != io.EOF) || name == "" {
		return "another process"
	}
	return name
}
