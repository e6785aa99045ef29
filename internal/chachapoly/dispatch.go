package chachapoly

import (
	"slices"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// kernels has the operations for which drivers may have kernels. _gen/switches writes the
// functions that call these: switch_<goarch>.go. Without a kernel they call …Portable. In this
// order, the portable branch costs the kernels nothing.
type kernels interface {
	// Seal writes the encryption of src to dst, followed by the tag; len(dst) ==
	// len(src) + TagSize.
	Seal(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32)

	// Open is the inverse: len(dst) == len(src) - TagSize. It reports whether the
	// tag is right. If it is not, the caller has to wipe dst.
	Open(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool

	// SealMany is Seal for several packets.
	SealMany(key *[8]uint32, packets []Packet)

	// OpenMany is Open for several packets.
	OpenMany(key *[8]uint32, packets []Packet)

	// XOR is ChaCha20 with an initial state: dst = src ^ keystream, len(dst) ==
	// len(src) > 0. The counter, word 12, wraps around at 32 bits without a carry
	// into word 13. Afterwards the state is as before; nothing else may use it meanwhile.
	XOR(dst, src []byte, state *[16]uint32)

	// HChaCha derives the key of XChaCha20 from a key and the first 16 bytes of
	// the nonce.
	HChaCha(out, key *[8]uint32, nonce *[4]uint32)

	// Blocks continues Poly1305 over whole blocks: h = (h + m + 2^128) r mod
	// 2^130-5, where h[2] <= 4 before and after; r is clamped and len(p) > 0.
	Blocks(h *[3]uint64, r *[2]uint64, p []byte)
}

// PacketRules are the rules of package chacha20poly1305.
//
//switches:default func PacketRules() []drivers.Rule { return nil }

// StreamRules are those of package chacha20.
//
//switches:default func StreamRules() []drivers.Rule { return nil }

// generic is the row of the portable driver in every table.
const generic uint8 = 0

// Wiped is the row of a wiped key. No driver has it, so every operation panics.
const Wiped = 0xff

const noKernel = "chachapoly: driver without a kernel"

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
func Rows() []drivers.Info { return slices.Clone(infos) }

// mustBeGeneric panics if the row is not that of the portable driver: either a kernel is
// missing or the key was wiped.
func mustBeGeneric(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// mustExist panics if there is no such driver, for operations that run the portable code
// with drivers that have no kernel for them.
func mustExist(row uint8) {
	if int(row) >= len(ahead) {
		panic(noKernel)
	}
}

func sealPortable(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	mustBeGeneric(row)
	sealByParts(row, dst, src, ad, key, nonce)
}

func openPortable(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	mustBeGeneric(row)
	return openByParts(row, dst, src, ad, key, nonce)
}

// A Packet is one of several messages under one key. Text is the input and Dst the
// memory for the output; they must overlap entirely or not at all. When sealing, Dst
// has room for the tag after the text. When opening, Text ends with the tag.
type Packet struct {
	Dst, Text, Data []byte
	Nonce           [3]uint32
	OK              bool // set by OpenMany
}

func sealManyPortable(row uint8, key *[8]uint32, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		Seal(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
	}
}

func openManyPortable(row uint8, key *[8]uint32, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		p.OK = Open(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
	}
}

func xorPortable(row uint8, dst, src []byte, state *[16]uint32) {
	mustBeGeneric(row)
	xorGeneric(dst, src, state)
}

func hChaChaPortable(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	mustExist(row)
	hChaChaGeneric(out, key, nonce)
}

func blocksPortable(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	mustBeGeneric(row)
	blocksGeneric(h, r, p)
}

// Ahead returns how many blocks of keystream, at most MaxAhead, the driver generates
// in hardly more time than one. Streams generate that many for short requests.
func Ahead(row uint8) int {
	mustExist(row)
	return int(ahead[row])
}
