package peers

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/eax"
	"github.com/ProtonMail/go-crypto/ocb"
	josecipher "github.com/go-jose/go-jose/v4/cipher"
	"github.com/gorilla/securecookie"
	"github.com/pion/dtls/v3/pkg/crypto/ccm"
	"github.com/rfjakob/eme"
	"golang.org/x/crypto/xts"

	ours "github.com/cipherlane/cipherlane/aes"
)

// newBlock is the constructor that a library requires: aes.NewCipher of the standard
// library or ours.
type newBlock = func(key []byte) (cipher.Block, error)

// A seam is a place where a library accepts an external AES implementation.
type seam struct {
	name     string
	keySize  int
	multiple int  // lengths must be multiples of this
	random   bool // two results for the same input differ
	// use returns both directions of the library over a block cipher.
	use func(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte)
	// reaches lists our methods that a round trip calls through crypto/cipher, besides
	// Encrypt and Decrypt, in alphabetical order.
	reaches []string
}

var seams = []seam{
	{name: "gorilla/securecookie", keySize: 32, multiple: 1, random: true, use: useCookie, reaches: []string{"NewCTR"}},
	{name: "go-jose A256CBC-HS512", keySize: 64, multiple: 1, use: useCBCHMAC, reaches: []string{"NewCBCDecrypter", "NewCBCEncrypter"}},
	{name: "go-jose key wrap", keySize: 24, multiple: 8, use: useKeyWrap},
	{name: "x/crypto/xts", keySize: 64, multiple: 16, use: useXTS},
	{name: "rfjakob/eme", keySize: 32, multiple: 16, use: useEME},
	{name: "ProtonMail/go-crypto eax", keySize: 16, multiple: 1, use: useAEAD(eax.NewEAX), reaches: []string{"NewCBCEncrypter", "NewCTR"}},
	{name: "ProtonMail/go-crypto ocb", keySize: 24, multiple: 1, use: useAEAD(ocb.NewOCB)},
	{name: "pion/dtls ccm", keySize: 16, multiple: 1, use: useAEAD(newPionCCM), reaches: []string{"NewCTR"}},
}

