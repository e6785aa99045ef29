//go:build unix

package cli

import (
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// sameGroup reports whether a file has, or could be given, the group of the file
// at path.
func sameGroup(f *os.File, path string, old fs.FileInfo) bool {
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok || hasACL(path) {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	got, ok := info.Sys().(*syscall.Stat_t)
	return ok && (got.Gid == want.Gid || f.Chown(-1, int(want.Gid)) == nil)
}

// keepOwner gives a file the owner and the group of another, if that is possible.
func keepOwner(f *os.File, old fs.FileInfo) {
	if want, ok := old.Sys().(*syscall.Stat_t); ok && f.Chown(int(want.Uid), int(want.Gid)) != nil {
		f.Chown(-1, int(want.Gid))
	}
}

// ignoreWriteSignals turns two conditions that would end the program into errors:
// writing to a closed pipe, and exceeding the file size limit of "ulimit -f".
func ignoreWriteSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
