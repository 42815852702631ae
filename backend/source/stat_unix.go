//go:build unix

package source

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"ibid/backend/corpus"
)

// nonblocking keeps an open of a fifo from waiting for a writer.
const nonblocking = syscall.O_NONBLOCK

// openFolder opens a folder that was no link when it was listed.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// fingerprint leaves the device out: its number changes when a volume is
// mounted again, and nothing of its content with it.
func fingerprint(info fs.FileInfo) corpus.Fingerprint {
	fp := corpus.Fingerprint{Size: info.Size(), ModTime: corpus.Nanoseconds(info.ModTime())}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		fp.ChangeTime = changeTime(st)
		fp.Inode = st.Ino
	}
	return fp
}

// identify tells folders apart: two with one identity are the same.
func identify(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}, nil
	}
	return identity{device: uint64(st.Dev), inode: st.Ino}, nil //nolint:unconvert // int32 on macOS
}

// isBusy: another program holds the file.
func isBusy(err error) bool {
	return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ETXTBSY)
}

// isGone: the device or server behind the file does not answer.
func isGone(err error) bool {
	for _, gone := range []syscall.Errno{
		syscall.EIO, syscall.ENODEV, syscall.ENXIO, syscall.ENOTCONN, syscall.ESTALE,
		syscall.ETIMEDOUT, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

func isNoFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
