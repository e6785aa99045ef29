//go:build purego || !(arm64 || ppc64le)

package aes

// There is no driver std here.

type (
	stdCTR struct{}
	stdGCM struct{}
)

// xor is ctrXOR for a stream.
func (s *ctr) xor(dst, src []byte, rest *[BlockSize]byte) {
	ctrXOR(s.c.row, &s.c.keys, &s.counter, dst, src, rest)
}

func (*stdGCM) init(uint8, *keys, int, int) bool                           { return false }
func (*stdGCM) seal(uint8, []byte, []byte, []byte, []byte) bool            { return false }
func (*stdGCM) open(uint8, []byte, []byte, []byte, []byte) (done, ok bool) { return false, false }
func (*stdGCM) wipe()                                                      {}

// sivRow is the driver for the keys of messages in GCM-SIV.
func sivRow(row uint8) uint8 { return row }
