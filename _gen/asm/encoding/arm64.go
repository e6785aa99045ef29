package encoding

import "fmt"

// Sources: Arm Architecture Reference Manual (DDI 0487), chapter C4, "Data Processing --
// Scalar Floating-Point and Advanced SIMD". Arrangements are written as in Go's
// assembler: B16 is Arm's 16B.

// vectors puts registers in the fields Rm, Rn and Rd.
func vectors(m, n, d int) uint32 { return uint32(m<<16 | n<<5 | d) }

// arrangement encodes an arrangement in the fields Q and size.
func arrangement(t string) uint32 {
	size, q := elements(t)
	return size<<22 | q<<30
}

// elements returns the logarithm of the bytes of an element, and whether the vector has 16
// bytes.
func elements(t string) (size, q uint32) {
	switch t {
	case "B8":
		return 0, 0
	case "B16":
		return 0, 1
	case "H4":
		return 1, 0
	case "H8":
		return 1, 1
	case "S2":
		return 2, 0
	case "S4":
		return 2, 1
	case "D2":
		return 3, 1
	}
	panic(fmt.Sprintf("encoding: no arrangement %q", t))
}

// rightShift encodes a shift to the right by i of elements of t.
func rightShift(t string, i int) uint32 {
	size, q := elements(t)
	bits := 8 << size
	if i < 1 || i > bits {
		panic(fmt.Sprintf("encoding: shift of %s by %d", t, i))
	}
	return uint32(2*bits-i)<<16 | q<<30
}

// byElement encodes a multiplication by element i of register m.
func byElement(t string, i, m, n, d int) uint32 {
	size, _ := elements(t)
	if size == 1 { // index H:L:M, m below 16
		if m > 15 || i > 7 {
			panic(fmt.Sprintf("encoding: element %d of V%d", i, m))
		}
		return arrangement(t) | uint32(i>>2&1)<<11 | uint32(i>>1&1)<<21 | uint32(i&1)<<20 | vectors(m, n, d)
	}
	if size != 2 || i > 3 {
		panic(fmt.Sprintf("encoding: element %d of %s", i, t))
	}
	return arrangement(t) | uint32(i>>1)<<11 | uint32(i&1)<<21 | vectors(m, n, d)
}

// SM3 (FEAT_SM3). SM3SS1 is ((n <<< 12) + m + a) <<< 7 of the last words. SM3TT1A, SM3TT1B,
// SM3TT2A and SM3TT2B do half a round with word i of m. SM3PARTW1 and SM3PARTW2 expand
// the message.

func SM3SS1(a, m, n, d int) uint32  { return 0xce400000 | uint32(a)<<10 | vectors(m, n, d) }
func SM3TT1A(i, m, n, d int) uint32 { return 0xce408000 | uint32(i)<<12 | vectors(m, n, d) }
func SM3TT1B(i, m, n, d int) uint32 { return 0xce408400 | uint32(i)<<12 | vectors(m, n, d) }
func SM3TT2A(i, m, n, d int) uint32 { return 0xce408800 | uint32(i)<<12 | vectors(m, n, d) }
func SM3TT2B(i, m, n, d int) uint32 { return 0xce408c00 | uint32(i)<<12 | vectors(m, n, d) }
func SM3PARTW1(m, n, d int) uint32  { return 0xce60c000 | vectors(m, n, d) }
func SM3PARTW2(m, n, d int) uint32  { return 0xce60c400 | vectors(m, n, d) }

// SM4 (FEAT_SM4). SM4E does four rounds on d with the round keys n. SM4EKEY makes four
// round keys from four, n, and the constants m.

func SM4E(n, d int) uint32       { return 0xcec08400 | vectors(0, n, d) }
func SM4EKEY(m, n, d int) uint32 { return 0xce60c800 | vectors(m, n, d) }

// Multiplications of elements (B, H, S). VMLA adds to d, VMLS subtracts from it. Those with
// Element multiply by element i of m (H, with m below 16, and S).

func VMUL(t string, m, n, d int) uint32           { return 0x0e209c00 | arrangement(t) | vectors(m, n, d) }
func VMLA(t string, m, n, d int) uint32           { return 0x0e209400 | arrangement(t) | vectors(m, n, d) }
func VMLS(t string, m, n, d int) uint32           { return 0x2e209400 | arrangement(t) | vectors(m, n, d) }
func VMULElement(t string, i, m, n, d int) uint32 { return 0x0f008000 | byElement(t, i, m, n, d) }
func VMLAElement(t string, i, m, n, d int) uint32 { return 0x2f000000 | byElement(t, i, m, n, d) }

// Multiplications with results that are twice as wide, of unsigned elements: of the low
// half if t has 8 bytes and of the high half (VUMULL2, VUMLAL2) if it has 16.

func VUMULL(t string, m, n, d int) uint32 { return 0x2e20c000 | arrangement(t) | vectors(m, n, d) }
func VUMLAL(t string, m, n, d int) uint32 { return 0x2e208000 | arrangement(t) | vectors(m, n, d) }

// Narrowing: t is the arrangement of the result. With 16 bytes (VXTN2, VSHRN2) it is
// the high half of d. VSHRN shifts to the right before.

func VXTN(t string, n, d int) uint32     { return 0x0e212800 | arrangement(t) | vectors(0, n, d) }
func VSHRN(t string, i, n, d int) uint32 { return 0x0f008400 | rightShift(t, i) | vectors(0, n, d) }

// Logic of whole vectors. VBIC is n and not m, VORN is n or not m.

func VBIC(m, n, d int) uint32 { return 0x4e601c00 | vectors(m, n, d) }
func VORN(m, n, d int) uint32 { return 0x4ee01c00 | vectors(m, n, d) }
func VNOT(n, d int) uint32    { return 0x6e205800 | vectors(0, n, d) }

// Comparisons: all bits of d are set where n > m (VCMHI, VCMGT) or n >= m (VCMHS, VCMGE),
// unsigned (VCMHI, VCMHS) or signed.

func VCMHI(t string, m, n, d int) uint32 { return 0x2e203400 | arrangement(t) | vectors(m, n, d) }
func VCMHS(t string, m, n, d int) uint32 { return 0x2e203c00 | arrangement(t) | vectors(m, n, d) }
func VCMGT(t string, m, n, d int) uint32 { return 0x0e203400 | arrangement(t) | vectors(m, n, d) }
func VCMGE(t string, m, n, d int) uint32 { return 0x0e203c00 | arrangement(t) | vectors(m, n, d) }

// VSSHR shifts signed elements to the right.
func VSSHR(t string, i, n, d int) uint32 { return 0x0f000400 | rightShift(t, i) | vectors(0, n, d) }

// VNEG negates elements.
func VNEG(t string, n, d int) uint32 { return 0x2e20b800 | arrangement(t) | vectors(0, n, d) }
