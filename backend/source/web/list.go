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
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", errors.New("the list does not exist")
		}
		return "", fmt.Errorf("read list: %w", bare(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxList+1))
	}
	if err == nil && len(data) > maxList {
		err = fmt.Errorf("%w: more than %d bytes", corpus.ErrLimit, maxList)
	}
	if err != nil {
		return "", fmt.Errorf("read list: %w", bare(err))
	}
	return string(data), nil
}

func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
