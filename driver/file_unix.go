//go:build unix

package driver

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// open opens a regular file. It asks the system about the file without [os.File.Stat]:
// package time, which that links, would make every program larger by 80 kB.
func open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe would wait for its other end
	if err != nil {
		return nil, err
	}
	info, err := status(f)
	if err == nil && info.Mode&unix.S_IFMT != unix.S_IFREG { // reading a pipe might never end
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func status(f *os.File) (*unix.Stat_t, error) {
	info := new(unix.Stat_t)
	for {
		if err := unix.Fstat(int(f.Fd()), info); err != unix.EINTR {
			return info, err
		}
	}
}

// trusted returns an error if somebody else may have written a file.
func trusted(f *os.File) error {
	info, err := status(f)
	switch {
	case err != nil:
		return err
	case int(info.Uid) != os.Geteuid() && info.Uid != 0:
		return errors.New("it belongs to another user")
	case info.Mode&0o022 != 0:
		return errors.New("others may write to it")
	}
	return nil
}

// kernel returns the name, the release and the version of the running kernel, or "".
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Version[:])
}
