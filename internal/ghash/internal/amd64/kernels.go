//go:build amd64 && !purego

package amd64

// The Init functions write the powers of the hash key h to the table t: entry
// i is H^(64-i), byte-reversed and multiplied by x, so that the product of
// field elements is a carry-less product and a reduction without a shift. Sums
// are the sum of the two halves of a power, stored in both halves of an entry,
// for Karatsuba's method.
//
// The Update functions continue the hash y over p, of any length up to 64 KiB,
// as if the last block were padded with zeros. They do not read beyond p.

// An Order is the byte order of the hash and of all blocks, as a mask for the
// instruction VPSHUFB: [GHASH] or [POLYVAL].
type Order = [64]byte

var (
	GHASH   = order(15) // the order of NIST SP 800-38D
	POLYVAL = order(0)  // every block byte-reversed: RFC 8452, appendix A
)

func order(reverse byte) *Order {
	o := new(Order)
	for i := range o {
		o[i] = byte(i%16) ^ reverse
	}
	return o
}

// InitPCLMUL writes entries 56 to 63, H^8 to H^1, and their sums to entries 48
// to 55. It needs PCLMULQDQ and SSSE3.
//
//go:noescape
//ct:secret t h
//prove:ghash.init powers=8 sums=1
func InitPCLMUL(t *[64][16]byte, h *[16]byte)

// UpdatePCLMUL reads entries 48 to 63. It needs PCLMULQDQ and SSSE3.
//
//go:noescape
//ct:secret t y p
//ct:public order
//prove:ghash.update powers=8 sums=1 order=gcm,reversed batches=8 n=1,3,7,10,12,112,256,301
func UpdatePCLMUL(t *[64][16]byte, y *[16]byte, p []byte, order *Order)

// UpdateReversedPCLMUL is UpdatePCLMUL for POLYVAL.
func UpdateReversedPCLMUL(t *[64][16]byte, y *[16]byte, p []byte) { UpdatePCLMUL(t, y, p, POLYVAL) }

// InitVPCLMUL256 writes entries 48 to 63, H^16 to H^1, and their sums to entries
// 32 to 47. It needs VPCLMULQDQ and AVX2.
//
//go:noescape
//ct:secret t h
//prove:ghash.init powers=16 sums=1
func InitVPCLMUL256(t *[64][16]byte, h *[16]byte)

// UpdateVPCLMUL256 reads entries 48 to 63. It needs VPCLMULQDQ and AVX2.
//
//go:noescape
//ct:secret t y p
//ct:public order
//prove:ghash.update powers=16 sums=1 order=gcm,reversed batches=16 n=1,3,7,10,12,32,240,512,605
func UpdateVPCLMUL256(t *[64][16]byte, y *[16]byte, p []byte, order *Order)

// UpdateReversedVPCLMUL256 is UpdateVPCLMUL256 for POLYVAL.
func UpdateReversedVPCLMUL256(t *[64][16]byte, y *[16]byte, p []byte) {
	UpdateVPCLMUL256(t, y, p, POLYVAL)
}

// FirstPowers512 is the number of powers, and so of blocks per reduction, that
// InitVPCLMUL512 provides.
const FirstPowers512 = 16

// InitVPCLMUL512 writes entries 48 to 63, H^16 to H^1. It needs VPCLMULQDQ and
// AVX-512.
//
//go:noescape
//ct:secret t h
//prove:ghash.init powers=16
func InitVPCLMUL512(t *[64][16]byte, h *[16]byte)

// ExtendVPCLMUL512 writes the other entries. It needs VPCLMULQDQ and AVX-512.
//
//go:noescape
//ct:secret t
//prove:ghash.init powers=64 from=17
func ExtendVPCLMUL512(t *[64][16]byte)

// UpdateVPCLMUL512 reads entries 48 to 63, or all entries if there are more than
// 16 blocks. It needs VPCLMULQDQ and AVX-512.
//
//go:noescape
//ct:secret t y p
//ct:public order
//prove:ghash.update powers=64 order=gcm batches=64:16 n=0,7,16,64,240,512,2100
//prove:ghash.update powers=64 order=reversed batches=64:16 n=7,16,60,1100
func UpdateVPCLMUL512(t *[64][16]byte, y *[16]byte, p []byte, order *Order)

// UpdateReversedVPCLMUL512 is UpdateVPCLMUL512 for POLYVAL.
func UpdateReversedVPCLMUL512(t *[64][16]byte, y *[16]byte, p []byte) {
	UpdateVPCLMUL512(t, y, p, POLYVAL)
}
