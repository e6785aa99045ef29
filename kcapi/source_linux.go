//go:build linux && !nokernel

package kcapi

import (
	"io"
	"os"
	"reflect"
	"syscall"

	"golang.org/x/sys/unix"
)

// A source is a reader whose bytes Linux can move without copying them to the program.
type source struct {
	syscall.RawConn
	limited *io.LimitedReader // that wraps it, or nil
	whole   bool              // the rest of a file, which is sent in one call
}

const (
	// sendFileMost is the maximum size for which the rest of a file is sent in one
	// call, and sendFileAsked the size that is requested. As long as less has been
	// sent than was requested, Linux adds MSG_MORE to every piece; a piece without it
	// would end the message.
	sendFileMost  = 1 << 30
	sendFileAsked = 0x7ffff000 // MAX_RW_COUNT

	// spliceLeast is the minimum size for which a pipe pays off, and spliceSize the
	// requested capacity of the pipe: larger ones need privileges.
	spliceLeast = 64 << 10
	spliceSize  = 1 << 20
)

// newSource returns nil if the bytes have to be read. It checks the names of types,
// which include the unexported ones that io.Copy passes to ReadFrom in place of files
// and connections; other types may have a Read method that does more.
func newSource(r io.Reader) *source {
	limited, _ := r.(*io.LimitedReader)
	if limited != nil {
		r = limited.R
	}
	c, ok := r.(syscall.Conn)
	if !ok || limited != nil && limited.N < spliceLeast {
		return nil
	}
	s := &source{limited: limited}
	t, name := reflect.TypeOf(r), ""
	if t.Kind() == reflect.Pointer {
		t, name = t.Elem(), "*"
	}
	switch name + t.PkgPath() + "." + t.Name() {
	case "*os.File", "os.fileWithoutWriteTo":
		f := r.(interface {
			Stat() (os.FileInfo, error)
			io.Seeker
		})
		info, err := f.Stat()
		if err != nil {
			return nil
		}
		if info.Mode().IsRegular() {
			at, err := f.Seek(0, io.SeekCurrent)
			rest := info.Size() - at
			if err != nil || rest <= 0 { // files in /proc have no size
				return nil
			}
			s.whole = limited == nil && rest <= sendFileMost
		}
	case "*net.TCPConn", "net.tcpConnWithoutWriteTo", "*net.UnixConn":
	default:
		return nil
	}
	conn, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	s.RawConn = conn
	return s
}

// move makes Linux move all bytes of the source to the socket fd. If ended is false,
// there may be more, which must be read.
func (s *source) move(fd int) (n int64, ended bool, call string, errno syscall.Errno) {
	if s.whole {
		n, ended, errno = s.sendFile(fd)
		return n, ended, "sendfile", errno
	}
	n, ended, errno = s.splice(fd)
	if s.limited != nil {
		s.limited.N -= n
	}
	return n, ended, "splice", errno
}

func (s *source) sendFile(fd int) (n int64, ended bool, errno syscall.Errno) {
	err := s.Read(func(file uintptr) bool {
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
			if k == sendFileAsked { // the file has meanwhile grown by a gigabyte
				errno = unix.EFBIG
				return true
			}
		}
	})
	if n == 0 && (err != nil || errno != 0) { // for example, the file system does not support it
		return 0, false, 0
	}
	return n, true, errno
}

// splice moves the bytes through a pipe, because only splice has a flag for more data
// to follow. It ignores errors of the source, because reading it returns them again.
func (s *source) splice(fd int) (n int64, ended bool, errno syscall.Errno) {
	var pipe [2]int
	if unix.Pipe2(pipe[:], unix.O_CLOEXEC) != nil {
		return 0, false, 0
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	size := spliceLeast
	if k, err := unix.FcntlInt(uintptr(pipe[1]), unix.F_SETPIPE_SZ, spliceSize); err == nil {
		size = k
	}
	for {
		ask := int64(size)
		if s.limited != nil {
			if ask = min(ask, s.limited.N-n); ask <= 0 {
				return n, true, 0
			}
		}
		var k int64
		var failed error
		err := s.Read(func(in uintptr) bool {
			if n == 0 && !isStream(int(in)) {
				failed = unix.EINVAL
				return true
			}
			for {
				m, err := unix.Splice(int(in), nil, pipe[1], nil, int(ask), unix.SPLICE_F_NONBLOCK)
				if err != unix.EINTR {
					k, failed = int64(m), err
					return err != unix.EAGAIN
				}
			}
		})
		if err != nil || failed != nil {
			return n, false, 0
		}
		if k == 0 {
			return n, true, 0
		}
		for k > 0 {
			if hooked {
				if errno, replaced := hook("splice", fd); replaced {
					return n, true, errno
				}
			}
			m, err := unix.Splice(pipe[0], nil, fd, nil, int(k), unix.SPLICE_F_MORE)
			if err == unix.EINTR {
				continue
			}
			if err != nil || m <= 0 {
				if errno, _ = err.(syscall.Errno); errno == 0 {
					errno = unix.EIO
				}
				return n, true, errno
			}
			k -= int64(m)
			n += int64(m)
		}
	}
}

// isStream reports false for packet sockets, where an empty packet is not the end.
func isStream(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err != nil || kind == unix.SOCK_STREAM
}
