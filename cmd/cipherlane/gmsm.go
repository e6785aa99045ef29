package main

// gmsm replaces the hash function and the block cipher of github.com/emmansun/gmsm, with
// all modes for which gmsm asks the block cipher. TestGMSM runs the tests of the module.
var gmsm = substitution{
	path:     "github.com/emmansun/gmsm",
	versions: []string{"v0.44.1"},
	packages: []substitute{
		{dir: "internal/sm3", text: gmsmHashText, tests: []string{"kat_test.go"}, tested: map[string]string{
			"49c4ff8384f49169be8283ca2d002d054a1a2a32d4b297ce4cb8736804049377": "v0.44.1",
		}},
		{dir: "internal/sm4", text: gmsmCipherText, tests: []string{"kat_test.go"}, tested: map[string]string{
			"f5b7675a0385819a032ccba2aad5abe0c428531cf1c71c7eef3b7865acbdeb01": "v0.44.1",
		}},
		{dir: "sm3", text: gmsmSumText, renames: []string{"func Sum("}, tested: map[string]string{
			"18fc213e6497d2f4f488de1fe13fc5480122b673c9061823d179f93170cd015c": "v0.44.1",
		}},
	},
}

const gmsmHashText = `// Package sm3 hands everything on to cipherlane.
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
`

const gmsmSumText = `package sm3

import "github.com/cipherlane/cipherlane/sm3"

func Sum(data []byte) [Size]byte { return sm3.Sum(data) }
`

const gmsmCipherText = `// Package sm4 hands everything on to cipherlane.
package sm4

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"reflect"
	"runtime"
	"strconv"

	"github.com/cipherlane/cipherlane/sm4"

	gcmsiv "github.com/emmansun/gmsm/internal/cipher/gcmsiv"
)

const BlockSize = sm4.BlockSize

type KeySizeError int

func (k KeySizeError) Error() string { return "sm4: invalid key size " + strconv.Itoa(int(k)) }

func NewCipher(key []byte) (cipher.Block, error) {
	if len(key) != sm4.KeySize {
		return nil, KeySizeError(len(key))
	}
	c, err := sm4.New(key)
	if err != nil {
		return nil, err
	}
	return &block{c}, nil
}

// A block has the methods of cipherlane's ciphers, among them those that crypto/cipher and
// gmsm's packages look for: CBC, CTR, GCM, XTS and BC. Others differ in their types.
type block struct{ *sm4.Cipher }

func (b *block) NewCCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	c, err := b.Cipher.NewCCM(nonceSize, tagSize)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (b *block) NewECBEncrypter() cipher.BlockMode { return ecb(b.Cipher.EncryptBlocks) }
func (b *block) NewECBDecrypter() cipher.BlockMode { return ecb(b.Cipher.DecryptBlocks) }

type ecb func(dst, src []byte)

func (ecb) BlockSize() int                { return BlockSize }
func (e ecb) CryptBlocks(dst, src []byte) { e(dst, src) }

// batch is the number of blocks that EncryptBlocks and DecryptBlocks process, however long
// the slices are. It must not be more than 8 because GCM-SIV has arrays of that size.
const batch = 8

func (b *block) Concurrency() int { return batch }

func (b *block) EncryptBlocks(dst, src []byte) { inBatch(b.Cipher.EncryptBlocks, dst, src) }
func (b *block) DecryptBlocks(dst, src []byte) { inBatch(b.Cipher.DecryptBlocks, dst, src) }

func inBatch(crypt func(dst, src []byte), dst, src []byte) {
	if len(src) < batch*BlockSize {
		panic("sm4: input not full blocks")
	}
	if len(dst) < batch*BlockSize {
		panic("sm4: output not full blocks")
	}
	crypt(dst[:batch*BlockSize], src[:batch*BlockSize])
}

// NewGCMSIV is what package gcmsiv looks for. The cipher for the keys of messages is
// newBlock, which need not be SM4.
func (b *block) NewGCMSIV(newBlock func([]byte) (cipher.Block, error), key []byte) (cipher.AEAD, error) {
	f := runtime.FuncForPC(reflect.ValueOf(newBlock).Pointer())
	if f != nil && f.Name() == "github.com/emmansun/gmsm/sm4.NewCipher" {
		return sm4.NewGCMSIV(key)
	}
	return gcmsiv.NewGCMSIV(func(key []byte) (cipher.Block, error) {
		c, err := newBlock(key)
		if b, ok := c.(batches); ok {
			c = withoutSIV{b}
		}
		return c, err
	}, key)
}

type batches interface {
	cipher.Block
	Concurrency() int
	EncryptBlocks(dst, src []byte)
	DecryptBlocks(dst, src []byte)
}

type withoutSIV struct{ batches }

// KATEncryptDecrypt checks the example of GB/T 32907-2016.
func KATEncryptDecrypt() error {
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210")
	want, _ := hex.DecodeString("681edf34d206965e86b3e94f536e4246")
	c, err := NewCipher(key)
	if err != nil {
		return err
	}
	got := make([]byte, BlockSize)
	if c.Encrypt(got, key); !bytes.Equal(got, want) {
		return errors.New("encryption mismatch")
	}
	if c.Decrypt(got, want); !bytes.Equal(got, key) {
		return errors.New("decryption mismatch")
	}
	return nil
}
`
