package kcapi

import (
	"strings"
	"syscall"
)

// A Reason is the cause of an [Error], for use with errors.Is.
type Reason uint8

const (
	// ErrUnsupported: this program was built for a system other than Linux or
	// with the tag nokernel.
	ErrUnsupported Reason = iota + 1
	// ErrNoAFALG: Linux offers no AF_ALG sockets at all.
	ErrNoAFALG
	// ErrSeccomp: a seccomp filter or a security module refused the call.
	ErrSeccomp
	// ErrNotCompiledIn: this kernel was built without it.
	ErrNotCompiledIn
	// ErrModuleBlocked: the module that provides it may not be loaded.
	ErrModuleBlocked
	// ErrMasked: it exists, but since version 7.2 Linux hides drivers of
	// hardware beside the CPU.
	ErrMasked
	// ErrNotAllowed: it is not on Linux's list for this user
	// (crypto.af_alg_restrict).
	ErrNotAllowed
	// ErrNoAlgorithm: Linux does not know it, or does not reveal why it is unavailable.
	ErrNoAlgorithm
	// ErrSelfTest: it has not passed Linux's self-test.
	ErrSelfTest
	// ErrKey: the key has the wrong size or is missing, revoked, expired or
	// not permitted.
	ErrKey
	// ErrSize: an IV, nonce, tag, message or buffer has a size that does not
	// fit the algorithm.
	ErrSize
	// ErrAuth: the message or its additional data is not authentic.
	ErrAuth
	// ErrTooLarge: the message is too large for one operation and cannot be split.
	ErrTooLarge
	// ErrOverlap: buffers overlap that must not overlap.
	ErrOverlap
	// ErrMode: the mode of operation or the algorithm does not support this call, or
	// too little is known about it.
	ErrMode
	// ErrTimeout: there was no answer within the time limit.
	ErrTimeout
	// ErrClosed: the object is closed.
	ErrClosed
	// ErrResources: no memory or no file descriptor is left.
	ErrResources
	// ErrFailed: Linux or its driver failed for another reason.
	ErrFailed
)

var reasons = [...]string{
	0:                "unknown reason",
	ErrUnsupported:   "this program was built without the Linux crypto API",
	ErrNoAFALG:       "Linux has no AF_ALG sockets here",
	ErrSeccomp:       "refused by seccomp or a security module",
	ErrNotCompiledIn: "not compiled into this Linux",
	ErrModuleBlocked: "its module may not be loaded",
	ErrMasked:        "hidden: since 7.2 Linux offers no drivers of hardware beside the CPU",
	ErrNotAllowed:    "not on the list of crypto.af_alg_restrict",
	ErrNoAlgorithm:   "no such algorithm",
	ErrSelfTest:      "failed its self-test",
	ErrKey:           "bad key",
	ErrSize:          "wrong size",
	ErrAuth:          "message authentication failed",
	ErrTooLarge:      "too large for one operation",
	ErrOverlap:       "invalid buffer overlap",
	ErrMode:          "not in this mode",
	ErrTimeout:       "no answer in time",
	ErrClosed:        "closed",
	ErrResources:     "out of memory or file descriptors",
	ErrFailed:        "failed",
}

// Error returns the reason in words.
func (r Reason) Error() string {
	if int(r) >= len(reasons) {
		r = 0
	}
	return reasons[r]
}

// An Error is an error of this package. It matches its Reason in errors.Is and, if
// that is not 0, its Errno.
type Error struct {
	Op        string // what failed: "socket", "bind", "set key", "set tag size", "accept", "send", "receive", …
	Algorithm string // the name that was opened
	Reason    Reason
	Detail    string        // further information, such as the size that was expected
	Errno     syscall.Errno // from Linux, or 0 if the error is not from a system call
}

func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString("kcapi: ")
	s.WriteString(e.Algorithm)
	s.WriteString(": ")
	if e.Op != "" {
		s.WriteString(e.Op)
		s.WriteString(": ")
	}
	s.WriteString(e.Reason.Error())
	if e.Detail != "" {
		s.WriteString(": ")
		s.WriteString(e.Detail)
	}
	if e.Errno != 0 {
		s.WriteString(" (")
		s.WriteString(e.Errno.Error())
		s.WriteString(")")
	}
	return s.String()
}

// Unwrap returns Reason and, if it is not 0, Errno.
func (e *Error) Unwrap() []error {
	if e.Errno == 0 {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Errno}
}
