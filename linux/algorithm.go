package linux

import (
	"crypto/cipher"
	"encoding/hex"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// An algorithm describes an algorithm in Linux and this library's implementation of it.
type algorithm struct {
	name       string // in Linux
	socketType string
	ivSize     int
	keySizes   []int
	operations []offload.Operation // one, if both directions are the same

	software func(key []byte) software
	answer   answer
}

// An answer is a known answer for one key size.
type answer struct{ key, iv, data, input, output string }

// software is this library's implementation of an algorithm, with a key. The socket
// type determines which fields are set.
type software struct {
	encrypt, decrypt func(dst, src, iv []byte)
	aead             cipher.AEAD
	digest           func(p []byte) []byte
}

var aesKeys = []int{16, 24, 32}

// algorithms lists all algorithms that may use Linux. The operations of each kind of
// key follow from it.
var algorithms = []*algorithm{
	{
		name: "cbc(aes)", socketType: "skcipher", ivSize: 16, keySizes: aesKeys,
		operations: []offload.Operation{offload.CBCEncrypt, offload.CBCDecrypt},
		software: func(key []byte) software {
			c := must(automaticAES().New(key))
			return software{
				encrypt: func(dst, src, iv []byte) { c.NewCBCEncrypter(iv).CryptBlocks(dst, src) },
				decrypt: func(dst, src, iv []byte) { c.NewCBCDecrypter(iv).CryptBlocks(dst, src) },
			}
		},
		answer: answer{ // NIST SP 800-38A, F.2.1
			key: "2b7e151628aed2a6abf7158809cf4f3c", iv: "000102030405060708090a0b0c0d0e0f",
			input:  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
			output: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
		},
	},
	{
		name: "ctr(aes)", socketType: "skcipher", ivSize: 16, keySizes: aesKeys,
		operations: []offload.Operation{offload.CTR},
		software: func(key []byte) software {
			c := must(automaticAES().New(key))
			return software{encrypt: func(dst, src, iv []byte) { c.NewCTR(iv).XORKeyStream(dst, src) }}
		},
		answer: answer{ // NIST SP 800-38A, F.5.1
			key: "2b7e151628aed2a6abf7158809cf4f3c", iv: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
			input:  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
			output: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
		},
	},
	{
		name: "xts(aes)", socketType: "skcipher", ivSize: 16, keySizes: []int{32, 48, 64},
		operations: []offload.Operation{offload.XTSEncrypt, offload.XTSDecrypt},
		software: func(key []byte) software {
			x := must(automaticAES().NewXTS(key))
			return software{
				encrypt: func(dst, src, iv []byte) { x.EncryptTweak(dst, src, (*[16]byte)(iv)) },
				decrypt: func(dst, src, iv []byte) { x.DecryptTweak(dst, src, (*[16]byte)(iv)) },
			}
		},
		answer: answer{ // IEEE 1619, B, vector 2
			key: "1111111111111111111111111111111122222222222222222222222222222222", iv: "33333333330000000000000000000000",
			input:  "4444444444444444444444444444444444444444444444444444444444444444",
			output: "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
		},
	},
	{
		name: "gcm(aes)", socketType: "aead", ivSize: 12, keySizes: aesKeys,
		operations: []offload.Operation{offload.Seal, offload.Open},
		software:   func(key []byte) software { return software{aead: must(automaticAES().NewGCM(key))} },
		answer: answer{ // McGrew and Viega, The Galois/Counter Mode of Operation, test case 4
			key: "feffe9928665731c6d6a8f9467308308", iv: "cafebabefacedbaddecaf888",
			data:  "feedfacedeadbeeffeedfacedeadbeefabaddad2",
			input: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
			output: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091" +
				"5bc94fbc3221a5db94fae95ae7121a47",
		},
	},
	{
		name: "cbc(sm4)", socketType: "skcipher", ivSize: 16, keySizes: []int{16},
		operations: []offload.Operation{offload.CBCEncrypt, offload.CBCDecrypt},
		software: func(key []byte) software {
			c := must(automaticSM4().New(key))
			return software{
				encrypt: func(dst, src, iv []byte) { c.NewCBCEncrypter(iv).CryptBlocks(dst, src) },
				decrypt: func(dst, src, iv []byte) { c.NewCBCDecrypter(iv).CryptBlocks(dst, src) },
			}
		},
		answer: answer{ // draft-ribose-cfrg-sm4-10, A.2.2.1
			key: "0123456789abcdeffedcba9876543210", iv: "000102030405060708090a0b0c0d0e0f",
			input:  "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb",
			output: "78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d",
		},
	},
	{
		name: "ctr(sm4)", socketType: "skcipher", ivSize: 16, keySizes: []int{16},
		operations: []offload.Operation{offload.CTR},
		software: func(key []byte) software {
			c := must(automaticSM4().New(key))
			return software{encrypt: func(dst, src, iv []byte) { c.NewCTR(iv).XORKeyStream(dst, src) }}
		},
		answer: answer{ // draft-ribose-cfrg-sm4-10, A.2.5.1
			key: "0123456789abcdeffedcba9876543210", iv: "000102030405060708090a0b0c0d0e0f",
			input:  "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd",
			output: "ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7",
		},
	},
	{
		name: "xts(sm4)", socketType: "skcipher", ivSize: 16, keySizes: []int{32},
		operations: []offload.Operation{offload.XTSEncrypt, offload.XTSDecrypt},
		software: func(key []byte) software {
			x := must(automaticSM4().NewXTS(key))
			return software{
				encrypt: func(dst, src, iv []byte) { x.EncryptTweak(dst, src, (*[16]byte)(iv)) },
				decrypt: func(dst, src, iv []byte) { x.DecryptTweak(dst, src, (*[16]byte)(iv)) },
			}
		},
		answer: answer{ // gmsm v0.44.1, for the input of IEEE 1619, B, vector 2
			key: "1111111111111111111111111111111122222222222222222222222222222222", iv: "33333333330000000000000000000000",
			input:  "4444444444444444444444444444444444444444444444444444444444444444",
			output: "a74d726c11196a32be04e001ff29d0c7932f9f3ec29bfcb64dd17f63cbd3ea31",
		},
	},
	{
		name: "gcm(sm4)", socketType: "aead", ivSize: 12, keySizes: []int{16},
		operations: []offload.Operation{offload.Seal, offload.Open},
		software:   func(key []byte) software { return software{aead: must(automaticSM4().NewGCM(key))} },
		answer: answer{ // RFC 8998, A.1
			key: "0123456789abcdeffedcba9876543210", iv: "00001234567800000000abcd",
			data:  "feedfacedeadbeeffeedfacedeadbeefabaddad2",
			input: "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa",
			output: "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d" +
				"83de3541e4c2b58177e065a9bf7b62ec",
		},
	},
	{
		name: "sm3", socketType: "hash", keySizes: []int{0},
		operations: []offload.Operation{hashing},
		software: func([]byte) software {
			return software{digest: func(p []byte) []byte { s := sm3.Sum(p); return s[:] }}
		},
		answer: answer{ // GB/T 32905-2016, A.1
			input:  hex.EncodeToString([]byte("abc")),
			output: "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0",
		},
	},
}

// hashing is the operation for hashes, which package offload does not have.
const hashing = offload.Operation(offload.Operations)

// Objects of these drivers never go to Linux.
func automaticAES() aes.Driver { return must(aes.On(automatic("aes"))) }
func automaticSM4() sm4.Driver { return must(sm4.On(automatic("sm4"))) }

// automatic returns the name of the driver that a package selects for long input.
func automatic(pkg string) string {
	t := drivers.Find(pkg)
	return t.Drivers()[t.Auto().Bulk()].Name
}

// kinds lists the algorithms for each kind of key.
var kinds = [...][]string{
	offload.AES:    {"cbc(aes)", "ctr(aes)", "gcm(aes)"},
	offload.AESXTS: {"xts(aes)"},
	offload.SM4:    {"cbc(sm4)", "ctr(sm4)", "gcm(sm4)"},
	offload.SM4XTS: {"xts(sm4)"},
}

func must[T any](v T, err error) T {
	if err != nil {
		panic("linux: " + err.Error())
	}
	return v
}

// options returns the options for opening sockets.
func (p *provider) options(slow bool) []kcapi.Option {
	list := []kcapi.Option{kcapi.PoolSize(2)} // engines do one or two things at a time
	if slow {
		list = append(list, kcapi.Timeout(p.timeout))
	}
	return list
}
