// Command bitslice writes the AES kernels for AArch64 without AES instructions that process eight
// blocks at a time. Command neon, in a folder of its own, writes those for fewer blocks.
//
// # Algorithm
//
// Eight blocks are turned into eight planes: plane b has bit b of each byte, byte i that of byte
// i of the blocks. The S-box is a circuit of gates on planes, 106 for S and 109 for its inverse
// (package circuit finds them; its list is circuit.go). ShiftRows permutes the bytes of a plane
// (TBL). MixColumns of a byte a with the next ones in its column a', a", a"' is
//
//	2 a + 3 a' + a" + a"'  =  2 t + a' + t"     t = a + a', t" = t two bytes further
//
// so that one TBL makes a and one a', each with ShiftRows, and REV32 makes t". InvMixColumns is
// MixColumns of a + 4 (a + a"). The constant of the S-box is in the round keys: MixColumns and
// its inverse do not change it. Decryption uses the same keys, the other way around.
//
// Transposing exchanges the bits of a byte and the eight registers, in three stages: rounds.go.
// The functions, for a multiple of eight blocks, are in modes.go, and those for FrodoKEM in
// frodokem.go.
//
// # Registers
//
//	x0 to x7      blocks, then planes
//	s             values of the circuit
//	shift, next   indices for TBL
//	a, t, u, v    of MixColumns
//	k             round key
//	others        data, counters, tweaks
//
// # Bound
//
// A round is 106 gates, 16 TBL, 8 REV32, 35 sums and 4 loads for 128 bytes: 1.32 instructions per
// byte, 13.0 for AES-128, whose last round has no MixColumns; transposing twice is 0.7.
// Decryption takes 20 % more. Two vector units need 83 cycles for a round. In llvm-mca's models
// Neoverse N1 takes 91, V2 65, and Cortex-A72 123, where TBL is three operations and each gate
// waits for three cycles. Within a part of the round instructions that wait for each other are
// apart, for CPUs that do not reorder: Cortex-A55 takes 193 instead of 213.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate sh -c "go run ../../circuit aes-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -out ../../../internal/aescore/internal/arm64/aes_bitslice_arm64.s -go ../../../internal/aescore/internal/arm64/declarations_bitslice_arm64.go
//go:generate go run . -frodokem -out ../../../frodokem/internal/arm64/matrix_bitslice_arm64.s -go ../../../frodokem/internal/arm64/matrix_bitslice_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	frodokem := flag.Bool("frodokem", false, "write the kernels of FrodoKEM")
	flag.Parse()
	file := &asm.File{Target: Target}
	t := &tables{encrypt: file.Table("encryptBitslice", "Indices of ShiftRows, and of ShiftRows with columns rotated by a byte.", append(shiftRows(1, 0), shiftRows(1, 1)...))}
	if *frodokem {
		planes(file)
		rows(file, t)
		file.Proofs = map[string][]string{
			"planesBitslice": {"frodo.transpose n=8,16"},
			"rowsBitslice":   {"frodo.planes rows=1 first=3 n=64", "frodo.planes rows=2 first=3 n=80"},
		}
		file.Write(*out, *declarations)
		return
	}
	t.decrypt = file.Table("decryptBitslice", "Indices of InvShiftRows, and of columns rotated by a byte.", append(shiftRows(-1, 0), shiftRows(0, 1)...))
	expand(file)
	blocks(file, t, false)
	blocks(file, t, true)
	cbcDecrypt(file, t)
	ctr(file, t, 64)
	ctr(file, t, 32)
	xts(file, t, false)
	xts(file, t, true)
	file.Proofs = proofs
	file.Write(*out, *declarations)
}

type tables struct{ encrypt, decrypt *asm.Table }

// shiftRows returns where each byte of a block comes from if row r moves to the left by
// left*r bytes, and columns then move up by rise bytes.
func shiftRows(left, rise int) (data []byte) {
	for i := range 16 {
		column, row := i/4, (i+rise)%4
		data = append(data, byte(4*((column+left*row+8)%4)+row))
	}
	return data
}

func expand(file *asm.File) {
	f := file.Func("expandBitslice", "(planes *byte, keys *uint32, rounds int)")
	f.Doc = "expandBitslice makes the planes of rounds+1 round keys of 16 bytes."
	f.Banner = "Plane b of a key has bit b of each byte, as 0 or 0xff for eight blocks."
	f.Secret, f.Public = "planes keys", "rounds"
	planes, keys, rounds := f.Arg("planes"), f.Arg("keys"), f.Arg("rounds")
	bits := f.Several(Vector, "bit", 8)
	for b, r := range bits {
		f.Add(VMOVI(1<<b, r))
	}
	key, constant := f.New(Vector, "key"), f.New(Vector, "constant")
	f.Add(VMOVI(0, constant))
	f.Label("key")
	f.Add(VLD1(B16, Post(keys, 16), key), VEOR(constant, key, key), VMOVI(int(substitute.Out), constant))
	for b := 0; b < 8; b += 2 {
		p := f.Several(Vector, "plane", 2)
		f.Add(VCMTST(B16, bits[b], key, p[0]), VCMTST(B16, bits[b+1], key, p[1]), FSTPQ(p[0], p[1], At(planes, 16*b)))
	}
	f.Add(ADD(keySize, planes, planes), SUBS(1, rounds, rounds), BPL("key"), RET())
}
