package frodokem_test

import (
	"bytes"
	"encoding/pem"
	"fmt"

	"github.com/cipherlane/cipherlane/frodokem"
)

// Bob generates a key. Alice derives a shared key from its public half, and Bob
// recovers it from her ciphertext.
func ExampleSet_GenerateKey() {
	bob, err := frodokem.FrodoKEM976AES.GenerateKey()
	if err != nil {
		panic(err)
	}
	public := frodokem.MarshalPKIXPublicKey(bob.EncapsulationKey()) // goes to Alice

	publicKey, err := frodokem.ParsePKIXPublicKey(public)
	if err != nil {
		panic(err)
	}
	sharedKey, ciphertext := publicKey.Encapsulate() // the ciphertext goes to Bob

	found, err := bob.Decapsulate(ciphertext)
	if err != nil {
		panic(err)
	}
	fmt.Println(publicKey.Set(), len(found), bytes.Equal(found, sharedKey))
	// Output: FrodoKEM-976-AES 24 true
}

func ExampleMarshalEncryptedPrivateKey() {
	key, err := frodokem.FrodoKEM1344SHAKE.GenerateKey()
	if err != nil {
		panic(err)
	}
	passphrase := []byte("correct horse battery staple")
	der, err := frodokem.MarshalEncryptedPrivateKey(key, frodokem.Expanded, passphrase, nil)
	if err != nil {
		panic(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}) // for a file

	block, _ := pem.Decode(text)
	restored, err := frodokem.ParseEncryptedPrivateKey(block.Bytes, passphrase, nil)
	if err != nil {
		panic(err)
	}
	public := key.EncapsulationKey().Bytes()
	fmt.Println(restored.Set(), bytes.Equal(restored.EncapsulationKey().Bytes(), public))
	// Output: FrodoKEM-1344-SHAKE true
}

// Generating several shared keys together takes less time per key.
func ExampleEncapsulateMany() {
	set := frodokem.FrodoKEM640AES
	key, err := set.GenerateKey()
	if err != nil {
		panic(err)
	}
	encapsulations := make([]frodokem.Encapsulation, 8)
	decapsulations := make([]frodokem.Decapsulation, 8)
	for i := range encapsulations {
		encapsulations[i] = frodokem.Encapsulation{
			Key:        key.EncapsulationKey(),
			SharedKey:  make([]byte, set.SharedKeySize()),
			Ciphertext: make([]byte, set.CiphertextSize()),
		}
	}
	if err := frodokem.EncapsulateMany(encapsulations); err != nil {
		panic(err)
	}
	for i, e := range encapsulations {
		decapsulations[i] = frodokem.Decapsulation{Key: key, Ciphertext: e.Ciphertext,
			SharedKey: make([]byte, set.SharedKeySize())}
	}
	if err := frodokem.DecapsulateMany(decapsulations); err != nil {
		panic(err)
	}
	fmt.Println(bytes.Equal(encapsulations[7].SharedKey, decapsulations[7].SharedKey))
	// Output: true
}
