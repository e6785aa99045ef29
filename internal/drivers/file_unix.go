//go:build unix

package drivers

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cipherlane/cipherlane/internal/rawfile"
)

// readFile returns the text of a regular file, or the beginning if it is too long for a
// profile, and an error if somebody else may have written it.
func readFile(path string) (text string, distrust, err error) {
	fd, err := rawfile.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer rawfile.Close(fd)
	info, err := status(fd)
	if err == nil && info.Mode&syscall.S_IFMT != syscall.S_IFREG { // reading a pipe might never end
		err = errNotRegular
	}
	if err != nil {
		return "", nil, err
	}
	switch {
	case int(info.Uid) != os.Geteuid() && info.Uid != 0:
		distrust = errors.New("it belongs to another user")
	case info.Mode&0o022 != 0:
		distrust = errors.New("others may write to it")
	}
	text, err = rawfile.Read(fd, maxProfile+1)
	return text, distrust, err
}

func status(fd int) (*syscall.Stat_t, error) {
	info := new(syscall.Stat_t)
	for {
		if err := syscall.Fstat(fd, info); err != syscall.EINTR {
			return info, err
		}
	}
}

// kernel returns the name, the release and the version of the running kernel, or "".
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Version[:])
}
