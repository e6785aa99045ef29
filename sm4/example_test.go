package sm4_test

import (
	"crypto/cipher"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/cipherlane/cipherlane/sm4"
)

func ExampleNewGCM() {
	key := make([]byte, sm4.KeySize)
	rand.Read(key)
	aead, err := sm4.NewGCM(key)
	if err != nil {
		log.Fatal(err)
	}

	// A nonce must be new for every message under a key.
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	header := []byte("message 1")
	sealed := aead.Seal(nil, nonce, []byte("attack at dawn"), header)

	opened, err := aead.Open(nil, nonce, sealed, header)
	fmt.Printf("%s %v\n", opened, err)

	_, err = aead.Open(nil, nonce, sealed, []byte("message 2"))
	fmt.Println(err)
	// Output:
	// attack at dawn <nil>
	// sm4: message authentication failed
}

// The result can be used wherever a cipher.Block is expected, and crypto/cipher's modes
// use its fast paths.
func ExampleNewCipher() {
	block, err := sm4.NewCipher([]byte("sixteen byte key"))
	if err != nil {
		log.Fatal(err)
	}
	stream := cipher.NewCTR(block, make([]byte, sm4.BlockSize))
	text := []byte("counter mode")
	stream.XORKeyStream(text, text)
	fmt.Printf("%x\n", text)
	// Output: 19266995f684f7c3d5f26efd
}

// CBC encryption of one message is slow; several messages side by side are fast.
func ExampleEncryptCBCMany() {
	var messages []sm4.CBCMessage
	for i := range 3 {
		c, err := sm4.New([]byte(fmt.Sprintf("sixteen byte %03d", i))) // keys may differ
		if err != nil {
			log.Fatal(err)
		}
		text := make([]byte, 16*(i+1)) // lengths, too
		messages = append(messages, sm4.CBCMessage{Cipher: c, IV: make([]byte, 16), Dst: text, Src: text})
	}
	sm4.EncryptCBCMany(messages)
	fmt.Printf("%x\n", messages[0].Dst)
	// Output: a33ba3529530aa2d4dd951c3394b99be
}

// The sector is one wide block: a change anywhere turns all of it into noise.
func ExampleNewHCTR() {
	h, err := sm4.NewHCTR([]byte("sixteen byte key" + "and for the hash"))
	if err != nil {
		log.Fatal(err)
	}
	tweak := [sm4.BlockSize]byte{15: 7} // such as the number of the sector
	sector := []byte("a sector of any length from 16 bytes on")
	h.Encrypt(sector, sector, &tweak)
	h.Decrypt(sector, sector, &tweak)
	fmt.Printf("%s\n", sector)

	h.Encrypt(sector, sector, &tweak)
	sector[20] ^= 1
	h.Decrypt(sector, sector, &tweak)
	fmt.Printf("%x\n", sector[:16])
	// Output:
	// a sector of any length from 16 bytes on
	// 42f7f415b7c53af616376ef151c2214f
}

// Tests and benchmarks select a driver by name.
func ExampleOn() {
	d, err := sm4.On("generic")
	if err != nil {
		log.Fatal(err)
	}
	c, err := d.New([]byte("sixteen byte key"))
	if err != nil {
		log.Fatal(err)
	}
	block := make([]byte, sm4.BlockSize)
	c.Encrypt(block, block)
	c.Decrypt(block, block)
	fmt.Println(block[0])

	_, err = sm4.On("turbo")
	fmt.Println(err != nil)
	// Output:
	// 0
	// true
}
