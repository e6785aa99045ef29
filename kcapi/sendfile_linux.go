//go:build linux && !nokernel

package kcapi

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sendFileMost is the size up to which the rest of a file goes in one call,
// sendFileAsked what is asked for. While less is sent than was asked for, Linux
// adds MSG_MORE to every piece; a piece without it would end the message.
const (
	sendFileMost  = 1 << 30
	sendFileAsked = 0x7ffff000 // MAX_RW_COUNT
)

// restOf returns how many bytes follow in a regular file, and -1 if r is
// something else.
func restOf(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return -1
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return info.Size() - at
}

// sendFile lets Linux pass the rest of a file to the socket fd. ok is false if
// it does not, having read nothing.
func sendFile(fd int, f *os.File) (n int64, ok bool, errno syscall.Errno) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false, 0
	}
	err = conn.Read(func(file uintptr) bool {
		for {
			if hooked {
				if errno, _ = hook("sendfile", fd); errno != 0 {
					return true
				}
			}
			k, err := unix.Sendfile(fd, int(file), nil, sendFileAsked)
			switch {
			case err == unix.EINTR:
				continue
			case err != nil:
				errno, _ = err.(syscall.Errno)
				return true
			case k == 0:
				return true
			}
			n += int64(k)
			if k == sendFileAsked { // the file has grown by a gigabyte meanwhile
				errno = unix.EFBIG
				return true
			}
		}
	})
	if n == 0 && (err != nil || errno != 0) { // such as a file system without it
		return 0, false, 0
	}
	return n, true, errno
}
