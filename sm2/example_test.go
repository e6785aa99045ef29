package sm2_test

import (
	"crypto/rand"
	"encoding/pem"
	"fmt"

	"github.com/cipherlane/cipherlane/sm2"
)

func ExamplePrivateKey_SignMessage() {
	key, err := sm2.GenerateKey()
	if err != nil {
		panic(err)
	}
	message := []byte("a message")
	signature, err := key.SignMessage(rand.Reader, message, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(key.PublicKey().VerifyMessage(message, signature, nil))
	// Output: true
}

func ExamplePublicKey_Encrypt() {
	key, err := sm2.GenerateKey()
	if err != nil {
		panic(err)
	}
	ciphertext, err := key.PublicKey().Encrypt([]byte("a secret"), sm2.ASN1)
	if err != nil {
		panic(err)
	}
	message, err := key.Decrypt(nil, ciphertext, sm2.ASN1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", message)
	// Output: a secret
}

func ExampleMarshalEncryptedPrivateKey() {
	key, err := sm2.GenerateKey()
	if err != nil {
		panic(err)
	}
	passphrase := []byte("correct horse battery staple")
	der, err := sm2.MarshalEncryptedPrivateKey(key, passphrase, nil)
	if err != nil {
		panic(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}) // for a file

	block, _ := pem.Decode(text)
	back, err := sm2.ParseEncryptedPrivateKey(block.Bytes, passphrase, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(back.Equal(key))
	// Output: true
}

// Messages of several signers are signed and verified together.
func ExampleSignMany() {
	messages := []string{"one", "two", "three"}
	signings := make([]sm2.Signing, len(messages))
	verifications := make([]sm2.Verification, len(messages))
	keys := make([]*sm2.PrivateKey, len(messages))
	if err := sm2.GenerateMany(keys); err != nil {
		panic(err)
	}
	for i, key := range keys {
		digest, err := key.PublicKey().Digest([]byte(messages[i]), nil)
		if err != nil {
			panic(err)
		}
		signings[i] = sm2.Signing{Key: key, Digest: digest[:]}
	}
	if err := sm2.SignMany(rand.Reader, signings); err != nil {
		panic(err)
	}
	for i := range signings {
		s := &signings[i]
		verifications[i] = sm2.Verification{Key: s.Key.PublicKey(), Digest: s.Digest, Signature: s.DER()}
	}
	fmt.Println(sm2.VerifyMany(verifications))
	// Output: true
}
