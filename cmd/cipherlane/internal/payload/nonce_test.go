package payload

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// numbers are numbers of chunks at which a counter of fewer bytes would begin again.
var numbers = []int64{0, 1, 1<<8 - 1, 1 << 8, 1<<16 - 1, 1 << 16, 1<<24 - 1, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32,
	1<<40 - 1, 1 << 40, 1<<48 - 1, 1 << 48, 1<<56 - 1, 1 << 56, 0x0102030405060708, math.MaxInt64}

// A nonce is the number of the chunk in 11 bytes, and 1 in the last chunk or 0.
func TestNonce(t *testing.T) {
	for _, n := range numbers {
		b := &batch{chunk: n}
		for _, last := range []bool{false, true, false} { // the same batch is used again
			want := [12]byte{}
			big.NewInt(n).FillBytes(want[:11])
			if last {
				want[11] = 1
			}
			if got := b.nonce(last); [12]byte(got) != want {
				t.Errorf("chunk %d, last %v: nonce %x, want %x", n, last, got, want)
			}
		}
	}
}

// A source numbers chunks from what it read before.
func TestSourceNumbers(t *testing.T) {
	for _, n := range numbers[:len(numbers)-1] {
		s := &source{Reader: endless{}, size: chunkSize, chunk: n}
		b := &batch{buf: make([]byte, 3*chunkSize)}
		for i := range int64(3) {
			if s.fill(b); b.chunk != n+3*i || s.chunk != n+3*i+3 {
				t.Errorf("after chunk %d, batch %d begins with %d, and the next one with %d", n, i, b.chunk, s.chunk)
			}
		}
	}
}

// endless reads as many bytes as are wanted, and takes no time to make them.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A traced AEAD appends the nonce instead of a text. It does not open chunk bad.
type traced struct{ bad int64 }

func (traced) NonceSize() int                  { return 12 }
func (traced) Overhead() int                   { return overhead }
func (traced) Seal(dst, n, _, _ []byte) []byte { return append(dst, n...) }

func (a traced) Open(dst, n, _, _ []byte) ([]byte, error) {
	if chunkOf(n) == a.bad {
		return nil, errors.New("not authentic")
	}
	return append(dst, n...), nil
}

func chunkOf(nonce []byte) int64 { return int64(binary.BigEndian.Uint64(nonce[3:])) }

// nonces checks that what is written is the nonces of chunks, one after the other.
type nonces struct {
	next, chunks int64
}

func (w *nonces) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, errors.New("nothing is written")
	}
	for n := p; len(n) > 0; n = n[12:] {
		last := byte(0)
		if w.next == w.chunks-1 {
			last = 1
		}
		if chunkOf(n) != w.next || n[11] != last {
			return 0, fmt.Errorf("nonce %x of chunk %d of %d", n[:12], w.next, w.chunks)
		}
		w.next++
	}
	return len(p), nil
}

// No nonce repeats in a file of more than 4 GiB.
func TestManyChunks(t *testing.T) {
	const chunks = 1<<16 + 3
	for _, jobs := range []int{1, 3} {
		w := &nonces{chunks: chunks}
		err := Encrypt(w, io.LimitReader(endless{}, (chunks-1)*chunkSize+5), traced{-1}, jobs)
		if err != nil || w.next != chunks {
			t.Errorf("encryption, %d jobs: %v after %d chunks", jobs, err, w.next)
		}
		w = &nonces{chunks: chunks}
		err = Decrypt(w, io.LimitReader(endless{}, (chunks-1)*sealedSize+5), traced{-1}, jobs)
		if err != nil || w.next != chunks {
			t.Errorf("decryption, %d jobs: %v after %d chunks", jobs, err, w.next)
		}
		// The error names the chunk.
		var damaged *ChunkError
		err = Decrypt(io.Discard, io.LimitReader(endless{}, chunks*sealedSize), traced{1<<16 + 1}, jobs)
		if !errors.As(err, &damaged) || damaged.Chunk != 1<<16+1 {
			t.Errorf("decryption of a damaged file, %d jobs: %v", jobs, err)
		}
	}
}

// Chunks have 64 KiB, as the specification says.
func TestChunkSize(t *testing.T) {
	w := &nonces{chunks: 2}
	if err := Encrypt(w, io.LimitReader(endless{}, 65537), traced{-1}, 1); err != nil || w.next != 2 {
		t.Errorf("65537 bytes: %d chunks, %v", w.next, err)
	}
	w = &nonces{chunks: 1}
	if err := Encrypt(w, io.LimitReader(endless{}, 65536), traced{-1}, 1); err != nil || w.next != 1 {
		t.Errorf("65536 bytes: %d chunks, %v", w.next, err)
	}
}

// The key of the payload is HKDF-SHA-256 of the file key, with the nonce as salt.
func TestKey(t *testing.T) {
	fileKey, nonce := []byte("a file key of 16"), []byte("nonce of 16 byte")
	prk, err := hkdf.Extract(sha256.New, fileKey, nonce)
	if err != nil {
		t.Fatal(err)
	}
	want, err := hkdf.Expand(sha256.New, prk, "payload", 32)
	if err != nil {
		t.Fatal(err)
	}
	if got := Key(fileKey, nonce); string(got) != string(want) {
		t.Errorf("key %x, want %x", got, want)
	}
}

// In FIPS 140-only mode a key that is too short does not give another key.
func TestKeyFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("a key")
			}
		}()
		Key(make([]byte, 5), make([]byte, NonceSize))
	})
}
