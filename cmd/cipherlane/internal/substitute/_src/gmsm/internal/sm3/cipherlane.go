// Package sm3 hands everything on to cipherlane.
package sm3

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"errors"
	"hash"

	"github.com/cipherlane/cipherlane/sm3"
)

const (
	Size        = sm3.Size
	SizeBitSize = 5
	BlockSize   = sm3.BlockSize
)

func New() hash.Hash { return &digest{sm3.New()} }

// Kdf is the key derivation function of GB/T 32918.4-2016.
func Kdf(z []byte, keyLen int) []byte {
	if uint64(keyLen+Size-1)/Size >= 1<<32-1 {
		panic("sm3: key length too long")
	}
	key := make([]byte, keyLen)
	sm3.KDF(key, z)
	return key
}

// A digest marshals its state in gmsm's format, which differs from cipherlane's in the
// fourth byte.
type digest struct{ hash.Hash }

const magic, ownMagic = "sm3\x03", "sm3\x01"

// Kdf is what package kdf looks for. Like gmsm's, it leaves a hash of z.
func (d *digest) Kdf(z []byte, keyLen int) []byte {
	key := Kdf(z, keyLen)
	d.Reset()
	d.Write(z)
	return key
}

func (d *digest) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

func (d *digest) AppendBinary(b []byte) ([]byte, error) {
	n := len(b)
	b, err := d.Hash.(encoding.BinaryAppender).AppendBinary(b)
	if err == nil {
		copy(b[n:], magic)
	}
	return b, err
}

func (d *digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("sm3: invalid hash state identifier")
	}
	var state [128]byte
	own := append(append(state[:0], ownMagic...), b[len(magic):]...)
	return d.Hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(own)
}

func (d *digest) Clone() (hash.Cloner, error) {
	c, err := d.Hash.(hash.Cloner).Clone()
	if err != nil {
		return nil, err
	}
	return &digest{c}, nil
}

// known are the examples of GB/T 32905-2016.
var known = [][2]string{
	{"abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"},
	{"abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd", "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"},
}

func check(pieces int) error {
	for _, v := range known {
		h := New()
		for i := range pieces {
			h.Write([]byte(v[0][i*len(v[0])/pieces : (i+1)*len(v[0])/pieces]))
		}
		if want, err := hex.DecodeString(v[1]); err != nil || !bytes.Equal(h.Sum(nil), want) {
			return errors.New("hash mismatch for " + v[0])
		}
	}
	return nil
}

func KATHash() error        { return check(1) }
func KATBlock() error       { return check(1) }
func KATIncremental() error { return check(2) }
