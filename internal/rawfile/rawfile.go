//go:build unix

// Package rawfile reads files by system calls. A file of package os, with what that brings,
// would make every program larger by 30 kB. Every program has package syscall.
package rawfile

import "syscall"

// Open opens a file for reading. It does not wait for the other end of a pipe.
func Open(path string) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// Close closes a file.
func Close(fd int) { syscall.Close(fd) }

// Read returns the rest of a file, but at most limit bytes.
func Read(fd, limit int) (string, error) {
	text := make([]byte, 0, 512)
	for len(text) < limit {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):min(cap(text), limit)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return "", err
		}
		if n == 0 {
			break
		}
		text = text[:len(text)+n]
	}
	return string(text), nil
}
