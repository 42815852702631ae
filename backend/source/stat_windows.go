package source

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"ibid/backend/corpus"
)

const nonblocking = 0

func openFolder(path string) (*os.File, error) { return os.Open(path) }

// fingerprint has no change time and no file index: both need an open handle
// of every file.
func fingerprint(info fs.FileInfo) corpus.Fingerprint {
	return corpus.Fingerprint{Size: info.Size(), ModTime: corpus.Nanoseconds(info.ModTime())}
}

// identify tells folders apart by volume and file index.
func identify(f *os.File) (identity, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return identity{}, err
	}
	return identity{
		device: uint64(info.VolumeSerialNumber),
		inode:  uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
	}, nil
}

func isHidden(info fs.FileInfo) bool {
	return attributes(info)&(windows.FILE_ATTRIBUTE_HIDDEN|windows.FILE_ATTRIBUTE_SYSTEM) != 0
}

// isOffline reports placeholders of OneDrive and others, whose content is
// fetched by the first read.
func isOffline(info fs.FileInfo) bool {
	return attributes(info)&(windows.FILE_ATTRIBUTE_OFFLINE|
		windows.FILE_ATTRIBUTE_RECALL_ON_OPEN|windows.FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS) != 0
}

func attributes(info fs.FileInfo) uint32 {
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return data.FileAttributes
	}
	return 0
}

// isBusy: another program holds the file.
func isBusy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// isGone: the drive or server behind the file does not answer.
func isGone(err error) bool {
	for _, gone := range []windows.Errno{
		windows.ERROR_NOT_READY, windows.ERROR_BAD_NETPATH, windows.ERROR_NETNAME_DELETED,
		windows.ERROR_BAD_NET_NAME, windows.ERROR_DEV_NOT_EXIST, windows.ERROR_UNEXP_NET_ERR,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

func isNoFolder(error) bool { return false } // Windows reports a missing path
