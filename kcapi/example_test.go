package kcapi_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/cipherlane/cipherlane/kcapi"
)

// A program has to work where Linux does not give the algorithm.
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

// The digest of a file, whose bytes the program never sees.
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

// What was wrong is in the error, for programs and for people.
func ExampleError() {
	_, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(make([]byte, 16)), 0)
	fmt.Println(errors.Is(err, kcapi.ErrSize))
	fmt.Println(err)
	// Output:
	// true
	// kcapi: gcm(aes): open: wrong size: tag of 0 bytes
}

// The key stays in Linux's keyring: the program knows its number only.
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
