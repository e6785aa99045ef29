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

// HMAC-SM3 with the standard library; crypto/hkdf and crypto/pbkdf2 take
// sm3.New in the same way.
func ExampleNew_hmac() {
	mac := hmac.New(sm3.New, []byte("a secret key of 32 random bytes!"))
	mac.Write([]byte("abc"))
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output: 9299b39c04783b950389930a8f65874e6d382c213ad36c5a72da96289abde177
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
	// Output: 5cea703a148d6960dcac37ee65addeb70f5efb0c1b0b6a9c8da0b1e391b234b9416b0acd480ee53abab90b3e05753f69
}
