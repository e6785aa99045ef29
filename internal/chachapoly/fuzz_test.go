package chachapoly

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// FuzzBlocks compares Poly1305 of every driver with the portable one, from any
// state.
func FuzzBlocks(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xff}, 300), uint8(4), uint8(20))
	f.Add(make([]byte, 100), uint8(0), uint8(1))
	f.Fuzz(func(t *testing.T, input []byte, top, repeat uint8) {
		if len(input) < 48 {
			return
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(input[8*i:]) }
		h := [3]uint64{word(0), word(1), uint64(top % 5)}
		r := [2]uint64{word(2) & 0x0ffffffc0fffffff, word(3) & 0x0ffffffc0ffffffc}
		p := bytes.Repeat(input[32:], 1+int(repeat))
		p = p[:len(p)&^15]
		s := [2]uint64{word(4), word(5)}
		var want, got [TagSize]byte
		table := drivers.New("chacha20poly1305", Rows())
		for i, info := range table.Drivers() {
			if !info.Available() {
				continue
			}
			end := h
			Blocks(uint8(i), &end, &r, p)
			if end[2] > 4 {
				t.Errorf("%s: h = %x", info.Name, end)
			}
			if finish(&got, &end, &s); i == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}
