package conformance

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// The genuine subjects are AES and SHA-256 of the standard library. It has the
// modes of AES twice: made for it, and as generic code of crypto/cipher for block
// ciphers that it does not recognise. One is the reference of the other.

func TestBlock(t *testing.T)     { Block(t, aesCase) }
func TestBlockMode(t *testing.T) { BlockMode(t, cbcCase) }
func TestStream(t *testing.T)    { Stream(t, ctrCase) }

// The standard library's GCM supports either another nonce size or another tag
// size, not both.
func TestAEAD(t *testing.T) {
	t.Run("nonces", func(t *testing.T) { AEAD(t, gcmCase) })
	t.Run("tags", func(t *testing.T) { AEAD(t, gcmTagCase) })
}

var sha256Case = HashCase{
	New:       sha256.New,
	Reference: sha256.New,
	Sum:       func(dst, p []byte) []byte { s := sha256.Sum256(p); return append(dst, s[:]...) },
	Layout: func(state []byte) (chaining, length []byte) {
		return state[4 : 4+sha256.Size], state[len(state)-8:]
	},
	Vectors: []HashVector{ // FIPS 180-2, appendix B
		{[]byte("abc"), unhex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")},
	},
}

// block is AES as a block cipher that crypto/cipher does not recognise.
type block struct {
	cipher.Block
	*mortal
}

func newBlock(key []byte) (BlockCipher, error) {
	b, err := aes.NewCipher(key)
	return block{b, new(mortal)}, err
}

func (b block) Encrypt(dst, src []byte) { b.check(); b.Block.Encrypt(dst, src) }
func (b block) Decrypt(dst, src []byte) { b.check(); b.Block.Decrypt(dst, src) }

func (b block) EncryptBlocks(dst, src []byte) { b.blocks(dst, src, b.Encrypt) }
func (b block) DecryptBlocks(dst, src []byte) { b.blocks(dst, src, b.Decrypt) }

func (b block) blocks(dst, src []byte, one func(dst, src []byte)) {
	if len(src)%16 != 0 {
		panic("aes: input not full blocks")
	}
	if len(dst) < len(src) {
		panic("aes: output smaller than input")
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		panic("aes: invalid buffer overlap")
	}
	for i := 0; i < len(src); i += 16 {
		one(dst[i:], src[i:])
	}
}

var aesCase = BlockCase{
	KeySize:   16,
	New:       newBlock,
	Reference: aes.NewCipher,
	Vectors: []Vector{ // FIPS 197, appendix C.1
		{unhex("000102030405060708090a0b0c0d0e0f"), nil,
			unhex("00112233445566778899aabbccddeeff"), unhex("69c4e0d86a7b0430d8cdb78070b4c55a")},
	},
}

var cbcCase = BlockModeCase{
	KeySize: 16,
	IVSize:  16,
	Encrypter: func(key, iv []byte) cipher.BlockMode {
		return cipher.NewCBCEncrypter(must(aes.NewCipher(key)), iv)
	},
	Decrypter: func(key, iv []byte) cipher.BlockMode {
		return cipher.NewCBCDecrypter(must(aes.NewCipher(key)), iv)
	},
	ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode {
		return cipher.NewCBCEncrypter(must(newBlock(key)), iv)
	},
	ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode {
		return cipher.NewCBCDecrypter(must(newBlock(key)), iv)
	},
	KeyedEncrypter: Of(newMortal, mortalMode(cipher.NewCBCEncrypter)),
	KeyedDecrypter: Of(newMortal, mortalMode(cipher.NewCBCDecrypter)),
	Vectors: []Vector{ // NIST SP 800-38A, F.2.1
		{unhex("2b7e151628aed2a6abf7158809cf4f3c"), unhex("000102030405060708090a0b0c0d0e0f"),
			unhex("6bc1bee22e409f96e93d7e117393172a"), unhex("7649abac8119b246cee98e9b12e9197d")},
	},
}

// The subject is the generic CTR: that for AES panics with another message.
var ctrCase = StreamCase{
	KeySize: 16,
	IVSize:  16,
	New: func(key, iv []byte) cipher.Stream {
		return cipher.NewCTR(must(newBlock(key)), iv)
	},
	Keyed: Of(newMortal, func(b mortalCipher, iv []byte) cipher.Stream {
		return mortalStream{cipher.NewCTR(b, iv), b.(block).mortal}
	}),
	Reference: func(key, iv []byte) cipher.Stream {
		return cipher.NewCTR(must(aes.NewCipher(key)), iv)
	},
	Vectors: []Vector{ // NIST SP 800-38A, F.5.1
		{unhex("2b7e151628aed2a6abf7158809cf4f3c"), unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
			unhex("6bc1bee22e409f96e93d7e117393172a"), unhex("874d6191b620e3261bef6864990db6ce")},
	},
}

var gcmVectors = []AEADVector{{ // McGrew and Viega, The Galois/Counter Mode of Operation, test case 4
	Key:            unhex("feffe9928665731c6d6a8f9467308308"),
	Nonce:          unhex("cafebabefacedbaddecaf888"),
	AdditionalData: unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
	Plaintext: unhex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
		"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
	Ciphertext: unhex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e" +
		"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091" +
		"5bc94fbc3221a5db94fae95ae7121a47"),
}}

