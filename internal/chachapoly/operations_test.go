package chachapoly

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

func TestOperations(t *testing.T) {
	key, nonce, text := new([8]uint32), new([3]uint32), make([]byte, 80)
	sealed := make([]byte, len(text)+TagSize)
	Seal(generic, sealed, text, nil, key, nonce)
	many := func(f func(row uint8, key *[8]uint32, packets []Packet), dst, src []byte) func(row uint8) {
		return func(row uint8) {
			list := make([]Packet, 5) // more than one kernel call, and one left over
			for i := range list {
				list[i] = Packet{Dst: dst, Text: src}
			}
			f(row, key, list)
		}
	}
	conformance.Operations{
		"seal":     func(row uint8) { Seal(row, make([]byte, len(sealed)), text, nil, key, nonce) },
		"open":     func(row uint8) { Open(row, make([]byte, len(text)), sealed, nil, key, nonce) },
		"sealMany": many(SealMany, make([]byte, len(sealed)), text),
		"openMany": many(OpenMany, make([]byte, len(text)), sealed),
		"xor":      func(row uint8) { XOR(row, make([]byte, len(text)), text, new([16]uint32)) },
		"hChaCha":  func(row uint8) { HChaCha(row, new([8]uint32), key, new([4]uint32)) },
		"blocks":   func(row uint8) { Blocks(row, new([3]uint64), new([2]uint64), text) },
		"ahead":    func(row uint8) { Ahead(row) },
	}.Test(t, drivers.New("chacha20poly1305", Rows()).Drivers())
}
