//go:build linux && !nokernel

package kcapi

import (
	"bytes"
	"encoding/binary"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From linux/cryptouser.h. A message has the header of netlink, a
// crypto_user_alg and attributes.
const (
	getAlg  = 0x13
	newAlg  = 0x10
	algSize = 3*64 + 4*4

	attrPriority = 1
	attrLarval   = 2
	attrHash     = 3
	attrCipher   = 4
	attrAEAD     = 5
	attrRNG      = 7
	attrSimple   = 8
)

// AlgorithmsNetlink is like [Algorithms] but uses crypto_user, Linux's netlink
// interface. It provides each driver's flags, and so exactly which drivers are masked,
// but not all of the sizes, whose fields stay 0. Calling it may load the module
// crypto_user; without that module it returns an error.
func AlgorithmsNetlink() ([]Record, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_CRYPTO)
	if err != nil {
		return nil, netlinkFailed("socket", err)
	}
	defer unix.Close(fd)
	// Linux produces a dump while it is read, so if nothing comes, nothing will.
	limit := unix.NsecToTimeval(2e9)
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return nil, netlinkFailed("set timeout", err)
	}
	request := make([]byte, unix.NLMSG_HDRLEN+algSize)
	h := (*unix.NlMsghdr)(unsafe.Pointer(unsafe.SliceData(request)))
	h.Len, h.Type, h.Flags = uint32(len(request)), getAlg, unix.NLM_F_REQUEST|unix.NLM_F_DUMP
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, netlinkFailed("send", err)
	}
	var list []Record
	b := make([]byte, 64<<10)
	for {
		n, err := unix.Read(fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, netlinkFailed("receive", err)
		}
		more, end, errno := parseNetlink(b[:n])
		if errno != 0 {
			return nil, netlinkFailed("receive", errno)
		}
		list = append(list, more...)
		if end {
			return list, nil
		}
	}
}

func netlinkFailed(call string, err error) error {
	errno, _ := err.(syscall.Errno)
	e := &Error{Op: call, Algorithm: "crypto_user", Reason: ErrFailed, Errno: errno}
	switch errno {
	case unix.EPROTONOSUPPORT, unix.EAFNOSUPPORT, unix.ECONNREFUSED:
		e.Reason = ErrNotCompiledIn
	case unix.EPERM, unix.EACCES, unix.ENOSYS:
		e.Reason = ErrSeccomp
	case unix.EAGAIN:
		e.Reason = ErrTimeout
	case unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ENOBUFS:
		e.Reason = ErrResources
	}
	return e
}

// parseNetlink parses what one call has received; end reports that nothing follows.
func parseNetlink(b []byte) (list []Record, end bool, errno syscall.Errno) {
	for len(b) >= unix.NLMSG_HDRLEN {
		size, kind := int(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint16(b[4:])
		if size < unix.NLMSG_HDRLEN || size > len(b) {
			return list, true, unix.EBADMSG
		}
		body := b[unix.NLMSG_HDRLEN:size]
		b = b[min(align4(size), len(b)):]
		switch kind {
		case unix.NLMSG_DONE:
			if len(body) >= 4 { // the error, if the list is incomplete
				if n := int32(binary.NativeEndian.Uint32(body)); n < 0 {
					return list, true, syscall.Errno(-n)
				}
			}
			return list, true, 0
		case unix.NLMSG_ERROR:
			if len(body) < 4 {
				return list, true, unix.EBADMSG
			}
			if n := int32(binary.NativeEndian.Uint32(body)); n != 0 {
				return list, true, syscall.Errno(-n)
			}
			return list, true, 0
		case newAlg, getAlg:
			if r, ok := netlinkRecord(body); ok {
				list = append(list, r)
			}
		}
	}
	return list, false, 0
}

func align4(n int) int { return (n + 3) &^ 3 }

// word returns the text in a field that is padded with zeros.
func word(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// netlinkRecord parses a crypto_user_alg and its attributes.
func netlinkRecord(b []byte) (Record, bool) {
	if len(b) < algSize {
		return Record{}, false
	}
	number := func(b []byte, at int) int {
		if at+4 > len(b) {
			return 0
		}
		return int(int32(binary.NativeEndian.Uint32(b[at:])))
	}
	text := func(b []byte, at int) string {
		if at+64 > len(b) {
			return ""
		}
		return word(b[at : at+64])
	}
	r := Record{Name: word(b[:64]), Driver: word(b[64:128]), Module: word(b[128:192]), RefCount: number(b, 200)}
	r.Flags = binary.NativeEndian.Uint32(b[204:])
	r.Internal = r.Flags&flagInternal != 0
	r.Async = r.Flags&flagAsync != 0
	r.SelfTest = "unknown"
	if r.Flags&flagTested != 0 {
		r.SelfTest = "passed"
	}
	b = b[algSize:]
	for len(b) >= 4 {
		size, kind := int(binary.NativeEndian.Uint16(b)), binary.NativeEndian.Uint16(b[2:])
		if size < 4 || size > len(b) {
			break
		}
		v := b[4:size]
		b = b[min(align4(size), len(b)):]
		switch kind {
		case attrPriority:
			r.Priority = number(v, 0)
			continue
		case attrHash: // type, block, digest
			r.BlockSize, r.DigestSize = number(v, 64), number(v, 68)
		case attrCipher: // type, geniv, block, minimum key, maximum key, IV
			r.GenIV, r.BlockSize, r.MinKeySize, r.MaxKeySize, r.IVSize = text(v, 64), number(v, 128), number(v, 132), number(v, 136), number(v, 140)
		case attrAEAD: // type, geniv, block, tag, IV
			r.GenIV, r.BlockSize, r.MaxAuthSize, r.IVSize = text(v, 64), number(v, 128), number(v, 132), number(v, 136)
		case attrRNG:
			r.SeedSize = number(v, 64)
		case attrSimple:
			r.BlockSize, r.MinKeySize, r.MaxKeySize = number(v, 64), number(v, 68), number(v, 72)
		}
		if kind >= attrLarval && kind <= 31 && len(v) >= 64 {
			r.Type = text(v, 0)
		}
	}
	return r, true
}
