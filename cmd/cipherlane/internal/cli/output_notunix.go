//go:build !unix

package cli

import (
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

func sameGroup(f *os.File, path string, old fs.FileInfo) bool { return true }

func keepOwner(f *os.File, old fs.FileInfo) {}

func ignoreWriteSignals() { signal.Ignore(syscall.SIGPIPE) }
