package encoding

import "encoding/binary"

// The SM3 and SM4 instructions of amd64, for registers by number. Sources: Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 2A, sections 2.3 (VEX) and 2.7
// (EVEX), and volume 2B; Intel Advanced Vector Extensions 10.2 Architecture Specification,
// document 361050 (EVEX forms of SM4).
//
// The last operand is the result, and with SM3 a source as well.

// An Operand is the source of an instruction of amd64 that may be in memory, at any address.
type Operand struct {
	Memory bool
	N      int // the register, or the base of the address
	Disp   int // what is added to the base
}

// VSM4KEY4 computes the four round keys after k with the constants ck. Registers of 64 bytes
// and those from 16 on need AVX10.2.
func VSM4KEY4(size int, ck Operand, k, x int) []byte {
	return sm4(size, 2, ck, k, x)
}

// VSM4RNDS4 does four rounds of the state s with the keys k. It needs what VSM4KEY4 needs.
func VSM4RNDS4(size int, k Operand, s, x int) []byte {
	return sm4(size, 3, k, s, x)
}

// VSM3MSG1 is the first half of the expansion of four words.
func VSM3MSG1(c Operand, b, a int) []byte { return vex(16, 0, 2, 0xda, c, b, a) }

// VSM3MSG2 is the second half.
func VSM3MSG2(c Operand, b, a int) []byte { return vex(16, 1, 2, 0xda, c, b, a) }

// VSM3RNDS2 does rounds j and j+1 with the words c.
func VSM3RNDS2(j int, c Operand, b, a int) []byte {
	return append(vex(16, 1, 3, 0xde, c, b, a), byte(j))
}

func sm4(size int, prefix byte, rm Operand, v, r int) []byte {
	if size == 64 || max(v, r) > 15 || !rm.Memory && rm.N > 15 {
		return evex(size, prefix, 2, 0xda, rm, v, r)
	}
	return vex(size, prefix, 2, 0xda, rm, v, r)
}

// vex encodes with the prefix of three bytes. prefix is the field pp: 0 none, 1 for 66, 2
// for F3, 3 for F2. escape is the field mmmmm: 2 for 0F 38, 3 for 0F 3A. v is the register
// in the prefix, r the one in the byte ModRM.
func vex(size int, prefix, escape, opcode byte, rm Operand, v, r int) []byte {
	length, ok := map[int]byte{16: 0, 32: 1}[size]
	if !ok || max(v, r, rm.N) > 15 {
		panic("encoding: no such register in a VEX instruction")
	}
	return append([]byte{
		0xc4,
		inverted(r, 3)<<7 | 1<<6 | inverted(rm.N, 3)<<5 | escape,
		byte(^v&15)<<3 | length<<2 | prefix,
		opcode,
	}, modRM(rm, r, 1)...)
}

// evex is like vex, with the prefix of four bytes.
func evex(size int, prefix, escape, opcode byte, rm Operand, v, r int) []byte {
	length, ok := map[int]byte{16: 0, 32: 1, 64: 2}[size]
	if !ok || max(v, r, rm.N) > 31 || rm.Memory && rm.N > 15 {
		panic("encoding: no such register in an EVEX instruction")
	}
	return append([]byte{
		0x62,
		inverted(r, 3)<<7 | inverted(rm.N, 4)<<6 | inverted(rm.N, 3)<<5 | inverted(r, 4)<<4 | escape,
		byte(^v&15)<<3 | 1<<2 | prefix,
		length<<5 | inverted(v, 4)<<3,
		opcode,
	}, modRM(rm, r, size)...)
}

// inverted is the inverse of a bit of the number of a register.
func inverted(n, bit int) byte { return byte(^n >> bit & 1) }

// modRM is the part after the opcode: the byte ModRM and the rest of the address. A distance
// of one byte counts in units.
func modRM(rm Operand, r, unit int) []byte {
	low := byte(r&7<<3 | rm.N&7)
	if !rm.Memory {
		return []byte{0xc0 | low}
	}
	var mod byte
	var disp []byte
	switch short := rm.Disp / unit; {
	case rm.Disp == 0 && rm.N&7 != 5: // with BP and R13 it would mean something else
	case rm.Disp%unit == 0 && short >= -128 && short < 128:
		mod, disp = 1, []byte{byte(short)}
	default:
		mod, disp = 2, binary.LittleEndian.AppendUint32(nil, uint32(rm.Disp))
	}
	code := []byte{mod<<6 | low}
	if rm.N&7 == 4 { // SP and R12 need the byte SIB
		code = append(code, 0x24)
	}
	return append(code, disp...)
}
