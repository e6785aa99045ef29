//go:build linux && !nokernel

package kcapi

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// classify returns the reason for an errno, given the call that returned it.
func classify(typ, name, call string, errno syscall.Errno) (Reason, string) {
	switch errno {
	case unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ENOBUFS:
		return ErrResources, ""
	case unix.ETIMEDOUT:
		return ErrTimeout, ""
	}
	switch call {
	case "socket":
		switch errno {
		case unix.EAFNOSUPPORT, unix.ESOCKTNOSUPPORT, unix.EPROTONOSUPPORT:
			return explain(typ, name, call, errno, ErrNoAFALG)
		case unix.EPERM, unix.EACCES, unix.ENOSYS:
			return explain(typ, name, call, errno, ErrSeccomp)
		}
	case "bind":
		switch errno {
		case unix.ENOENT, unix.EINVAL, unix.EEXIST, unix.ELOOP, unix.ENAMETOOLONG:
			return explain(typ, name, call, errno, ErrNoAlgorithm)
		case unix.ELIBBAD:
			return ErrSelfTest, ""
		case unix.EPERM, unix.EACCES, unix.ENOSYS:
			return explain(typ, name, call, errno, ErrSeccomp)
		}
	case "set key":
		switch errno {
		case unix.ENOPROTOOPT:
			return ErrNotCompiledIn, "keys by serial number need Linux 6.2 with CONFIG_KEYS"
		case unix.ENOSYS:
			return ErrKey, "the algorithm takes none"
		case unix.ENOKEY:
			return ErrKey, "there is none with this serial"
		case unix.EKEYREVOKED, unix.EKEYEXPIRED, unix.EKEYREJECTED, unix.EACCES, unix.EPERM, unix.EINVAL, unix.ERANGE, unix.EOPNOTSUPP:
			return ErrKey, ""
		}
	case "set entropy":
		switch errno {
		case unix.ENOPROTOOPT:
			return ErrNotCompiledIn, "CONFIG_CRYPTO_USER_API_RNG_CAVP"
		case unix.EACCES, unix.EPERM:
			return ErrSeccomp, "CAP_SYS_ADMIN is needed"
		case unix.EMSGSIZE:
			return ErrSize, "entropy"
		}
	case "set tag size":
		if errno == unix.EINVAL {
			return ErrSize, ""
		}
	case "send", "receive", "sendfile", "splice":
		switch errno {
		case unix.EBADMSG:
			return ErrAuth, ""
		case unix.ENOKEY:
			return ErrKey, "it needs one"
		case unix.EINVAL:
			return ErrSize, "message, IV or data"
		case unix.EMSGSIZE, unix.EOVERFLOW:
			return ErrTooLarge, ""
		case unix.EOPNOTSUPP:
			if typ == "rng" {
				return ErrMode, "additional input is for generators opened with entropy"
			}
		case unix.EAGAIN: // the call would have waited
			return ErrTimeout, ""
		}
	}
	return ErrFailed, ""
}

func isForged(errno syscall.Errno) bool  { return errno == unix.EBADMSG }
func isBadSize(errno syscall.Errno) bool { return errno == unix.EINVAL }
