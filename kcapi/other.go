//go:build !linux || nokernel

package kcapi

import (
	"io"
	"syscall"
)

// No socket can be opened here, so most of these functions are never called.

const (
	supported = false
	tooMuch   = syscall.EINVAL
	maxName   = 127
)

type source struct{}

func newSocket() (int, syscall.Errno)                         { return -1, syscall.ENOSYS }
func closeSocket(int)                                         {}
func bind(int, string, string) syscall.Errno                  { return syscall.ENOSYS }
func setKey(int, []byte) syscall.Errno                        { return syscall.ENOSYS }
func setKeySerial(int, int32) syscall.Errno                   { return syscall.ENOSYS }
func setEntropy(int, []byte) syscall.Errno                    { return syscall.ENOSYS }
func setTagSize(int, int) syscall.Errno                       { return syscall.ENOSYS }
func accept(int) (int, syscall.Errno)                         { return -1, syscall.ENOSYS }
func capacity(int) int                                        { return 0 }
func (m *message) send(int) (int, syscall.Errno)              { return 0, syscall.ENOSYS }
func (m *message) receive(int) (int, syscall.Errno)           { return 0, syscall.ENOSYS }
func newSource(io.Reader) *source                             { return nil }
func (*source) move(int) (int64, bool, string, syscall.Errno) { return 0, false, "", 0 }
func isForged(syscall.Errno) bool                             { return false }
func isBadSize(syscall.Errno) bool                            { return false }

func classify(string, string, string, syscall.Errno) (Reason, string) { return ErrUnsupported, "" }
func lookUp(string, string) facts                                     { return facts{} }
func remembered(string, string) facts                                 { return facts{} }
