//go:build purego || !(arm64 || ppc64le)

package aes

// These are stubs: there is no driver std.

type (
	stdCBC struct{}
	stdCTR struct{}
	stdGCM struct{}
)

func (*stdCBC) encrypt(*Cipher, *[BlockSize]byte, []byte, []byte) bool { return false }
func (*stdCBC) decrypt(*Cipher, *[BlockSize]byte, []byte, []byte) bool { return false }

// xor is like ctrXOR, for the stream s.
func (*stdCTR) xor(s *ctr, dst, src []byte, rest *[BlockSize]byte) {
	ctrXOR(s.c.row, &s.c.keys, &s.counter, dst, src, rest)
}

func (*Cipher) encryptOne([]byte, []byte) bool { return false }
func (*Cipher) decryptOne([]byte, []byte) bool { return false }

func (*stdGCM) init(uint8, *keys, int, int) bool         { return false }
func (*stdGCM) serves(uint8) bool                        { return false }
func (*stdGCM) seal(dst, _, _, _ []byte) []byte          { return dst }
func (*stdGCM) open(dst, _, _, _ []byte) ([]byte, error) { return dst, nil }
func (*stdGCM) wipe()                                    {}

// sivRow returns the driver for the message keys of GCM-SIV.
func sivRow(row uint8) uint8 { return row }
