// Package sm4 hands everything on to cipherlane.
package sm4

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
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

// NewXTSEncrypter and NewXTSDecrypter are what package xts looks for.
func (b *block) NewXTSEncrypter(tweak *[BlockSize]byte, isGB bool) cipher.BlockMode {
	return newXTS(b.Cipher.NewXTSEncrypter, tweak, isGB)
}

func (b *block) NewXTSDecrypter(tweak *[BlockSize]byte, isGB bool) cipher.BlockMode {
	return newXTS(b.Cipher.NewXTSDecrypter, tweak, isGB)
}

// An xts continues after 16 MiB, where cipherlane's XTS panics, because gmsm's does.
type xts struct {
	cipher.BlockMode
	start func(tweak *[BlockSize]byte, isGB bool) cipher.BlockMode
	tweak [BlockSize]byte
	isGB  bool
	left  int // before the next start
}

const xtsPart = 1 << 23

func newXTS(start func(*[BlockSize]byte, bool) cipher.BlockMode, tweak *[BlockSize]byte, isGB bool) *xts {
	return &xts{start(tweak, isGB), start, *tweak, isGB, xtsPart}
}

func (x *xts) CryptBlocks(dst, src []byte) {
	for len(src) >= x.left+BlockSize && len(dst) >= len(src) {
		if x.left > 0 {
			x.BlockMode.CryptBlocks(dst[:x.left], src[:x.left])
		}
		dst, src = dst[x.left:], src[x.left:]
		for range xtsPart / BlockSize {
			x.double()
		}
		x.BlockMode, x.left = x.start(&x.tweak, x.isGB), xtsPart
	}
	x.BlockMode.CryptBlocks(dst, src)
	x.left = max(0, x.left-len(src))
}

// double multiplies the tweak by x in GF(2^128), in the bit order of IEEE 1619 or GB/T
// 17964-2021.
func (x *xts) double() {
	if x.isGB {
		high, low := binary.BigEndian.Uint64(x.tweak[:]), binary.BigEndian.Uint64(x.tweak[8:])
		binary.BigEndian.PutUint64(x.tweak[:], high>>1^-(low&1)&(0xe1<<56))
		binary.BigEndian.PutUint64(x.tweak[8:], low>>1|high<<63)
		return
	}
	low, high := binary.LittleEndian.Uint64(x.tweak[:]), binary.LittleEndian.Uint64(x.tweak[8:])
	binary.LittleEndian.PutUint64(x.tweak[:], low<<1^-(high>>63)&0x87)
	binary.LittleEndian.PutUint64(x.tweak[8:], high<<1|low>>63)
}

// NewGCMSIV is what package gcmsiv looks for. The cipher for the keys of messages is
// newBlock, which need not be SM4.
func (b *block) NewGCMSIV(newBlock func([]byte) (cipher.Block, error), key []byte) (cipher.AEAD, error) {
	f := runtime.FuncForPC(reflect.ValueOf(newBlock).Pointer())
	if f != nil && f.Name() == "github.com/emmansun/gmsm/sm4.NewCipher" {
		g, err := sm4.NewGCMSIV(key)
		if err != nil {
			return nil, err // not a nil *sm4.GCMSIV in an interface
		}
		return g, nil
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
