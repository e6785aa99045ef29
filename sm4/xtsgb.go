package sm4

import "github.com/cipherlane/cipherlane/internal/modes"

// NewXTSGB returns XTS as GB/T 17964-2021 defines it, for the same keys as
// [NewXTS]. The two standards interpret a tweak as an element of GF(2^128) in
// different ways: here the highest bit of a byte comes first, as in GCM.
func NewXTSGB(key []byte) (*XTS, error) { return automatic().NewXTSGB(key) }

// NewXTSGB is like the package's [NewXTSGB], with this driver.
func (d Driver) NewXTSGB(key []byte) (*XTS, error) {
	x, err := d.newXTS(key)
	if err != nil {
		return nil, err
	}
	x.gb = true
	x.mode = modes.NewXTS(bulkGB{x.data.wide()}, bulkGB{(*bulk)(x.tweak)})
	return x, nil
}

// Tweaks are computed in the bit order of IEEE 1619. Before a tweak is added to the
// data, every byte is multiplied by one of these matrices of 8 x 8 bits, in the format
// of the instruction VGF2P8AFFINEQB.
const (
	ieeeTweaks = 0x0102040810204080 // identity
	gbTweaks   = 0x8040201008040201 // reverses the bits
)

// A bulkGB is a bulk for the XTS of GB/T 17964-2021. The framing in package modes
// multiplies tweaks as IEEE 1619 does. The two standards differ only in the order of
// bits in a byte, so EncryptBlocks returns tweaks in the order of the framing, and XTS
// reverses it again before they are added to the data.
type bulkGB struct{ *bulk }

// EncryptBlocks encrypts the number of a sector, which gives its first tweak.
func (b bulkGB) EncryptBlocks(dst, src []byte) {
	b.bulk.EncryptBlocks(dst, src)
	modes.TurnTweaks(dst)
}

// XTS processes whole blocks of a sector.
func (b bulkGB) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if len(src) > 0 && !xts(b.plan.Pick(len(src)), &b.keys, tweak, dst, src, gbTweaks, decrypt) {
		modes.XTSBlocks(b.bulk, tweak, dst, src, decrypt, true)
	}
}
