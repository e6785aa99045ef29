package sm4

import (
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/sm4"
)

// An Sm4Cipher has the methods of cipherlane's ciphers, among them those that crypto/cipher
// looks for. It is safe for concurrent use.
type Sm4Cipher struct {
	*sm4.Cipher

	// Only the original functions use these.
	subkeys, block1 []uint32
	block2          []byte
}

func NewCipher(key []byte) (cipher.Block, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	c, err := sm4.New(key)
	if err != nil {
		return nil, err
	}
	return &Sm4Cipher{Cipher: c}, nil
}

func checkKey(key []byte) error {
	if len(key) != BlockSize {
		return errors.New("SM4: invalid key size " + strconv.Itoa(len(key)))
	}
	return nil
}

// Encrypt and Decrypt allow any overlap, and a short dst.
func (c *Sm4Cipher) Encrypt(dst, src []byte) {
	_ = src[BlockSize-1]
	var b [BlockSize]byte
	copy(b[:], src)
	c.Cipher.Encrypt(b[:], b[:])
	copy(dst, b[:])
}

func (c *Sm4Cipher) Decrypt(dst, src []byte) {
	_ = src[BlockSize-1]
	var b [BlockSize]byte
	copy(b[:], src)
	c.Cipher.Decrypt(b[:], b[:])
	copy(dst, b[:])
}

func Sm4Ecb(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		if mode {
			c.EncryptBlocks(dst, src)
		} else {
			c.DecryptBlocks(dst, src)
		}
	})
}

func Sm4Cbc(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		iv := make([]byte, BlockSize)
		copy(iv, IV)
		if mode {
			c.NewCBCEncrypter(iv).CryptBlocks(dst, src)
		} else {
			c.NewCBCDecrypter(iv).CryptBlocks(dst, src)
		}
	})
}

func Sm4CFB(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		if mode {
			c.NewCFBEncrypter(IV[:BlockSize]).XORKeyStream(dst, src)
		} else {
			c.NewCFBDecrypter(IV[:BlockSize]).XORKeyStream(dst, src)
		}
	})
}

func Sm4OFB(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		c.NewOFB(IV[:BlockSize]).XORKeyStream(dst, src)
	})
}

// crypt pads or unpads as the original functions do. They ignore an incomplete block at the
// end, and invalid padding. Unlike them it writes nothing behind the message, and an empty
// ciphertext is an error, not a panic.
func crypt(key, in []byte, encrypt bool, blocks func(c *sm4.Cipher, dst, src []byte)) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	c, err := sm4.New(key)
	if err != nil {
		return nil, err
	}
	if encrypt {
		in = pkcs7Padding(in[:len(in):len(in)])
	} else if len(in) == 0 {
		return nil, errors.New("SM4: the ciphertext is empty")
	}
	out := make([]byte, len(in))
	if n := len(in) / BlockSize * BlockSize; n > 0 {
		blocks(c, out[:n], in[:n])
	}
	if !encrypt {
		out, _ = pkcs7UnPadding(out)
	}
	return out, nil
}
