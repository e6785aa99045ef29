//go:build !purego

package cpu

func detect() Set { return decode(hwcap()) }

// decode interprets AT_HWCAP (Linux, arch/loongarch/include/uapi/asm/hwcap.h). Kernels load vectors
// from any address: where the CPU does not, Linux emulates that very slowly.
func decode(bits uintptr) Set {
	const ual, lsx, lasx = 1 << 2, 1 << 4, 1 << 5
	var s Set
	if bits&lsx != 0 && bits&ual != 0 {
		s |= LSX
	}
	if bits&lasx != 0 {
		s |= LASX
	}
	return s.complete(LSX)
}
