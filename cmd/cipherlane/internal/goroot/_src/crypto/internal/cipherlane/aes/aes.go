// Package aes is what crypto/internal/fips140/aes and its package gcm call of cipherlane: the
// driver of package aescore that this machine takes, for everything.
package aes

import (
	"crypto/internal/cipherlane/aescore"
	"internal/cipherlane/drivers"
	"internal/cipherlane/ghash"
)

// Keys are round keys.
type Keys = aescore.Keys

// A Hash is the hash key of GCM.
type Hash = ghash.Key

// A Message is the state of GCM for one message. Callers set its Hash: a function that did would
// move the hash key to the heap.
type Message = ghash.Message

var plan = drivers.Register("aes", aescore.Rows()).Auto()

// Row is the driver for single blocks.
var Row = plan.Short()

// Expand sets a key of 16, 24 or 32 bytes.
func Expand(k *Keys, key []byte) { k.Expand(plan, key) }

// EncryptBlock encrypts one block.
func EncryptBlock(k *Keys, dst, src []byte) {
	aescore.EncryptBlock(plan.Short(), k, dst[:aescore.BlockSize], src[:aescore.BlockSize])
}

// DecryptBlock decrypts one block.
func DecryptBlock(k *Keys, dst, src []byte) {
	aescore.DecryptBlock(plan.Short(), k, dst[:aescore.BlockSize], src[:aescore.BlockSize])
}

// CBCEncrypt encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncrypt(k *Keys, iv *[aescore.BlockSize]byte, dst, src []byte) {
	aescore.CBCEncrypt(plan.Serial(), k, iv, dst[:len(src)], src)
}

// CBCDecrypt is the inverse of CBCEncrypt.
func CBCDecrypt(k *Keys, iv *[aescore.BlockSize]byte, dst, src []byte) {
	aescore.CBCDecrypt(plan.Pick(len(src)), k, iv, dst[:len(src)], src)
}

// CTR encrypts or decrypts at least one byte in counter mode.
func CTR(k *Keys, counter, rest *[aescore.BlockSize]byte, dst, src []byte) {
	aescore.CTR(plan.Pick(len(src)), k, counter, dst[:len(src)], src, rest)
}

// InitHash prepares the hash key of GCM.
func InitHash(hash *Hash, k *Keys) {
	var h [aescore.BlockSize]byte
	EncryptBlock(k, h[:], h[:])
	hash.Init(&h, traits.GHASH)
	clear(h[:])
}

var traits = aescore.TraitsOf(plan.Bulk())

// Seal encrypts src. The tag is in m.Y afterwards.
func Seal(m *Message, k *Keys, nonce, dst, src, data []byte) {
	m.Begin(nonce, len(src), data)
	aescore.Seal(plan.Bulk(), k, m, dst[:len(src)], src)
	wipe(m, nonce)
}

// Open decrypts src. The right tag, which nobody may see who brought another, is in m.Y afterwards.
func Open(m *Message, k *Keys, nonce, dst, src, data []byte) {
	m.Begin(nonce, len(src), data)
	aescore.Open(plan.Bulk(), k, m, dst[:len(src)], src)
	wipe(m, nonce)
}

// wipe overwrites the pre-counter block where it is a secret.
func wipe(m *Message, nonce []byte) {
	if len(nonce) != 12 {
		m.Wipe(!traits.GCMClean)
	}
}
