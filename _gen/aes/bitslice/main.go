package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate sh -c "go run ../../circuit aes-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -out ../../../internal/aescore/internal/arm64/aes_bitslice_arm64.s -go ../../../internal/aescore/internal/arm64/declarations_bitslice_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	t := &tables{
		encrypt: file.Table("encryptBitslice", "Indices of ShiftRows, and of ShiftRows with columns rotated by a byte.", append(shiftRows(1, 0), shiftRows(1, 1)...)),
		decrypt: file.Table("decryptBitslice", "Indices of InvShiftRows, and of columns rotated by a byte.", append(shiftRows(-1, 0), shiftRows(0, 1)...)),
	}
	expand(file)
	blocks(file, t, false)
	blocks(file, t, true)
	cbcDecrypt(file, t)
	ctr(file, t, 64)
	ctr(file, t, 32)
	xts(file, t, false)
	xts(file, t, true)
	file.Write(*out, *declarations)
}

type tables struct{ encrypt, decrypt *asm.Table }

// shiftRows returns where each byte of a block comes from if row r moves to the left by
// left*r bytes, and columns then move up by up bytes.
func shiftRows(left, up int) (data []byte) {
	for i := range 16 {
		column, row := i/4, (i+up)%4
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
	f.Add(VLD1(B16, Post(keys, 16), key), VEOR(constant, key, key), VMOVI(sboxOut, constant))
	for b := 0; b < 8; b += 2 {
		p := f.Several(Vector, "plane", 2)
		f.Add(VCMTST(B16, bits[b], key, p[0]), VCMTST(B16, bits[b+1], key, p[1]), FSTPQ(p[0], p[1], At(planes, 16*b)))
	}
	f.Add(ADD(keySize, planes, planes), SUBS(1, rounds, rounds), BPL("key"), RET())
}
