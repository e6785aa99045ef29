package catalog

import (
	"crypto/cipher"
	"encoding/binary"

	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

const sunscreen = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."

var chacha20Algorithms = []Algorithm{
	{
		// Linux and OpenSSL have an IV of 16 bytes: the counter, little-endian, and
		// the nonce.
		Name:     "chacha20",
		Package:  "chacha20",
		Standard: "RFC 8439",
		KeySizes: []int{chacha20.KeySize},
		IVSize:   4 + chacha20.NonceSize,
		Stream: func(name string, key, iv []byte, _ bool) (cipher.Stream, error) {
			c, err := newChaCha20(name, key, iv[4:])
			if err != nil {
				return nil, err
			}
			c.SetCounter(binary.LittleEndian.Uint32(iv))
			return c, nil
		},
		Answer: Answer{
			Source: "RFC 8439, 2.4.2",
			Key:    unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
			IV:     unhex("01000000000000000000004a00000000"),
			Input:  []byte(sunscreen),
			Output: unhex("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357" +
				"1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736" +
				"5af90bbf74a35be6b40b8eedf2785e42874d"),
		},
	},
	{
		Name:     "rfc7539(chacha20,poly1305)",
		Package:  "chacha20poly1305",
		Standard: "RFC 8439",
		KeySizes: []int{chacha20poly1305.KeySize},
		IVSize:   chacha20poly1305.NonceSize,
		AEAD:     newChaChaPoly,
		Many:     chachaMany(newChaChaPoly, (*chacha20poly1305.AEAD).SealMany),
		OpenMany: chachaMany(newChaChaPoly, (*chacha20poly1305.AEAD).OpenMany),
		Answer: Answer{
			Source: "RFC 8439, 2.8.2",
			Key:    unhex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
			IV:     unhex("070000004041424344454647"),
			Data:   unhex("50515253c0c1c2c3c4c5c6c7"),
			Input:  []byte(sunscreen),
			Output: unhex("d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b" +
				"1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc" +
				"3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691"),
		},
	},
	{
		Name:     "xchacha20-poly1305", // Linux's crypto API does not have it
		Package:  "chacha20poly1305",
		Standard: "draft-irtf-cfrg-xchacha-03",
		KeySizes: []int{chacha20poly1305.KeySize},
		IVSize:   chacha20poly1305.NonceSizeX,
		AEAD:     newXChaChaPoly,
		Many:     chachaMany(newXChaChaPoly, (*chacha20poly1305.AEAD).SealMany),
		OpenMany: chachaMany(newXChaChaPoly, (*chacha20poly1305.AEAD).OpenMany),
		Answer: Answer{
			Source: "draft-irtf-cfrg-xchacha-03, A.3.1",
			Key:    unhex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
			IV:     unhex("404142434445464748494a4b4c4d4e4f5051525354555657"),
			Data:   unhex("50515253c0c1c2c3c4c5c6c7"),
			Input:  []byte(sunscreen),
			Output: unhex("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39" +
				"ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9" +
				"21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49"),
		},
	},
}

func newChaCha20(name string, key, nonce []byte) (*chacha20.Cipher, error) {
	if name == "" {
		return chacha20.NewUnauthenticatedCipher(key, nonce)
	}
	d, err := chacha20.On(name)
	if err != nil {
		return nil, err
	}
	return d.NewUnauthenticatedCipher(key, nonce)
}

var (
	newChaChaPoly  = constructor(chacha20poly1305.New, chacha20poly1305.On, chacha20poly1305.Driver.New)
	newXChaChaPoly = constructor(chacha20poly1305.NewX, chacha20poly1305.On, chacha20poly1305.Driver.NewX)
)
