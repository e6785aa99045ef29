//go:build unix

package driver

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// trusted returns an error if somebody else may have written a file.
func trusted(info fs.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("its owner is unknown")
	case int(s.Uid) != os.Geteuid() && s.Uid != 0:
		return errors.New("it belongs to another user")
	case info.Mode().Perm()&0o022 != 0:
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
