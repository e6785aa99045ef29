package conformance

import (
	"bytes"
	"crypto/cipher"
	"testing"
)

// A BlockCipher is a block cipher that can also process many blocks in one call:
// all blocks of src, for which dst must have room. It panics if src is not a whole
// number of blocks.
type BlockCipher interface {
	cipher.Block
	EncryptBlocks(dst, src []byte)
	DecryptBlocks(dst, src []byte)
}

// BlockCase is a block cipher under test.
type BlockCase struct {
	KeySize   int
	New       func(key []byte) (BlockCipher, error)
	Reference func(key []byte) (cipher.Block, error)
	Vectors   []Vector
	NoWipe    bool // it has no method Wipe
}

// Block tests a block cipher.
func Block(t *testing.T, c BlockCase) {
	t.Helper()
	run(t, c.checks())
}

func (c BlockCase) checks() []check {
	list := withWiped(c.NoWipe, []check{{"Sizes", c.sizes}, {"Keys", c.keys}}, c.wiped)
	for _, d := range []struct {
		name      string
		one, many func(b BlockCipher, dst, src []byte)
		reference func(b cipher.Block, dst, src []byte)
		vectors   []Vector
	}{
		{"Encrypt", BlockCipher.Encrypt, BlockCipher.EncryptBlocks, cipher.Block.Encrypt, c.Vectors},
		{"Decrypt", BlockCipher.Decrypt, BlockCipher.DecryptBlocks, cipher.Block.Decrypt, swapped(c.Vectors)},
	} {
		x := transform{keySize: c.KeySize, unit: c.blockSize(), shared: true}
		x.reference = func(key, _ []byte) func(dst, src []byte) {
			b := must(c.Reference(key))
			return eachBlock(b, func(dst, src []byte) { d.reference(b, dst, src) })
		}
		single, bulk := x, x
		single.subject = func(key, _ []byte) func(dst, src []byte) {
			b := must(c.New(key))
			return eachBlock(b, func(dst, src []byte) { d.one(b, dst, src) })
		}
		bulk.subject = func(key, _ []byte) func(dst, src []byte) {
			b := must(c.New(key))
			return func(dst, src []byte) { d.many(b, dst, src) }
		}
		vectors := check{"Vectors", func(t testing.TB) { single.vectors(t, d.vectors) }}
		misuse := check{"Misuse", func(t testing.TB) { c.misuse(t, d.one) }}
		list = append(list, prefixed(d.name, append(single.unitChecks(), vectors, misuse))...)

		vectors = check{"Vectors", func(t testing.TB) { bulk.vectors(t, d.vectors) }}
		list = append(list, prefixed(d.name+"Blocks", append(bulk.checks(), vectors))...)
	}
	return list
}

// eachBlock turns a call for single blocks into one for many blocks. It passes the
// rest of the buffers along with each block; only the first block may be processed.
func eachBlock(b cipher.Block, f func(dst, src []byte)) func(dst, src []byte) {
	size := b.BlockSize()
	return func(dst, src []byte) {
		for i := 0; i < len(src); i += size {
			f(dst[i:], src[i:])
		}
	}
}

// must is for constructors with a key of the right size.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (c BlockCase) blockSize() int { return must(c.Reference(make([]byte, c.KeySize))).BlockSize() }

func (c BlockCase) sizes(t testing.TB) {
	b, err := c.New(make([]byte, c.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	if b.BlockSize() != c.blockSize() {
		t.Errorf("block size %d, want %d", b.BlockSize(), c.blockSize())
	}
	for _, n := range []int{0, 1, c.KeySize - 1, c.KeySize + 1, 3 * c.KeySize} {
		if _, err := c.New(make([]byte, n)); err == nil {
			t.Errorf("takes a key of %d bytes", n)
		}
	}
}

// keys checks many keys: random ones, and single-bit keys with single-bit blocks.
func (c BlockCase) keys(t testing.TB) {
	r := newRandom(t)
	size := c.blockSize()
	src, got, want := make([]byte, size), make([]byte, size), make([]byte, size)
	try := func(key []byte) {
		b, err := c.New(key)
		if err != nil {
			t.Fatal(err)
		}
		ref := must(c.Reference(key))
		b.Encrypt(got, src)
		ref.Encrypt(want, src)
		equal(t, got, want, "key %x, Encrypt of %x", key, src)
		b.Decrypt(got, src)
		ref.Decrypt(want, src)
		equal(t, got, want, "key %x, Decrypt of %x", key, src)
	}
	for bit := range 8 * c.KeySize {
		key := make([]byte, c.KeySize)
		try(key)
		key[bit/8] = 1 << (bit % 8)
		try(key)
		clear(src)
		src[bit/8%size] = 1 << (bit % 8)
		try(key)
		clear(src)
	}
	for range 200 {
		r.fill(src)
		try(r.bytes(c.KeySize))
	}
}

// misuse checks the panics of a call for a single block.
func (c BlockCase) misuse(t testing.TB, one func(b BlockCipher, dst, src []byte)) {
	r := newRandom(t)
	b := must(c.New(r.bytes(c.KeySize)))
	size := b.BlockSize()
	src, dst := r.bytes(2*size), make([]byte, 2*size)
	for n := range size {
		misuse(t, "input not full block", dst, "short source", func() { one(b, dst, src[:n]) })
		misuse(t, "output not full block", dst, "short destination", func() { one(b, dst[:n], src) })
	}
	for shift := 1; shift < size; shift++ {
		buffer := bytes.Clone(src)
		misuse(t, "invalid buffer overlap", buffer, "destination inside the source", func() { one(b, buffer[shift:], buffer) })
		misuse(t, "invalid buffer overlap", buffer, "source inside the destination", func() { one(b, buffer, buffer[shift:]) })
	}
}
