package catalog

import (
	"crypto/cipher"
	"hash"
	"strings"
)

// A family is what differs between packages aes and sm4 in the modes that both have.
type family struct {
	pkg      string
	keySizes []int

	cipher                func(name string, key []byte) (blockCipher, error)
	xts                   func(name string, key []byte) (tweakable, error)
	gcm, ccm, gcmSIV, siv func(name string, key []byte) (cipher.AEAD, error)
	cmac, xcbc            func(name string, key []byte) (hash.Hash, error)
	cbcMany, cmacMany     func(name string, messages []Message) error
	ccmMany, openCCMMany  func(name string, messages []Message) error
}

type blockCipher interface {
	Blocks
	EncryptCTS(dst, src, iv []byte, variant int)
	DecryptCTS(dst, src, iv []byte, variant int)
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCBCDecrypter(iv []byte) cipher.BlockMode
	NewCFBEncrypter(iv []byte) cipher.Stream
	NewCFBDecrypter(iv []byte) cipher.Stream
	NewOFB(iv []byte) cipher.Stream
	NewCTR(iv []byte) cipher.Stream
}

type tweakable interface {
	EncryptTweak(dst, src []byte, tweak *[blockSize]byte)
	DecryptTweak(dst, src []byte, tweak *[blockSize]byte)
}

const blockSize = 16

// complete sets the fields that follow from the name of each algorithm, "cbc(aes)". The
// constructors of modes that only one cipher has are in the list already.
func (f family) complete(list []Algorithm) []Algorithm {
	for i := range list {
		a := &list[i]
		a.Package = f.pkg
		sizes, vector := f.keySizes, blockSize
		mode, _, _ := strings.Cut(a.Name, "(")
		switch mode {
		case "ecb":
			vector = 0
			a.ECB = func(name string, key []byte) (Blocks, error) { return f.cipher(name, key) }
		case "cbc":
			a.BlockMode = directed(f.cipher, blockCipher.NewCBCEncrypter, blockCipher.NewCBCDecrypter)
			a.Many = f.cbcMany
		case "cts":
			a.Whole = whole(f.cipher,
				func(c blockCipher, dst, src, iv []byte) { c.EncryptCTS(dst, src, iv, 3) },
				func(c blockCipher, dst, src, iv []byte) { c.DecryptCTS(dst, src, iv, 3) })
		case "cfb":
			a.Stream = directed(f.cipher, blockCipher.NewCFBEncrypter, blockCipher.NewCFBDecrypter)
		case "ofb":
			a.Stream = directed(f.cipher, blockCipher.NewOFB, blockCipher.NewOFB)
		case "ctr":
			a.Stream = directed(f.cipher, blockCipher.NewCTR, blockCipher.NewCTR)
		case "xts":
			sizes = twice(f.keySizes)
			a.MaxBytes = 16 << 20
			a.Whole = whole(f.xts,
				func(x tweakable, dst, src, iv []byte) { x.EncryptTweak(dst, src, (*[blockSize]byte)(iv)) },
				func(x tweakable, dst, src, iv []byte) { x.DecryptTweak(dst, src, (*[blockSize]byte)(iv)) })
		case "gcm":
			vector = 12
			a.AEAD = f.gcm
		case "ccm":
			vector = 12
			a.MaxBytes = 16<<20 - 1
			a.AEAD, a.Many, a.OpenMany = f.ccm, f.ccmMany, f.openCCMMany
		case "gcm-siv":
			vector = 12
			a.AEAD = f.gcmSIV
		case "siv":
			sizes = twice(f.keySizes)
			a.AEAD, a.TagFirst = f.siv, true
		case "cmac":
			vector = 0
			a.MAC = f.cmac
			a.Many = f.cmacMany
		case "xcbc":
			sizes, vector = []int{16}, 0
			a.MAC = f.xcbc
		case "kw":
			vector = 0
		}
		a.IVSize = vector
		if a.KeySizes == nil {
			a.KeySizes = sizes
		}
	}
	return list
}

// twice returns the sizes of two keys.
func twice(sizes []int) (list []int) {
	for _, n := range sizes {
		list = append(list, 2*n)
	}
	return list
}

// constructor returns a function for all drivers from the functions of a package and of
// its type Driver.
func constructor[T, D any](auto func(key []byte) (T, error), byName func(name string) (D, error), driver func(d D, key []byte) (T, error)) func(name string, key []byte) (T, error) {
	return func(name string, key []byte) (T, error) {
		if name == "" {
			return auto(key)
		}
		d, err := byName(name)
		if err != nil {
			var none T
			return none, err
		}
		return driver(d, key)
	}
}

// aead changes the type of a constructor.
func aead[A cipher.AEAD](new func(name string, key []byte) (A, error)) func(name string, key []byte) (cipher.AEAD, error) {
	return func(name string, key []byte) (cipher.AEAD, error) { return new(name, key) }
}

// mac changes the type of a constructor.
func mac[M hash.Hash](new func(name string, key []byte) (M, error)) func(name string, key []byte) (hash.Hash, error) {
	return func(name string, key []byte) (hash.Hash, error) { return new(name, key) }
}

// method returns the constructor of a mode that a method of the cipher returns.
func method[C, M any](new func(name string, key []byte) (C, error), mode func(c C) M) func(name string, key []byte) (M, error) {
	return func(name string, key []byte) (m M, err error) {
		c, err := new(name, key)
		if err == nil {
			m = mode(c)
		}
		return m, err
	}
}

// directed is for block modes and streams.
func directed[C, M any](new func(name string, key []byte) (C, error), encrypter, decrypter func(c C, iv []byte) M) func(name string, key, iv []byte, encrypt bool) (M, error) {
	return func(name string, key, iv []byte, encrypt bool) (mode M, err error) {
		c, err := new(name, key)
		if err != nil {
			return mode, err
		}
		if encrypt {
			return encrypter(c, iv), nil
		}
		return decrypter(c, iv), nil
	}
}

// whole is for modes that process a message in one call.
func whole[C any](new func(name string, key []byte) (C, error), encrypt, decrypt func(c C, dst, src, iv []byte)) func(name string, key, iv []byte, encrypt bool) (func(dst, src []byte), error) {
	return directed(new,
		func(c C, iv []byte) func(dst, src []byte) {
			return func(dst, src []byte) { encrypt(c, dst, src, iv) }
		},
		func(c C, iv []byte) func(dst, src []byte) {
			return func(dst, src []byte) { decrypt(c, dst, src, iv) }
		})
}
