package kcapi

import (
	"strings"
	"syscall"
)

// A Reason says what went wrong. Its values are the targets for errors.Is.
type Reason uint8

const (
	// ErrUnsupported: this program has no code for it, being built for another
	// system than Linux or with the tag nokernel.
	ErrUnsupported Reason = iota + 1
	// ErrNoAFALG: Linux offers no AF_ALG sockets at all.
	ErrNoAFALG
	// ErrSeccomp: a filter such as seccomp, or a security module, forbids it.
	ErrSeccomp
	// ErrNotCompiledIn: this Linux was built without it.
	ErrNotCompiledIn
	// ErrModuleBlocked: the module that has it may not be loaded.
	ErrModuleBlocked
	// ErrMasked: it exists, but since version 7.2 Linux hides drivers of
	// hardware beside the CPU.
	ErrMasked
	// ErrNotAllowed: it is not on Linux's list for this user
	// (crypto.af_alg_restrict).
	ErrNotAllowed
	// ErrNoAlgorithm: Linux does not know it, or hides why it does not give it.
	ErrNoAlgorithm
	// ErrSelfTest: it has failed Linux's own test.
	ErrSelfTest
	// ErrKey: the key has the wrong size or is missing, revoked, expired or
	// not permitted.
	ErrKey
	// ErrSize: an IV, nonce, tag, message or buffer has a size that does not
	// fit the algorithm.
	ErrSize
	// ErrAuth: the message is not what was sealed.
	ErrAuth
	// ErrTooLarge: more than one operation can hold, where it cannot be cut.
	ErrTooLarge
	// ErrOverlap: buffers overlap that must not.
	ErrOverlap
	// ErrMode: the mode of operation, or the algorithm, has no such call: it cannot be
	// continued, or is of another kind.
	ErrMode
	// ErrTimeout: no answer within the time given.
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

// An Error is what the functions of this package return. Both Reason and, unless
// it is 0, Errno are in its tree for errors.Is.
type Error struct {
	Op        string // what failed: "socket", "bind", "set key", "set tag size", "accept", "send", "receive", …
	Algorithm string // the name that was opened
	Reason    Reason
	Detail    string        // what else is known, such as the size that was wanted
	Errno     syscall.Errno // Linux's answer, 0 if it was not asked
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

// Unwrap returns the reason and Linux's answer.
func (e *Error) Unwrap() []error {
	if e.Errno == 0 {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Errno}
}
