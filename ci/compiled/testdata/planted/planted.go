// Package planted has functions that depend on a secret in a way that compiled must find,
// and some that do not.
package planted

import "encoding/binary"

var Table [256]uint32

func Branch(secret uint32) uint32 {
	if secret&1 != 0 {
		return 7 * Branched()
	}
	return 2
}

//go:noinline
func Branched() uint32 { return 3 }

func Lookup(secret uint8) uint32 {
	return Table[secret]
}

func Pointer(secret uint8) uint32 {
	p := &Table[secret]
	*p++
	return *p
}

func Division(a, b uint32) uint32 {
	return a / (b | 1)
}

func Compare(a, b *[40]byte) bool {
	return *a == *b
}

func Exit(a, b *[16]byte) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func Shift(a []byte, secret int) byte {
	return a[secret]
}

func Switch(secret uint32) uint32 {
	switch secret {
	case 0:
		return Branched()
	case 1:
		return 2 + Branched()
	case 2:
		return 3 * Branched()
	case 3:
		return 4 ^ Branched()
	case 4:
		return 5 - Branched()
	case 5:
		return 6 * Branched()
	case 6:
		return 7 + Branched()
	case 7:
		return 9 ^ Branched()
	}
	return 0
}

func Harmless(secret uint32, x, y uint32) uint32 {
	mask := -(secret & 1)
	return x&mask | y&^mask
}

func HarmlessStore(b *[8]byte, secret uint64) {
	binary.BigEndian.PutUint64(b[:], secret)
}

func Twice(secret, x uint32) uint32 {
	if secret&x != 0 {
		x = Branched()
	}
	x++
	if secret&x != 0 {
		x += 3 * Branched()
	}
	return x
}

//go:noinline
func generic[T uint32 | uint64](x, y T) T {
	if x&y != 0 {
		return T(Branched())
	}
	return y
}

func Generic(secret uint32) uint64 { return uint64(generic(secret, 5)) + generic(uint64(secret), 6) }

func Closure(secret uint32) func(uint32) uint32 {
	if secret != 0 {
		secret = Branched()
	}
	return func(x uint32) uint32 {
		if x&secret != 0 {
			return Branched()
		}
		return 1
	}
}