var gcmCase = AEADCase{
	KeySize:    16,
	NonceSizes: []int{12, 1, 2, 7, 8, 11, 13, 15, 16, 17, 31, 32},
	TagSizes:   []int{16},
	New: func(key []byte, nonceSize, _ int) (cipher.AEAD, error) {
		return newMortalAEAD(cipher.NewGCMWithNonceSize(must(aes.NewCipher(key)), nonceSize))
	},
	Reference: func(key []byte, nonceSize, _ int) (cipher.AEAD, error) {
		return cipher.NewGCMWithNonceSize(must(newBlock(key)), nonceSize)
	},
	NonceFor: func(key []byte, j0 [16]byte) []byte { return GCMNonce(must(aes.NewCipher(key)), j0) },
	Vectors:  gcmVectors,
}

var gcmTagCase = AEADCase{
	KeySize:    16,
	NonceSizes: []int{12},
	TagSizes:   []int{16, 12, 13, 14, 15},
	New: func(key []byte, _, tagSize int) (cipher.AEAD, error) {
		return newMortalAEAD(cipher.NewGCMWithTagSize(must(aes.NewCipher(key)), tagSize))
	},
	Reference: func(key []byte, _, tagSize int) (cipher.AEAD, error) {
		return cipher.NewGCMWithTagSize(must(newBlock(key)), tagSize)
	},
	Vectors: gcmVectors,
}

func unhex(s string) []byte { return must(hex.DecodeString(s)) }

// TestGCMNonce looks at the first counter block: the encryption of zeros is that
// of the counter after it.
func TestGCMNonce(t *testing.T) {
	b := must(aes.NewCipher([]byte("sixteen byte key")))
	var j0, ctr, want [16]byte
	for i := range j0 {
		j0[i] = byte(17 * i)
	}
	ctr = j0
	ctr[15] = 0 // 255 and one, without the carry into …
	ctr[14]++   // … this one
	b.Encrypt(want[:], ctr[:])
	a := must(cipher.NewGCMWithNonceSize(b, 16))
	sealed := a.Seal(nil, GCMNonce(b, j0), make([]byte, 16), nil)
	equal(t, sealed[:16], want[:], "the first block of the key stream")
}

// TestLengths checks that shorter lists still cover what they should.
func TestLengths(t *testing.T) {
	for _, unit := range []int{1, 16} {
		for what, list := range map[string][]int{"lengths": lengths(unit), "fewLengths": fewLengths(unit)} {
			seen := map[int]bool{}
			for i, n := range list {
				if n%unit != 0 || n > maxLength || i > 0 && n <= list[i-1] {
					t.Errorf("%s(%d) has %d", what, unit, n)
				}
				seen[n] = true
			}
			for _, n := range []int{0, 16, 32, 48, 64, 80, 128, 256, 512, 1008, 1024, 1040} {
				if !seen[n] {
					t.Errorf("%s(%d) lacks %d", what, unit, n)
				}
			}
			if what == "lengths" && (!seen[4080] || !seen[4096] || !seen[maxLength]) || what == "lengths" && unit == 1 && !seen[4095] {
				t.Errorf("%s(%d) lacks the longest", what, unit)
			}
		}
	}
	if n := len(lengths(1)); !testing.Short() && n != maxLength+1 {
		t.Errorf("lengths(1) are %d", n)
	}
}

func TestPutCounter(t *testing.T) {
	for _, c := range []struct {
		size, steps int
		want        string
	}{{1, 1, "ff"}, {1, 256, "00"}, {1, 257, "ff"}, {2, 1, "ffff"}, {2, 256, "ff00"}, {4, 3, "fffffffd"}} {
		ctr := make([]byte, c.size)
		putCounter(ctr, c.steps)
		if hex.EncodeToString(ctr) != c.want {
			t.Errorf("%d steps before %d bytes wrap: got %x, want %s", c.steps, c.size, ctr, c.want)
		}
	}
}
