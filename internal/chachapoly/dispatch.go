package chachapoly

// This file has every operation once, for all architectures. An operation calls the
// switch over the architecture's kernels in drivers_<goarch>.go, …Kernel, and that
// calls the operation's end in this file, …Portable, if the driver has no kernel for
// it. In this order, the portable branch costs the kernels nothing.

// generic is the row of the portable driver in every table.
const generic uint8 = 0

// Wiped is the row of a wiped key. No driver has it, so every operation panics.
const Wiped = 0xff

const noKernel = "chachapoly: driver without a kernel"

// only panics if the row is not that of the portable driver: either a kernel is missing
// or the key was wiped.
func only(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// known panics if there is no such driver, for operations that run the portable code
// with drivers that have no kernel for them.
func known(row uint8) {
	if int(row) >= len(ahead) {
		panic(noKernel)
	}
}

// Seal writes the encryption of src to dst, followed by the tag; len(dst) ==
// len(src) + TagSize.
func Seal(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	sealKernel(row, dst, src, ad, key, nonce)
}

func sealPortable(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	only(row)
	sealByParts(row, dst, src, ad, key, nonce)
}

// Open is the inverse: len(dst) == len(src) - TagSize. It reports whether the
// tag is right. If it is not, the caller has to wipe dst.
func Open(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return openKernel(row, dst, src, ad, key, nonce)
}

func openPortable(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	only(row)
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

// SealMany is Seal for several packets.
func SealMany(row uint8, key *[8]uint32, packets []Packet) { sealManyKernel(row, key, packets) }

func sealManyPortable(row uint8, key *[8]uint32, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		Seal(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
	}
}

// OpenMany is Open for several packets.
func OpenMany(row uint8, key *[8]uint32, packets []Packet) { openManyKernel(row, key, packets) }

func openManyPortable(row uint8, key *[8]uint32, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		p.OK = Open(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
	}
}

// XOR is ChaCha20 with an initial state: dst = src ^ keystream, len(dst) ==
// len(src) > 0. The counter, word 12, wraps around at 32 bits without a carry
// into word 13. The state is not changed.
func XOR(row uint8, dst, src []byte, state *[16]uint32) { xorKernel(row, dst, src, state) }

func xorPortable(row uint8, dst, src []byte, state *[16]uint32) {
	only(row)
	xorGeneric(dst, src, state)
}

// HChaCha derives the key of XChaCha20 from a key and the first 16 bytes of
// the nonce.
func HChaCha(row uint8, out, key *[8]uint32, nonce *[4]uint32) { hChaChaKernel(row, out, key, nonce) }

func hChaChaPortable(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	known(row)
	hChaChaGeneric(out, key, nonce)
}

// Blocks continues Poly1305 over whole blocks: h = (h + m + 2^128) r mod
// 2^130-5, where h[2] <= 4 before and after; r is clamped and len(p) > 0.
func Blocks(row uint8, h *[3]uint64, r *[2]uint64, p []byte) { blocksKernel(row, h, r, p) }

func blocksPortable(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	only(row)
	blocksGeneric(h, r, p)
}

// Ahead returns how many blocks of keystream, at most MaxAhead, the driver generates
// in hardly more time than one. Streams generate that many for short requests.
func Ahead(row uint8) int {
	known(row)
	return int(ahead[row])
}
