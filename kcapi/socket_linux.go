//go:build linux && !nokernel

package kcapi

import (
	"encoding/binary"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file does not use the wrappers in package unix. unix.Accept passes an address
// to fill in, which makes AF_ALG return ECONNABORTED; unix.SendmsgN adds a byte to an
// empty message that has control data, which Linux would encrypt;
// unix.SetsockoptString takes the key as a string, which cannot be wiped. The calls
// go through syscall.Syscall, because they can wait: for a module, for a self-test,
// for a driver. Only quick messages use syscall.RawSyscall; see op.do.

const (
	supported = true
	tooMuch   = unix.EMSGSIZE
	maxName   = 127 // CRYPTO_MAX_ALG_NAME, less the final zero
)

func newSocket() (int, syscall.Errno) {
	fd, _, errno := syscall.Syscall(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	return int(fd), errno
}

func closeSocket(fd int) { syscall.Close(fd) }

func bind(fd int, typ, name string) syscall.Errno {
	var addr struct {
		unix.RawSockaddrALG
		_ [maxName + 1]byte // names are 63 bytes long or, since Linux 4.12, longer
	}
	addr.Family = unix.AF_ALG
	copy(addr.Type[:], typ)
	size := unsafe.Sizeof(addr.RawSockaddrALG)
	offset := unsafe.Offsetof(addr.RawSockaddrALG.Name)
	copy(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&addr), offset)), maxName), name)
	if needed := offset + uintptr(len(name)) + 1; needed > size {
		size = needed
	}
	_, _, errno := syscall.Syscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&addr)), size)
	return errno
}

func setKey(fd int, key []byte) syscall.Errno {
	_, _, errno := syscall.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_KEY,
		uintptr(unsafe.Pointer(unsafe.SliceData(key))), uintptr(len(key)), 0)
	return errno
}

func setKeySerial(fd int, serial int32) syscall.Errno {
	_, _, errno := syscall.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_KEY_BY_KEY_SERIAL,
		uintptr(unsafe.Pointer(&serial)), unsafe.Sizeof(serial), 0)
	return errno
}

func setEntropy(fd int, entropy []byte) syscall.Errno {
	_, _, errno := syscall.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_DRBG_ENTROPY,
		uintptr(unsafe.Pointer(unsafe.SliceData(entropy))), uintptr(len(entropy)), 0)
	return errno
}

// setTagSize passes the tag size in the argument for the length of the option.
func setTagSize(fd, size int) syscall.Errno {
	_, _, errno := syscall.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_AEAD_AUTHSIZE,
		0, uintptr(size), 0)
	return errno
}

// accept returns a socket for operations, given a bound socket. Given a socket for
// hash operations, it returns another one with a copy of the hash state.
func accept(fd int) (int, syscall.Errno) {
	if hooked {
		if errno, replaced := hook("accept", fd); replaced {
			return -1, errno
		}
	}
	op, _, errno := syscall.Syscall6(unix.SYS_ACCEPT4, uintptr(fd), 0, 0, unix.SOCK_CLOEXEC, 0, 0)
	return int(op), errno
}

// capacity returns the number of bytes that one operation can always hold, as input
// and as output. Linux accepts input up to SO_SNDBUF, rounded down to pages. It writes
// output in runs of 16 pages, where the first and the last page of each buffer may be
// partial, and begins a run only while SO_RCVBUF has a whole page free.
func capacity(fd int) int {
	page := syscall.Getpagesize()
	pages := func(option uintptr) int {
		var v int32
		size := uint32(unsafe.Sizeof(v))
		_, _, errno := syscall.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, option,
			uintptr(unsafe.Pointer(&v)), uintptr(unsafe.Pointer(&size)), 0)
		if errno != 0 {
			return 0
		}
		return int(v) / page
	}
	send, receive := pages(unix.SO_SNDBUF), pages(unix.SO_RCVBUF)
	const run, parts = 16, 4
	if unaligned := -receive & (run - 1); unaligned < parts {
		receive-- // a run could end in the last page, with less than a page free
	}
	return max(min(send, receive), 0) * page
}

// put32 writes a number in the machine's byte order, as control messages need it.
func put32(b []byte, v int) { binary.NativeEndian.PutUint32(b, uint32(v)) }

