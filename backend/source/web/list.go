package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ibid/backend/corpus"
)

// maxList is the largest file with a list of addresses, in bytes.
const maxList = 16 << 20

// readList reads a list on disk. The error does not repeat the path.
func readList(name string) (string, error) {
	info, err := os.Stat(name) // to open a fifo would wait for who writes to it
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("the list does not exist")
	case err == nil && !info.Mode().IsRegular():
		return "", errors.New("read list: it is no file")
	}
	var data []byte
	if err == nil {
		data, err = readSome(name, maxList+1)
	}
	if err == nil && len(data) > maxList {
		err = fmt.Errorf("%w: more than %d bytes", corpus.ErrLimit, maxList)
	}
	if err != nil {
		return "", fmt.Errorf("read list: %w", bare(err))
	}
	return string(data), nil
}

// readSome reads the first bytes of a file.
func readSome(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
