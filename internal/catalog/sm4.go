package catalog

import (
	"crypto/cipher"
	"encoding/hex"

	"github.com/cipherlane/cipherlane/sm4"
)

// The modes' answers are those of RFC 8998, appendix A.1 (GCM), and of
// draft-ribose-cfrg-sm4-10, appendix A.2 (the others, example 1).
var sm4Algorithms = []Algorithm{
	{
		Name:     "ecb(sm4)",
		Package:  "sm4",
		Standard: "GB/T 32907-2016",
		KeySizes: []int{sm4.KeySize},
		ECB:      func(name string, key []byte) (Blocks, error) { return newSM4(name, key) },
		Answer: Answer{
			Source: "GB/T 32907-2016, A.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			Input:  unhex("0123456789abcdeffedcba9876543210"),
			Output: unhex("681edf34d206965e86b3e94f536e4246"),
		},
	},
	{
		Name:     "cbc(sm4)",
		Package:  "sm4",
		Standard: "GB/T 17964-2021",
		KeySizes: []int{sm4.KeySize},
		IVSize:   sm4.BlockSize,
		CBC: func(name string, key, iv []byte, encrypt bool) (cipher.BlockMode, error) {
			c, err := newSM4(name, key)
			if err != nil {
				return nil, err
			}
			if encrypt {
				return c.NewCBCEncrypter(iv), nil
			}
			return c.NewCBCDecrypter(iv), nil
		},
		Answer: Answer{
			Source: "draft-ribose-cfrg-sm4-10, A.2.2.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
			Output: unhex("78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"),
		},
	},
	{
		Name:     "ctr(sm4)",
		Package:  "sm4",
		Standard: "GB/T 17964-2021",
		KeySizes: []int{sm4.KeySize},
		IVSize:   sm4.BlockSize,
		Stream: func(name string, key, iv []byte, _ bool) (cipher.Stream, error) {
			c, err := newSM4(name, key)
			if err != nil {
				return nil, err
			}
			return c.NewCTR(iv), nil
		},
		Answer: Answer{
			Source: "draft-ribose-cfrg-sm4-10, A.2.5.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"),
			Output: unhex("ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514"),
		},
	},
	{
		Name:     "gcm(sm4)",
		Package:  "sm4",
		Standard: "NIST SP 800-38D, RFC 8998",
		KeySizes: []int{sm4.KeySize},
		IVSize:   12,
		AEAD: func(name string, key []byte) (cipher.AEAD, error) {
			if name == "" {
				return sm4.NewGCM(key)
			}
			d, err := sm4.On(name)
			if err != nil {
				return nil, err
			}
			return d.NewGCM(key)
		},
		Answer: Answer{
			Source: "RFC 8998, A.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("00001234567800000000abcd"),
			Data:   unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
			Input:  unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"),
			Output: unhex("17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d" +
				"83de3541e4c2b58177e065a9bf7b62ec"),
		},
	},
}

func newSM4(name string, key []byte) (*sm4.Cipher, error) {
	if name == "" {
		return sm4.New(key)
	}
	d, err := sm4.On(name)
	if err != nil {
		return nil, err
	}
	return d.New(key)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err) // a slip in this package
	}
	return b
}
