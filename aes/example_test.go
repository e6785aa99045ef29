package aes_test

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log"

	"github.com/cipherlane/cipherlane/aes"
)

// This is what most programs need: there are no nonces to manage, and modified messages
// are detected.
func ExampleNewGCMWithRandomNonce() {
	key := make([]byte, 32) // AES-256
	rand.Read(key)
	aead, err := aes.NewGCMWithRandomNonce(key)
	if err != nil {
		log.Fatal(err)
	}
	header := []byte("message 1") // authentic, but not encrypted
	sealed := aead.Seal(nil, nil, []byte("attack at dawn"), header)

	opened, err := aead.Open(nil, nil, sealed, header)
	fmt.Printf("%s %v\n", opened, err)

	_, err = aead.Open(nil, nil, sealed, []byte("message 2"))
	fmt.Println(err)
	// Output:
	// attack at dawn <nil>
	// aes: message authentication failed
}

// A protocol that counts its messages can use the count as a nonce.
func ExampleNewGCM() {
	aead, err := aes.NewGCM([]byte("sixteen byte key"))
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, aead.NonceSize())
	for i, text := range []string{"one", "two"} {
		nonce[len(nonce)-1] = byte(i) // never the same twice
		fmt.Printf("%x\n", aead.Seal(nil, nonce, []byte(text), nil))
	}
	// Output:
	// a99f7e8d357689ff41085bc665e8f8f5723b41
	// 3074a38e9498d0c4e72eaae077e5426dd4c0ef
}

// The result can be used wherever a cipher.Block is expected, and crypto/cipher's modes
// use its fast paths.
func ExampleNewCipher() {
	block, err := aes.NewCipher([]byte("sixteen byte key"))
	if err != nil {
		log.Fatal(err)
	}
	stream := cipher.NewCTR(block, make([]byte, aes.BlockSize))
	text := []byte("counter mode")
	stream.XORKeyStream(text, text)
	fmt.Printf("%x\n", text)
	// Output: 6b6fd8b8de171311714eb3cc
}

// Encryption of a disk: every sector is encrypted in place.
func ExampleXTS() {
	key, err := hex.DecodeString("1111111111111111111111111111111122222222222222222222222222222222")
	if err != nil {
		log.Fatal(err)
	}
	x, err := aes.NewXTS(key)
	if err != nil {
		log.Fatal(err)
	}
	sector := []byte("512 bytes, or 4096, of a file system")
	x.Encrypt(sector, sector, 7)
	x.Decrypt(sector, sector, 7)
	fmt.Printf("%s\n", sector)
	// Output: 512 bytes, or 4096, of a file system
}

// Stored keys are encrypted under another key.
func ExampleCipher_WrapKey() {
	kek, err := aes.New([]byte("sixteen byte key"))
	if err != nil {
		log.Fatal(err)
	}
	wrapped, err := kek.WrapKey(nil, []byte("another 16 bytes"))
	if err != nil {
		log.Fatal(err)
	}
	key, err := kek.UnwrapKey(nil, wrapped)
	fmt.Printf("%s %v\n", key, err)

	wrapped[0] ^= 1
	_, err = kek.UnwrapKey(nil, wrapped)
	fmt.Println(err)
	// Output:
	// another 16 bytes <nil>
	// aes: key unwrap: integrity check failed
}

// CBC encryption of one message is slow; several messages side by side are fast.
func ExampleEncryptCBCMany() {
	var messages []aes.CBCMessage
	for i := range 3 {
		c, err := aes.New([]byte(fmt.Sprintf("sixteen byte %03d", i))) // keys may differ
		if err != nil {
			log.Fatal(err)
		}
		text := make([]byte, 16*(i+1)) // lengths, too
		messages = append(messages, aes.CBCMessage{Cipher: c, IV: make([]byte, 16), Dst: text, Src: text})
	}
	aes.EncryptCBCMany(messages)
	fmt.Printf("%x\n", messages[0].Dst)
	// Output: 4f5f96a5a2d6b2e6f12a39b44f66dea7
}

// Tests and benchmarks select a driver by name.
func ExampleOn() {
	d, err := aes.On("generic")
	if err != nil {
		log.Fatal(err)
	}
	c, err := d.New([]byte("sixteen byte key"))
	if err != nil {
		log.Fatal(err)
	}
	block := make([]byte, aes.BlockSize)
	c.Encrypt(block, block)
	c.Decrypt(block, block)
	fmt.Println(block[0])

	_, err = aes.On("turbo")
	fmt.Println(err != nil)
	// Output:
	// 0
	// true
}

// Equal records have equal ciphertexts, so that a database can search for them. The name of the column
// is authenticated.
func ExampleSIV_SealDeterministic() {
	s, err := aes.NewSIV([]byte("sixteen byte key" + "another 16 bytes"))
	if err != nil {
		log.Fatal(err)
	}
	sealed := s.SealDeterministic(nil, []byte("alice@example.com"), []byte("users"), []byte("address"))
	fmt.Printf("%x\n", sealed)

	opened, err := s.OpenDeterministic(nil, sealed, []byte("users"), []byte("address"))
	fmt.Printf("%s %v\n", opened, err)

	_, err = s.OpenDeterministic(nil, sealed, []byte("users"), []byte("name"))
	fmt.Println(err)
	// Output:
	// abb82f297026da93920a8da3541c4c1d2a440a7871689fa15a143e21fd3079f4ae
	// alice@example.com <nil>
	// aes: message authentication failed
}
