package conformance

import (
	"crypto/cipher"
	"math/big"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/driver"
)

// StreamCase is a stream cipher under test: CTR, OFB, or one direction of CFB. The
// constructors are called with keys of the right size. The plaintext of a vector is
// the input, and its ciphertext the output.
type StreamCase struct {
	KeySize, IVSize int

	New, Reference func(key, iv []byte) cipher.Stream

	Keyed  func(key, iv []byte) (cipher.Stream, Wiper) // see [Of]
	NoWipe bool                                        // there is no Wipe method

	Vectors []Vector
}

// Stream tests a stream cipher.
func Stream(t *testing.T, c StreamCase) {
	t.Helper()
	run(t, c.checks())
}

func (c StreamCase) checks() []check {
	xor := func(stream func(key, iv []byte) cipher.Stream) func(key, iv []byte) func(dst, src []byte) {
		return func(key, iv []byte) func(dst, src []byte) { return stream(key, iv).XORKeyStream }
	}
	x := transform{c.KeySize, c.IVSize, 1, false, xor(c.New), xor(c.Reference)}
	return withWiped(c.NoWipe, append(x.checks(),
		check{"Vectors", func(t testing.TB) { x.vectors(t, c.Vectors) }},
		check{"Carries", x.carries},
		check{"IVs", x.ivs}), c.wiped(x))
}

// LongCFB compares the decryption of more than one call of a kernel processes with that of the first
// driver, which is portable. Unlike the suite, it also runs on machines that only emulate a CPU, where
// a driver may have no kernel for CFB.
func LongCFB(t *testing.T, rows []driver.Info, decrypter func(name string, iv []byte) cipher.Stream) {
	const n = 70_000
	r := newRandom(t)
	iv, src := r.bytes(16), r.bytes(n)
	want, got := make([]byte, n), make([]byte, n)
	decrypter(rows[0].Name, iv).XORKeyStream(want, src)
	for _, info := range rows {
		if !info.Available() {
			continue
		}
		for _, first := range []int{0, 1} { // bytes of a call before
			clear(got)
			d := decrypter(info.Name, iv)
			d.XORKeyStream(got[:first], src[:first])
			d.XORKeyStream(got[first:], src[first:])
			equal(t, got, want, "%s, %d bytes and the others", info.Name, first)
		}
	}
}

// carries uses IVs that, as big-endian counters, wrap around at several widths before
// each of the first 260 blocks: in the first, any middle and the last block of
// a kernel's batch, and between batches. For streams without a counter, these are
// ordinary IVs.
func (x transform) carries(t testing.TB) {
	const blocks = 260
	r := newRandom(t)
	key, src := r.bytes(x.keySize), r.bytes(16*blocks)
	got, want := make([]byte, len(src)), make([]byte, len(src))
	for _, bits := range []int{8, 16, 32, 64, 96, 128} {
		if bits > 8*x.ivSize {
			continue
		}
		for _, distance := range wraps(blocks) {
			iv := r.bytes(x.ivSize)
			putCounter(iv[x.ivSize-bits/8:], distance)
			x.reference(key, iv)(want, src)
			x.subject(key, iv)(got, src)
			equal(t, got, want, "carry out of bit %d after %d blocks", bits-1, distance)
		}
	}
}

// wraps returns the numbers of blocks to test before a counter wraps: all from 1 on,
// or with -short those around the powers of two.
func wraps(blocks int) []int {
	list := span(1, blocks-1)
	if testing.Short() {
		list = slices.DeleteFunc(list, func(n int) bool { return (n-1)&n != 0 && (n+1)&n != 0 && (n-2)&(n-1) != 0 })
	}
	return list
}

// putCounter sets ctr to the big-endian number that wraps to 0 after the given number
// of steps.
func putCounter(ctr []byte, steps int) {
	n := big.NewInt(-int64(steps))
	n.Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(ctr))))
	n.FillBytes(ctr)
}
