package sm3_test

import (
	"crypto/hmac"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/cipherlane/cipherlane/sm3"
)

func ExampleSum() {
	fmt.Printf("%x\n", sm3.Sum([]byte("abc")))
	// Output: 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
}

func ExampleNew() {
	h := sm3.New()
	if _, err := io.Copy(h, strings.NewReader("abc")); err != nil { // or from a file
		log.Fatal(err)
	}
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
}

func ExampleNewHMAC() {
	mac := sm3.NewHMAC([]byte("a secret key of 32 random bytes!"))
	mac.Write([]byte("abc"))
	tag := mac.Sum(nil)
	fmt.Printf("%x\n", tag)

	mac.Reset() // for the next message, or to check the tag
	mac.Write([]byte("abc"))
	fmt.Println(hmac.Equal(mac.Sum(nil), tag))
	// Output:
	// 9299b39c04783b950389930a8f65874e6d382c213ad36c5a72da96289abde177
	// true
}

func ExampleHMACMany() {
	mac := sm3.NewHMAC([]byte("a secret key of 32 random bytes!"))
	messages := []sm3.HMACMessage{{MAC: mac, Data: []byte("abc")}, {MAC: mac, Data: []byte("another message")}}
	sm3.HMACMany(messages)
	for _, m := range messages {
		fmt.Printf("%x %s\n", m.Sum[:8], m.Data)
	}
	// Output:
	// 9299b39c04783b95 abc
	// 0597fe3752a952fc another message
}

func ExamplePBKDF2() {
	key := make([]byte, 32)
	sm3.PBKDF2(key, []byte("correct horse battery staple"), []byte("16 random bytes."), 100000)
	fmt.Printf("%x\n", key)
	// Output: 21dd15e27618bd19b0f9ab810331d970fa7e4fb81780c54f4450258ff5f925cb
}

// Two keys from the secret of a key exchange.
func ExampleHKDF() {
	prk := sm3.HKDFExtract([]byte("a shared secret"), []byte("salt"))
	var client, server [16]byte
	sm3.HKDFExpand(client[:], prk[:], []byte("client to server"))
	sm3.HKDFExpand(server[:], prk[:], []byte("server to client"))
	fmt.Printf("%x\n%x\n", client, server)
	// Output:
	// 026c806e4271534204cf24593a4e18ba
	// 17d439dcd2afc0232bb57e3bbd1046dd
}

func ExampleOn() {
	d, err := sm3.On("generic")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", d.Sum([]byte("abc")))
	// Output: 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
}

func ExampleSumMany() {
	messages := []sm3.Message{{Data: []byte("abc")}, {Data: []byte("another message")}}
	sm3.SumMany(messages)
	for _, m := range messages {
		fmt.Printf("%x %s\n", m.Sum[:8], m.Data)
	}
	// Output:
	// 66c7f0f462eeedd9 abc
	// d864436c6f0ae920 another message
}

func ExampleKDF() {
	key := make([]byte, 48)
	sm3.KDF(key, []byte("a shared secret point"))
	fmt.Printf("%x\n", key)
	// Output:
	// 5cea703a148d6960dcac37ee65addeb70f5efb0c1b0b6a9c8da0b1e391b234b9416b0acd480ee53abab90b3e05753f69
}