func useCookie(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte) {
	hashKey := bytes.Repeat([]byte{7}, 32)
	s := securecookie.New(hashKey, key).BlockFunc(aes).SetSerializer(securecookie.NopEncoder{})
	seal = func(p []byte) []byte { // Encode encrypts in place
		return []byte(must(s.Encode("session", bytes.Clone(p)))(t))
	}
	open = func(c []byte) (p []byte) {
		if err := s.Decode("session", string(c), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	return seal, open
}

func useCBCHMAC(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte) {
	return sealOpen(t, must(josecipher.NewCBCHMAC(key, aes))(t))
}

func useKeyWrap(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte) {
	b := must(aes(key))(t)
	seal = func(p []byte) []byte { return must(josecipher.KeyWrap(b, p))(t) }
	open = func(c []byte) []byte { return must(josecipher.KeyUnwrap(b, c))(t) }
	return seal, open
}

func useXTS(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte) {
	x := must(xts.NewCipher(aes, key))(t)
	seal = func(p []byte) []byte { c := make([]byte, len(p)); x.Encrypt(c, p, 1<<40+7); return c }
	open = func(c []byte) []byte { p := make([]byte, len(c)); x.Decrypt(p, c, 1<<40+7); return p }
	return seal, open
}

func useEME(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte) {
	e, tweak := eme.New(must(aes(key))(t)), bytes.Repeat([]byte{3}, 16)
	seal = func(p []byte) []byte { return e.Encrypt(tweak, p) }
	open = func(c []byte) []byte { return e.Decrypt(tweak, c) }
	return seal, open
}

func useAEAD(mode func(cipher.Block) (cipher.AEAD, error)) func(*testing.T, newBlock, []byte) (seal, open func([]byte) []byte) {
	return func(t *testing.T, aes newBlock, key []byte) (seal, open func([]byte) []byte) {
		return sealOpen(t, must(mode(must(aes(key))(t)))(t))
	}
}

func newPionCCM(b cipher.Block) (cipher.AEAD, error) { return ccm.NewCCM(b, 8, 12) }

func sealOpen(t *testing.T, a cipher.AEAD) (seal, open func([]byte) []byte) {
	nonce, data := bytes.Repeat([]byte{5}, a.NonceSize()), []byte("data")
	seal = func(p []byte) []byte { return a.Seal(nil, nonce, p, data) }
	open = func(c []byte) []byte { return must(a.Open(nil, nonce, c, data))(t) }
	return seal, open
}

// must returns a function that returns the value, or fails the test if there was an
// error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A library produces the same bytes over our AES as over the standard library's, and
// each can open the other's output.
func TestAESSeams(t *testing.T) {
	for _, s := range seams {
		t.Run(s.name, func(t *testing.T) {
			for _, n := range []int{16, 32, 48, 128, 256, 1024, 2048} {
				key, p := random(s.keySize), random(n)
				sealOurs, openOurs := s.use(t, ours.NewCipher, key)
				sealStd, openStd := s.use(t, aes.NewCipher, key)
				for extra := 0; extra < 16; extra += s.multiple {
					p := p[:n-extra]
					a, b := sealOurs(p), sealStd(p)
					if !s.random && !bytes.Equal(a, b) {
						t.Errorf("%d bytes: results differ", len(p))
					}
					for direction, got := range map[string][]byte{"ours": openOurs(a), "ours from std": openOurs(b), "std from ours": openStd(a)} {
						if !bytes.Equal(got, p) {
							t.Errorf("%d bytes, %s: not what was sealed", len(p), direction)
						}
					}
				}
			}
		})
	}
}

// A witness is our cipher; it records which of its methods were called.
type witness struct {
	*ours.Cipher
	calls *[]string
}

func (w witness) NewCBCEncrypter(iv []byte) cipher.BlockMode {
	*w.calls = append(*w.calls, "NewCBCEncrypter")
	return w.Cipher.NewCBCEncrypter(iv)
}

func (w witness) NewCBCDecrypter(iv []byte) cipher.BlockMode {
	*w.calls = append(*w.calls, "NewCBCDecrypter")
	return w.Cipher.NewCBCDecrypter(iv)
}

func (w witness) NewCTR(iv []byte) cipher.Stream {
	*w.calls = append(*w.calls, "NewCTR")
	return w.Cipher.NewCTR(iv)
}

func (w witness) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	*w.calls = append(*w.calls, fmt.Sprintf("NewGCM(%d, %d)", nonceSize, tagSize))
	return w.Cipher.NewGCM(nonceSize, tagSize)
}

// Libraries that call cipher.NewCTR and similar functions use our fast methods; the
// others process one block at a time.
func TestAESSeamsReach(t *testing.T) {
	for _, s := range seams {
		var calls []string
		seal, open := s.use(t, func(key []byte) (cipher.Block, error) {
			c, err := ours.New(key)
			return witness{c, &calls}, err
		}, random(s.keySize))
		open(seal(random(48)))
		slices.Sort(calls)
		if calls = slices.Compact(calls); !slices.Equal(calls, s.reaches) {
			t.Errorf("%s reaches %v, want %v", s.name, calls, s.reaches)
		}
	}
}

// The constructors of crypto/cipher return types of our package for our block.
func TestAESStandardConstructors(t *testing.T) {
	const module = "github.com/cipherlane/cipherlane/"
	var calls []string
	b := witness{must(ours.New(random(16)))(t), &calls}
	iv := random(16)
	for _, c := range []struct {
		call string
		made any
		want string // the method that must be called
	}{
		{"NewCBCEncrypter", cipher.NewCBCEncrypter(b, iv), "NewCBCEncrypter"},
		{"NewCBCDecrypter", cipher.NewCBCDecrypter(b, iv), "NewCBCDecrypter"},
		{"NewCTR", cipher.NewCTR(b, iv), "NewCTR"},
		{"NewGCM", must(cipher.NewGCM(b))(t), "NewGCM(12, 16)"},
		{"NewGCMWithNonceSize", must(cipher.NewGCMWithNonceSize(b, 20))(t), "NewGCM(20, 16)"},
		{"NewGCMWithTagSize", must(cipher.NewGCMWithTagSize(b, 13))(t), "NewGCM(12, 13)"},
	} {
		made := reflect.TypeOf(c.made)
		if made.Kind() == reflect.Pointer {
			made = made.Elem()
		}
		if !strings.HasPrefix(made.PkgPath(), module) {
			t.Errorf("cipher.%s returns a %v of %s, want one of ours", c.call, made, made.PkgPath())
		}
		if len(calls) == 0 || calls[0] != c.want {
			t.Errorf("cipher.%s calls %v, want %s", c.call, calls, c.want)
		}
		calls = calls[min(1, len(calls)):]
	}

	// The only constructor that returns an error; ours.NewGCMWithRandomNonce replaces it.
	if _, err := cipher.NewGCMWithRandomNonce(b); err == nil {
		t.Error("cipher.NewGCMWithRandomNonce takes any block by now: say so in package aes")
	}
	std := must(cipher.NewGCMWithRandomNonce(must(aes.NewCipher(iv))(t)))(t)
	own := must(ours.NewGCMWithRandomNonce(iv))(t)
	message := random(100)
	for direction, got := range map[string][]byte{
		"ours from std": must(own.Open(nil, nil, std.Seal(nil, nil, message, iv), iv))(t),
		"std from ours": must(std.Open(nil, nil, own.Seal(nil, nil, message, iv), iv))(t),
	} {
		if !bytes.Equal(got, message) {
			t.Errorf("GCM with random nonce, %s: not what was sealed", direction)
		}
	}
}

// A library that requires a constructor of block ciphers can use aes.NewCipher of this
// library.
func Example_securecookie() {
	hashKey, blockKey := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	cookies := securecookie.New(hashKey, blockKey).BlockFunc(ours.NewCipher)
	value, err := cookies.Encode("user", "Ada")
	if err != nil {
		fmt.Println(err)
	}

	// Cookies made with crypto/aes remain valid, and vice versa.
	var name string
	err = securecookie.New(hashKey, blockKey).Decode("user", value, &name)
	fmt.Println(name, err)
	// Output: Ada <nil>
}

// JSON Web Encryption's A128CBC-HS256 over our AES.
func Example_jose() {
	key, iv := bytes.Repeat([]byte{1}, 32), make([]byte, 16)
	aead, err := josecipher.NewCBCHMAC(key, ours.NewCipher)
	if err != nil {
		fmt.Println(err)
	}
	sealed := aead.Seal(nil, iv, []byte("Hello"), nil)

	standard, err := josecipher.NewCBCHMAC(key, aes.NewCipher)
	if err != nil {
		fmt.Println(err)
	}
	opened, err := standard.Open(nil, iv, sealed, nil)
	fmt.Println(string(opened), err)
	// Output: Hello <nil>
}

// With our block, the standard library's constructor returns our GCM: a program
// need change only one import.
func Example_gcm() {
	key, nonce := make([]byte, 32), make([]byte, 12)
	block, err := ours.NewCipher(key)
	if err != nil {
		fmt.Println(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%T %x\n", aead, aead.Seal(nil, nonce, nil, nil))
	// Output: *aes.GCM 530f8afbc74536b9a963b4f1c4cb738b
}
