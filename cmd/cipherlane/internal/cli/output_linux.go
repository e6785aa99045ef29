package cli

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// OpenUnnamed creates a file without a name. It disappears if the program ends for any
// reason before giving it one.
func OpenUnnamed(dir string, mode fs.FileMode) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), dir)
	if _, err := os.Stat(unnamedPath(f)); err != nil { // no /proc, and the file would never get a name
		f.Close()
		return nil, err
	}
	return f, nil
}

// linkUnnamed gives an unnamed file a name. It fails if the name exists.
func linkUnnamed(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, unnamedPath(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

func unnamedPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// hasACL reports whether the group bits of a file's mode stand for more than its
// group.
func hasACL(path string) bool {
	n, err := unix.Lgetxattr(path, "system.posix_acl_access", nil)
	return err == nil && n > 0
}