// controlMessage writes the header of a control message with n bytes to b and returns
// the slice for those bytes and the rest of b.
func controlMessage(b []byte, kind int32, n int) (body, rest []byte) {
	h := (*unix.Cmsghdr)(unsafe.Pointer(unsafe.SliceData(b)))
	h.Level, h.Type = unix.SOL_ALG, kind
	h.SetLen(unix.CmsgLen(n))
	return b[unix.CmsgLen(0):unix.CmsgLen(n)], b[unix.CmsgSpace(n):]
}

// send sends the message, without blocking, and returns the number of bytes sent.
func (m *message) send(fd int) (int, syscall.Errno) {
	if hooked {
		if errno, replaced := hook("send", fd); replaced {
			return 0, errno
		}
	}
	flags := uintptr(unix.MSG_DONTWAIT)
	if m.more {
		flags |= unix.MSG_MORE
	}
	if !m.control {
		if m.quick {
			n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(m.in))), uintptr(len(m.in)), flags, 0, 0)
			return int(n), errno
		}
		n, _, errno := syscall.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(m.in))), uintptr(len(m.in)), flags, 0, 0)
		return int(n), errno
	}

	var space [24]uint64 // three control messages, aligned; the IV has at most maxIV bytes
	control := unsafe.Slice((*byte)(unsafe.Pointer(&space)), len(space)*8)
	body, rest := controlMessage(control, unix.ALG_SET_OP, 4)
	if m.encrypt { // without a direction Linux decrypts
		put32(body, unix.ALG_OP_ENCRYPT)
	} else {
		put32(body, unix.ALG_OP_DECRYPT)
	}
	// Sent even if it is empty, or Linux would use the IV of the previous message.
	body, rest = controlMessage(rest, unix.ALG_SET_IV, 4+len(m.iv))
	put32(body, len(m.iv))
	copy(body[4:], m.iv)
	if m.aead {
		body, rest = controlMessage(rest, unix.ALG_SET_AEAD_ASSOCLEN, 4)
		put32(body, len(m.data))
	}
	var parts [2]unix.Iovec
	count := 0
	for _, b := range [...][]byte{m.data, m.in} {
		if len(b) > 0 {
			parts[count].Base = unsafe.SliceData(b)
			parts[count].SetLen(len(b))
			count++
		}
	}
	var h unix.Msghdr
	h.Control = &control[0]
	h.SetControllen(len(control) - len(rest))
	h.Iov = &parts[0]
	h.SetIovlen(count)
	var n uintptr
	var errno syscall.Errno
	if m.quick {
		n, _, errno = syscall.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), flags)
	} else {
		n, _, errno = syscall.Syscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), flags)
	}
	runtime.KeepAlive(&parts)
	runtime.KeepAlive(&space)
	return int(n), errno
}

// receive receives the result without blocking. It always requests at least one
// byte: Linux would answer a request for none without processing the message.
func (m *message) receive(fd int) (int, syscall.Errno) {
	if hooked {
		if errno, replaced := hook("receive", fd); replaced {
			return 0, errno
		}
	}
	if len(m.head) == 0 {
		out, spare := m.out, [1]byte{}
		if len(out) == 0 {
			out = spare[:]
		}
		if m.quick {
			n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(len(out)), unix.MSG_DONTWAIT, 0, 0)
			return int(n), errno
		}
		n, _, errno := syscall.Syscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(len(out)), unix.MSG_DONTWAIT, 0, 0)
		return int(n), errno
	}
	var parts [2]unix.Iovec
	count := 0
	for _, b := range [...][]byte{m.head, m.out} {
		if len(b) > 0 {
			parts[count].Base = unsafe.SliceData(b)
			parts[count].SetLen(len(b))
			count++
		}
	}
	var h unix.Msghdr
	h.Iov = &parts[0]
	h.SetIovlen(count)
	var n uintptr
	var errno syscall.Errno
	if m.quick {
		n, _, errno = syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), unix.MSG_DONTWAIT)
	} else {
		n, _, errno = syscall.Syscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), unix.MSG_DONTWAIT)
	}
	runtime.KeepAlive(&parts)
	return int(n), errno
}
