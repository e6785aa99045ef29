package kcapi_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/cipherlane/cipherlane/kcapi"
)

// A program must be able to work where Linux does not provide the algorithm.
func ExampleOpenHash() {
	digest := func(p []byte) ([]byte, error) {
		h, err := kcapi.OpenHash("sha256")
		if err != nil {
			sum := sha256.Sum256(p)
			return sum[:], nil
		}
		defer h.Close()
		return h.Digest(nil, p)
	}
	sum, err := digest([]byte("abc"))
	fmt.Printf("%x %v\n", sum, err)
	// Output:
	// ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad <nil>
}

// The digest of a file that the program does not read itself.
func ExampleHashState_ReadFrom() {
	h, err := kcapi.OpenHash("sha256")
	if err != nil {
		log.Print(err)
		return
	}
	defer h.Close()
	state, err := h.NewState()
	if err != nil {
		log.Print(err)
		return
	}
	defer state.Close()
	f, err := os.Open("/etc/hostname")
	if err != nil {
		log.Print(err)
		return
	}
	defer f.Close()
	if _, err := io.Copy(state, f); err != nil {
		log.Print(err)
		return
	}
	sum, err := state.Sum(nil)
	fmt.Printf("%x %v\n", sum, err)
}

// Go's HMAC with a hash from Linux.
func ExampleHash_NewHash() {
	new := sha256.New
	if h, err := kcapi.OpenHash("sha256"); err == nil {
		defer h.Close()
		new = h.NewHash
	}
	mac := hmac.New(new, []byte("key"))
	io.WriteString(mac, "The quick brown fox jumps over the lazy dog")
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output:
	// f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8
}

// AES-CBC by the engine of a SpacemiT K1 if Linux has it and lets programs use it, by what Linux
// has instead, or by Go. Key, IV and text are those of go-kcapi's example.
func ExampleOpenCipher() {
	key, iv, text := []byte("--YOUR-AES-KEY--"), []byte("--YOUR-AES--IV--"), []byte("--Hello,世界--")
	encrypt := func(dst, src []byte) error {
		for _, name := range []string{"__driver-cbc-aes-spacemit-ce1", "cbc(aes)"} {
			c, err := kcapi.OpenCipher(name, kcapi.Bytes(key))
			if err != nil {
				continue // errors.Is(err, kcapi.ErrMasked): Linux 7.2 and later hide the engine
			}
			defer c.Close()
			return c.Encrypt(dst, src, iv)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return err
		}
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(dst, src)
		return nil
	}
	out := make([]byte, len(text))
	err := encrypt(out, text)
	fmt.Printf("%x %v\n", out, err)
	// Output:
	// d57b7738a2d589e0a42ca7424f6d47ed <nil>
}

// A file is encrypted while it is read.
func ExampleCipher_NewStream() {
	c, err := kcapi.OpenCipher("ctr(aes)", kcapi.Bytes(make([]byte, 16)))
	if err != nil {
		log.Print(err)
		return
	}
	defer c.Close()
	stream, err := c.NewStream(make([]byte, 16)) // the IV must be new for every file
	if err != nil {
		log.Print(err)
		return
	}
	f, err := os.Open("/etc/hostname")
	if err != nil {
		log.Print(err)
		return
	}
	defer f.Close()
	n, err := io.Copy(io.Discard, cipher.StreamReader{S: stream, R: f})
	log.Print(n, err)
}

// A cipher.AEAD for a library that needs one.
func ExampleAEAD_NewAEAD() {
	a, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(make([]byte, 16)), 16)
	if err != nil {
		log.Print(err)
		return
	}
	defer a.Close()
	aead, err := a.NewAEAD()
	if err != nil {
		log.Print(err)
		return
	}
	log.Printf("%x", aead.Seal(nil, make([]byte, aead.NonceSize()), []byte("attack at dawn"), nil))
}

// Deriving two keys from one secret.
func ExampleHKDF() {
	keys, err := kcapi.HKDF("hmac(sha256)", []byte("secret"), []byte("salt"), []byte("example of two keys"), 64)
	if err != nil {
		log.Print(err)
		return
	}
	encryption, authentication := keys[:32], keys[32:]
	log.Print(len(encryption), len(authentication))
}

func ExampleOpenAEAD() {
	key, nonce := make([]byte, 16), make([]byte, 12) // a nonce must be new for every message
	var sealed []byte
	aead, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(key), 16)
	if err == nil {
		defer aead.Close()
		sealed, err = aead.Seal(nil, nonce, []byte("attack at dawn"), []byte("header"))
	}
	if err != nil {
		block, _ := aes.NewCipher(key)
		gcm, _ := cipher.NewGCM(block)
		sealed = gcm.Seal(nil, nonce, []byte("attack at dawn"), []byte("header"))
	}
	fmt.Printf("%x\n", sealed)
	// Output:
	// 62fcaeaf03dd83f38708a6d806dc3ca8344c8498bf759e12464bf417a4d9
}

// Errors describe what was wrong, for programs and for people.
func ExampleError() {
	_, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(make([]byte, 16)), 0)
	fmt.Println(errors.Is(err, kcapi.ErrSize))
	fmt.Println(err)
	// Output:
	// true
	// kcapi: gcm(aes): open: wrong size: tag of 0 bytes
}

// The key stays in Linux's keyring: the program knows only its serial number.
func ExampleSerial() {
	cipher, err := kcapi.OpenCipher("cbc(aes)", kcapi.Serial(0x2f3a0b17))
	if err != nil {
		log.Print(err)
		return
	}
	defer cipher.Close()
	text := []byte(strings.Repeat("sixteen bytes...", 4))
	if err := cipher.Encrypt(text, text, make([]byte, 16)); err != nil {
		log.Print(err)
	}
}
