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
	table := file.Table("neonConstants", "T[j] <<< j, for each round j.", constants())
	blocks(file, table)
	file.Write(*out, *declarations)
}

// constants returns T[j] <<< j for all rounds.
func constants() (data []byte) {
	for j := range 64 {
		t := uint32(0x79cc4519)
		if j >= 16 {
			t = 0x7a879d8a
		}
		data = binary.LittleEndian.AppendUint32(data, bits.RotateLeft32(t, j))
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
