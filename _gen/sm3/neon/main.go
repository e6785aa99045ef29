// HEAD
package main

import (
	"encoding/binary"
	"flag"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../sm3/internal/arm64/neon_arm64.s -go ../../../sm3/internal/arm64/neon_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	t := constants()
	table := file.Table("neonConstants", "T[j] <<< j, for each round j.", words(t[:]...))
	blocks(file, table)
	tables := file.Table("neonLanes", "Indices of TBL for a rotation by 8 of each word; words 8 and 15 of a block that ends 96 bytes.", words(
		0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f,
		1<<31, 1<<31, 1<<31, 1<<31,
		8*96, 8*96, 8*96, 8*96))
	for groups := 1; groups <= 2; groups++ {
		compress(file, table, tables, groups)
		iterate(file, table, tables, groups)
	}
	file.Write(*out, *declarations)
}

// constants returns T[j] <<< j for all rounds.
func constants() (t [64]uint32) {
	for j := range t {
		t[j] = bits.RotateLeft32(0x7a879d8a, j)
		if j < 16 {
			t[j] = bits.RotateLeft32(0x79cc4519, j)
		}
	}
	return t
}

func words(list ...uint32) (data []byte) {
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// inRound returns where A ... H are in round j if they are in state in round 0: a round
// leaves A in the place of D, E in that of H, and everything else where it is.
func inRound(state []asm.Reg, j int) (s [8]asm.Reg) {
	for i := range s {
		s[i] = state[(i-j%4+4)%4+i/4*4]
	}
	return s
}
