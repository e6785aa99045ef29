package encoding

// Source: Arm Architecture Reference Manual for A-profile (DDI 0487), A32 encodings of "Advanced
// SIMD and floating-point instructions". Registers q are numbers from 0 to 15, registers d from
// 0 to 31. Elements have size bits.

func dd(d int) uint32 { return uint32(d&15)<<12 | uint32(d>>4)<<22 }
func dn(d int) uint32 { return uint32(d&15)<<16 | uint32(d>>4)<<7 }
func dm(d int) uint32 { return uint32(d&15) | uint32(d>>4)<<5 }
func qd(q int) uint32 { return dd(2 * q) }
func qn(q int) uint32 { return dn(2 * q) }
func qm(q int) uint32 { return dm(2 * q) }

// armSize is the field of the size of elements.
func armSize(size int) uint32 { return map[int]uint32{8: 0, 16: 1, 32: 2, 64: 3}[size] }

// Logic of q registers, and VEORD of d registers: d = n op m. VBIT inserts bits of n where m
// has ones, VBIF where it has zeros.

func VEORQ(m, n, d int) uint32 { return 0xf3000150 | qm(m) | qn(n) | qd(d) }
func VANDQ(m, n, d int) uint32 { return 0xf2000150 | qm(m) | qn(n) | qd(d) }
func VORRQ(m, n, d int) uint32 { return 0xf2200150 | qm(m) | qn(n) | qd(d) }
func VBITQ(m, n, d int) uint32 { return 0xf3200150 | qm(m) | qn(n) | qd(d) }
func VBIFQ(m, n, d int) uint32 { return 0xf3300150 | qm(m) | qn(n) | qd(d) }
func VEORD(m, n, d int) uint32 { return 0xf3000110 | dm(m) | dn(n) | dd(d) }
func VORRD(m, n, d int) uint32 { return 0xf2200110 | dm(m) | dn(n) | dd(d) }

// VADDQ adds, VTSTQ is all ones where n and m have a bit in common.

func VADDQ(size, m, n, d int) uint32 { return 0xf2000840 | armSize(size)<<20 | qm(m) | qn(n) | qd(d) }
func VTSTQ(size, m, n, d int) uint32 { return 0xf2000850 | armSize(size)<<20 | qm(m) | qn(n) | qd(d) }

// VMULLP multiplies polynomials of 8 bits, or of 64 (a cryptographic extension).
func VMULLP(size, m, n, d int) uint32 {
	code := uint32(0xf2800e00)
	if size == 64 {
		code |= 2 << 20
	}
	return code | dm(m) | dn(n) | qd(d)
}

// Shifts by i. VSLI and VSRI keep bits of d, VSSHR copies the sign.

func VSHLQ(size, i, m, d int) uint32 { return 0xf2800550 | armShift(size, i) | qm(m) | qd(d) }
func VSLIQ(size, i, m, d int) uint32 { return 0xf3800550 | armShift(size, i) | qm(m) | qd(d) }
func VSHRQ(size, i, m, d int) uint32 { return 0xf3800050 | armShift(size, size-i) | qm(m) | qd(d) }
func VSRIQ(size, i, m, d int) uint32 { return 0xf3800450 | armShift(size, size-i) | qm(m) | qd(d) }

func VSSHRQ(size, i, m, d int) uint32 { return 0xf2800050 | armShift(size, size-i) | qm(m) | qd(d) }

func armShift(size, i int) uint32 {
	if size == 64 {
		return uint32(i)<<16 | 1<<7
	}
	return uint32(size+i) << 16
}

// VMOVIQ sets all bytes.
func VMOVIQ(i, d int) uint32 {
	return 0xf2800e50 | uint32(i>>7&1)<<24 | uint32(i>>4&7)<<16 | uint32(i&15) | qd(d)
}

// VREVQ reverses elements within groups.
func VREVQ(group, size, m, d int) uint32 {
	return 0xf3b00040 | armSize(size)<<18 | map[int]uint32{64: 0, 32: 1, 16: 2}[group]<<7 | qm(m) | qd(d)
}

// VTRNQ exchanges odd elements of d with even ones of m, VSWPD whole registers.

func VTRNQ(size, m, d int) uint32 { return 0xf3b200c0&^(3<<18) | armSize(size)<<18 | qm(m) | qd(d) }
func VSWPD(m, d int) uint32       { return 0xf3b20000 | dm(m) | dd(d) }

// VEXTQ is bytes i to i+15 of n and then m.
func VEXTQ(i, m, n, d int) uint32 { return 0xf2b00040 | uint32(i)<<8 | qm(m) | qn(n) | qd(d) }

// VTBL looks up bytes in registers n and n+1.
func VTBL(m, n, d int) uint32 { return 0xf3b00900 | dm(m) | dn(n) | dd(d) }

// AES instructions.

func AESE(m, d int) uint32   { return 0xf3b00300 | qm(m) | qd(d) }
func AESD(m, d int) uint32   { return 0xf3b00340 | qm(m) | qd(d) }
func AESMC(m, d int) uint32  { return 0xf3b00380 | qm(m) | qd(d) }
func AESIMC(m, d int) uint32 { return 0xf3b003c0 | qm(m) | qd(d) }

// VDUPQ sets all words.
func VDUPQ(r, d int) uint32 {
	return 0xeea00b10 | uint32(r)<<12 | uint32(2*d&15)<<16 | uint32(d>>3)<<7
}

// VLD1 and VST1 move one to four d registers from first on. Then a register by is added to the
// address, or the size (13), or nothing (15).

func VLD1(mode, base, first, count int) uint32 { return 0xf4200000 | armList(mode, base, first, count) }
func VST1(mode, base, first, count int) uint32 { return 0xf4000000 | armList(mode, base, first, count) }

func armList(mode, base, first, count int) uint32 {
	return []uint32{1: 7, 2: 10, 3: 6, 4: 2}[count]<<8 | uint32(base)<<16 | uint32(mode) | dd(first)
}

// VLD4 and VST4 move words to and from every second d register from first on, four of them, one
// after the other.

func VLD4(post bool, base, first int) uint32 { return 0xf4200180 | armFour(post, base, first) }
func VST4(post bool, base, first int) uint32 { return 0xf4000180 | armFour(post, base, first) }

func armFour(post bool, base, first int) uint32 {
	code := uint32(base)<<16 | dd(first) | 0xf
	if post {
		code -= 2
	}
	return code
}
