package aescore

import "github.com/cipherlane/cipherlane/internal/ghash"

// kernels has the operations for which drivers may have kernels. _gen/switches writes the
// functions that call these, switch_<goarch>.go, and what cuts long data into passes,
// switch_all.go.
//
// In all operations, dst and src have the same length, which is not 0, and overlap
// entirely or not at all. k has been expanded for the driver.
type kernels interface {
	// EncryptBlocks encrypts whole blocks, each independently of the others.
	//
	//switches:passes
	EncryptBlocks(k *Keys, dst, src []byte)

	// DecryptBlocks is the inverse of EncryptBlocks.
	//
	//switches:passes
	DecryptBlocks(k *Keys, dst, src []byte)

	// CBCEncrypt encrypts whole blocks. iv becomes the last ciphertext block.
	//
	//switches:passes
	CBCEncrypt(k *Keys, iv *[BlockSize]byte, dst, src []byte)

	// CBCDecrypt decrypts whole blocks. iv becomes the last ciphertext block.
	//
	//switches:passes
	CBCDecrypt(k *Keys, iv *[BlockSize]byte, dst, src []byte)

	// CBCMAC is [CBCEncrypt] with mac as iv, without the ciphertext. Like the other functions for
	// chains, it processes the first bytes of src and returns their number, which is 0 if the
	// driver has no kernel for it.
	//
	//switches:optional
	CBCMAC(k *Keys, mac *[BlockSize]byte, src []byte) int

	// CFBEncrypt encrypts whole blocks in cipher feedback mode. iv becomes the last ciphertext block.
	//
	//switches:optional
	CFBEncrypt(k *Keys, iv *[BlockSize]byte, dst, src []byte) int

	// CFBDecrypt is the inverse of CFBEncrypt.
	//
	//switches:optional
	CFBDecrypt(k *Keys, iv *[BlockSize]byte, dst, src []byte) int

	// CCM is counter mode over whole blocks, and CBCMAC of the plaintext. The lower 64 bits of the
	// counter must not wrap around.
	//
	//switches:optional
	CCM(k *Keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int

	// CCMText is CCM of a part of a message, or of all of it. Only drivers with the trait CCMText have it.
	//
	//switches:optional
	CCMText(k *Keys, m *CCMPart, decrypt bool) bool

	// CTR is counter mode over any number of bytes. The counter, a big-endian number of 128
	// bits, advances past the last block. Unused keystream of that block goes to the same
	// offsets in rest, which may be nil if src is whole blocks.
	//
	//switches:passes
	CTR(k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte)

	// ctr32 is CTR with the counter of GCM: only the last 32 bits count, and they wrap around.
	// It is for drivers that have no other function for all of GCM.
	ctr32(k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte)

	// XTS encrypts or decrypts whole blocks. tweak, already encrypted, becomes that of the
	// block after them.
	//
	//switches:passes
	XTS(k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool)

	// XTSUnit is XTS for at most MaxPass bytes from the tweak on that is not yet encrypted. The keys
	// first, which have been expanded for the same drivers, encrypt it.
	XTSUnit(k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool)

	// Seal is GCM for the message for which m has begun: it encrypts src, of any length,
	// and sets m.Y to the tag. The hash key is for the GHASH driver of the [Traits].
	Seal(k *Keys, m *ghash.Message, dst, src []byte)

	// Open is the inverse of Seal. It sets m.Y to the right tag, which the caller has to
	// compare with that of the message. If they differ, the caller has to wipe dst.
	Open(k *Keys, m *ghash.Message, dst, src []byte)

	// SealPacket is GCM for a packet whose powers of the hash key have been provided. Its tag goes
	// behind the text at Dst. Only drivers with the trait PacketTag have it.
	//
	//switches:optional
	SealPacket(k *Keys, m *ghash.Packet) bool

	// OpenPacket is the inverse of SealPacket, and returns whether the tag is right, which is behind
	// the text at Src. If it is not, the caller has to wipe the text at Dst.
	//
	//switches:optional
	OpenPacket(k *Keys, m *ghash.Packet) bool

	// NewCTR returns counter mode from a counter on, if the driver has it as an object. If not, it returns nil.
	//
	//switches:optional
	NewCTR(k *Keys, counter *[BlockSize]byte) Stream

	// NewGCM returns GCM, if the driver has it only as a whole. It returns nil with other drivers,
	// and for sizes that the driver does not support.
	//
	//switches:optional
	NewGCM(k *Keys, nonceSize, tagSize int) AEAD

	// CBCEncryptMany encrypts n blocks of each lane, at least 1 and at most 64 KiB.
	// There are at most as many lanes as the Width of the [Traits], which is more than 1; with
	// other drivers, callers use [CBCEncrypt]. All keys have the same number of rounds, and either
	// all lanes have a dst or none has.
	CBCEncryptMany(lanes []Lane, n int)
}

// A Stream is a cipher.Stream, and an AEAD a cipher.AEAD: this package does not import crypto/cipher where
// it has its own kernels. They do not retain buffers.
type (
	Stream interface{ XORKeyStream(dst, src []byte) }
	AEAD   interface {
		Seal(dst, nonce, plaintext, additionalData []byte) []byte
		Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error)
	}
)

