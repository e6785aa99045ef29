package chacha20poly1305_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// With 24 bytes, random nonces do not repeat.
func ExampleNewX() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		log.Fatal(err)
	}

	header := []byte("message 1")
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+100)
	rand.Read(nonce)
	message := aead.Seal(nonce, nonce, []byte("attack at dawn"), header) // behind the nonce

	nonce, sealed := message[:aead.NonceSize()], message[aead.NonceSize():]
	opened, err := aead.Open(nil, nonce, sealed, header)
	fmt.Printf("%s %v\n", opened, err)

	_, err = aead.Open(nil, nonce, sealed, []byte("message 2"))
	fmt.Println(err)
	// Output:
	// attack at dawn <nil>
	// chacha20poly1305: message authentication failed
}

// Packets of one session, with their numbers as nonces, sealed in place.
func ExampleAEAD_SealMany() {
	aead, err := chacha20poly1305.NewAEAD(make([]byte, chacha20poly1305.KeySize))
	if err != nil {
		log.Fatal(err)
	}
	texts := []string{"one", "two", "three"}
	packets := make([]chacha20poly1305.Packet, len(texts))
	for i, text := range texts {
		slab := make([]byte, 0, 100)
		slab = append(slab, text...)
		nonce := make([]byte, chacha20poly1305.NonceSize)
		binary.LittleEndian.PutUint64(nonce[4:], uint64(i))
		packets[i] = chacha20poly1305.Packet{Dst: slab[:0], Nonce: nonce, Text: slab}
	}
	if err := aead.SealMany(packets); err != nil {
		log.Fatal(err)
	}

	for i := range packets {
		p := &packets[i]
		p.Dst, p.Text = p.Out[:0], p.Out
	}
	packets[1].Text[0] ^= 1
	fmt.Println(aead.OpenMany(packets))
	for i := range packets {
		fmt.Printf("%q %v\n", packets[i].Out, packets[i].Err)
	}
	// Output:
	// chacha20poly1305: message authentication failed
	// "one" <nil>
	// "" chacha20poly1305: message authentication failed
	// "three" <nil>
}

// On selects a driver by name, for tests and measurements.
func ExampleOn() {
	d, err := chacha20poly1305.On("generic")
	if err != nil {
		log.Fatal(err)
	}
	aead, err := d.New(make([]byte, chacha20poly1305.KeySize))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(aead.Overhead())
	// Output: 16
}