// A CCMPart is a message for [CCMText], or a part of it. The input of the MAC is First, Head, and the
// plaintext, padded with zeros to whole blocks. Since it begins with at least one block that is not text,
// counter mode needs no time of its own.
type CCMPart struct {
	MAC, Mask               [BlockSize]byte // results: the CBC-MAC, and the encryption of Counter
	FirstLow, FirstHigh     uint64          // the first block, plus the MAC before it; the first byte is the lowest one
	CounterLow, CounterHigh uint64          // the counter before that of the text; the last 64 bits do not wrap around
	Head                    *byte           // more blocks
	HeadSize                int             // in bytes, at most MaxPass
	Dst, Src                *byte
	Size                    int // of the text in bytes, at most MaxPass
}

// A Lane is one of the streams of blocks of [CBCEncryptMany]. It is empty where no driver has
// kernels for that: the Width of all is 1 then.
//
//switches:default type Lane struct{}

// NewLane returns a lane. iv becomes the last ciphertext block. If dst is nil, nothing else is
// written.
//
//switches:default func NewLane(*Keys, *[BlockSize]byte, *byte, *byte) Lane { panic(noKernel) }

// HasPackets says that there are drivers with the trait PacketTag.
//
//switches:default const HasPackets = false

// HasCCMText says that there are drivers with the trait CCMText.
//
//switches:default const HasCCMText = false

// generic is the row of the portable driver in every table.
const generic uint8 = 0

// Wiped is the row of a wiped key. No driver has it, so every operation panics.
const Wiped = 0xff

// MaxLanes is the number of lanes of the widest kernel of any driver.
const MaxLanes = 16

// MaxAhead is the largest number of bytes of keystream that counter mode generates ahead.
const MaxAhead = 8 * BlockSize

const noKernel = "aes: use of a wiped key"

// MaxPass is the number of bytes that one call of a kernel processes at most, because
// the runtime cannot preempt assembly.
const MaxPass = 64 << 10

// long marks the row of a driver that must process its data in passes. No kernel has such
// a row, so switches call …Default, which removes the mark. This keeps rare cases off the fast
// path: a loop before the switch would cost one call more.
const long = 0x80

// markLong returns the row, marked if n bytes are too many for one pass.
func markLong(row uint8, n int) uint8 {
	if n > MaxPass {
		return row | long
	}
	return row
}

// mustBeGeneric panics if the row is not that of the portable driver: either a kernel is missing
// or the key was wiped.
func mustBeGeneric(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// mustExist panics if there is no such driver, for operations composed of others: before they
// write anything.
func mustExist(row uint8) {
	if int(row) >= len(traits) {
		panic(noKernel)
	}
}

// Traits are the properties of a driver that its callers need.
type Traits struct {
	// Counter mode handles requests of fewer than CTRShort bytes by generating
	// CTRAhead bytes of keystream, and keeps the rest for later requests.
	CTRShort, CTRAhead uint8

	// CTRInCCM is the driver for counter mode in CCM, or 0 if it is this one. Next to instructions of
	// 512 bits, Intel's CPUs have one port instead of two for those of the chain.
	CTRInCCM uint8

	// GHASH is the GHASH driver whose powers of the hash key Seal and Open use.
	GHASH uint8

	// GCMClean says that Seal and Open leave no copy of J0 on the stack.
	GCMClean bool

	// PacketTag is the size of the shortest tag for SealPacket and OpenPacket, or 0 if there are no kernels for
	// them. Text and additional data are together shorter than PacketLimit: longer packets are not faster.
	PacketTag   uint8
	PacketLimit uint16

	CCMText bool // kernels for CCMText

	// The GHASH drivers for GCM-SIV. Since every message has its own hash key, short
	// messages use a driver that needs fewer powers of it. SIVLongBytes is 0 if
	// SIVShort is for all messages. The thresholds are for Zen 5.
	SIVShort, SIVLong uint8
	SIVLongBytes      uint16

	Chains bool // kernels for CBCMAC, CFBEncrypt, CFBDecrypt and CCM

	// Width is the number of lanes that one call of a kernel continues.
	Width uint8

	// NarrowBelow is the number of blocks of a message below which 8 lanes at a time are faster than Width.
	NarrowBelow uint8
}

// TraitsOf returns the properties of a driver.
func TraitsOf(row uint8) *Traits {
	mustExist(row)
	return &traits[row]
}

// genericTraits are those of the portable driver.
var genericTraits = Traits{
	CTRShort: genericPass, CTRAhead: genericPass,
	GHASH: ghash.Generic, SIVShort: ghash.Generic, SIVLong: ghash.Generic,
	Width: 1,
}

// EncryptBlock encrypts one block.
func EncryptBlock(row uint8, k *Keys, dst, src []byte) { encryptBlocksKernel(row, k, dst, src) }

// DecryptBlock decrypts one block.
func DecryptBlock(row uint8, k *Keys, dst, src []byte) { decryptBlocksKernel(row, k, dst, src) }

// xtsUnitPortable also serves drivers that have only kernels for encrypted tweaks.
func xtsUnitPortable(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	encryptBlocksKernel(row, first, tweak[:], tweak[:])
	xtsKernel(row, k, tweak, dst, src, decrypt)
}

func sealPortable(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	mustBeGeneric(row)
	k.portable().gcm(m, dst, src, true)
}

func openPortable(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	mustBeGeneric(row)
	k.portable().gcm(m, dst, src, false)
}
