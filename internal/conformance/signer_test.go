package conformance

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"slices"
	"testing"
)

// The genuine subject signs and encrypts only in shape: the public key is the
// private one. A signature is a number and its hash with the key and the digest;
// a ciphertext is a random number, the message with a keystream, and a hash.
type toySigner struct {
	key   [32]byte
	wiped bool

	sign    func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error)
	verify  func(k *toySigner, digest, signature []byte) bool
	encrypt func(k *toySigner, message []byte) ([]byte, error)
	decrypt func(k *toySigner, ciphertext []byte) ([]byte, error)
	ecdh    func(k *toySigner, peer *toySigner) ([]byte, error)
	bytes   func(k *toySigner) []byte
	wipe    func(k *toySigner)
}

var toyOrder = [32]byte{0xff, 0xff, 0xff, 0xfe, 31: 0x23}

func toySum(parts ...[]byte) [32]byte { return sha256.Sum256(slices.Concat(parts...)) }

func toySignature(key, nonce, digest []byte) (s [64]byte) {
	r := toySum(nonce)
	v := toySum(key, digest, r[:])
	copy(s[:], r[:])
	copy(s[32:], v[:])
	return s
}

func toyVerify(key, digest, signature []byte) bool {
	if len(digest) != 32 || len(signature) != 64 {
		return false
	}
	v := toySum(key, digest, signature[:32])
	return subtle.ConstantTimeCompare(v[:], signature[32:]) == 1
}

func toyCrypt(key, number, text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(out); i += 32 {
		stream := toySum([]byte("stream"), key, number, []byte{byte(i >> 5), byte(i >> 13)})
		subtle.XORBytes(out[i:], out[i:], stream[:])
	}
	return out
}

func toyEncrypt(key, number, message []byte) []byte {
	tag := toySum([]byte("tag"), key, number, message)
	return slices.Concat(number, toyCrypt(key, number, message), tag[:])
}

func toyDecrypt(key, x []byte) []byte {
	if len(x) <= 64 {
		return nil
	}
	message := toyCrypt(key, x[:32], x[32:len(x)-32])
	if !bytes.Equal(toyEncrypt(key, x[:32], message), x) {
		return nil
	}
	return message
}

func toyECDH(a, b []byte) []byte {
	sum := make([]byte, 32)
	subtle.XORBytes(sum, a, b)
	out := toySum([]byte("ecdh"), sum)
	return out[:]
}

func (k *toySigner) Bytes() []byte {
	if k.bytes != nil {
		return k.bytes(k)
	}
	return bytes.Clone(k.key[:])
}

func (k *toySigner) PublicKey() SignerPublicKey { return k }

func (k *toySigner) SignRaw(random io.Reader, digest []byte) ([64]byte, error) {
	if k.sign != nil {
		return k.sign(k, random, digest)
	}
	return k.genuineSign(random, digest)
}

func (k *toySigner) genuineSign(random io.Reader, digest []byte) ([64]byte, error) {
	if len(digest) != 32 || k.wiped {
		return [64]byte{}, errToy
	}
	nonce := toySum([]byte("nonce"), k.key[:], digest)
	if random != nil {
		rand.Read(nonce[:])
	}
	return toySignature(k.key[:], nonce[:], digest), nil
}

func (k *toySigner) VerifyRaw(digest, signature []byte) bool {
	if k.verify != nil {
		return k.verify(k, digest, signature)
	}
	return toyVerify(k.key[:], digest, signature)
}

func (k *toySigner) Encrypt(message []byte) ([]byte, error) {
	if k.encrypt != nil {
		return k.encrypt(k, message)
	}
	return k.genuineEncrypt(message)
}

func (k *toySigner) genuineEncrypt(message []byte) ([]byte, error) {
	if len(message) == 0 {
		return nil, errToy
	}
	number := make([]byte, 32)
	rand.Read(number)
	return toyEncrypt(k.key[:], number, message), nil
}

func (k *toySigner) Decrypt(ciphertext []byte) ([]byte, error) {
	if k.decrypt != nil {
		return k.decrypt(k, ciphertext)
	}
	return k.genuineDecrypt(ciphertext)
}

func (k *toySigner) genuineDecrypt(ciphertext []byte) ([]byte, error) {
	message := toyDecrypt(k.key[:], ciphertext)
	if message == nil || k.wiped {
		return nil, errToy
	}
	return message, nil
}

func (k *toySigner) ECDH(peer SignerPublicKey) ([]byte, error) {
	if k.ecdh != nil {
		return k.ecdh(k, peer.(*toySigner))
	}
	return k.genuineECDH(peer.(*toySigner))
}

func (k *toySigner) genuineECDH(peer *toySigner) ([]byte, error) {
	if k.wiped {
		return nil, errToy
	}
	return toyECDH(k.key[:], peer.key[:]), nil
}

func (k *toySigner) Wipe() {
	if k.wipe != nil {
		k.wipe(k)
		return
	}
	k.wiped = true
	clear(k.key[:])
}

// toySignerCase is the case of genuine keys, each of them changed.
func toySignerCase(change func(k *toySigner)) SignerCase {
	read := func(key []byte) (*toySigner, error) {
		limit := toyOrder
		limit[31]--
		if len(key) != 32 || bytes.Equal(key, make([]byte, 32)) || bytes.Compare(key, limit[:]) >= 0 {
			return nil, errToy
		}
		k := &toySigner{key: [32]byte(key)}
		if change != nil {
			change(k)
		}
		return k, nil
	}
	key := bytes.Repeat([]byte{7}, 32)
	signature := toySignature(key, []byte{1}, key)
	return SignerCase{
		Order: toyOrder,
		Generate: func() (SignerPrivateKey, error) {
			key := make([]byte, 32)
			rand.Read(key)
			key[0] &= 0x7f
			return read(key)
		},
		Private: func(key []byte) (SignerPrivateKey, error) {
			if k, err := read(key); err == nil {
				return k, nil
			}
			return nil, errToy
		},
		Public: func(key []byte) (SignerPublicKey, error) {
			if k, err := read(key); err == nil {
				return k, nil
			}
			return nil, errToy
		},
		Sign: func(private, digest []byte) []byte {
			nonce := toySum([]byte("nonce"), private, digest)
			s := toySignature(private, nonce[:], digest)
			return s[:]
		},
		Verify:  toyVerify,
		Encrypt: func(public, message []byte) []byte { return toyEncrypt(public, make([]byte, 32), message) },
		Decrypt: toyDecrypt,
		ECDH:    toyECDH,
		Vectors: []SignerVector{{key, key, key, signature[:]}},
	}
}

func TestSigner(t *testing.T) { Signer(t, toySignerCase(nil)) }

func TestSignerMutants(t *testing.T) {
	var list []mutant
	addCase := func(name, check string, change func(c *SignerCase)) {
		c := toySignerCase(nil)
		change(&c)
		list = append(list, mutant{name, check, c.checks()})
	}
	add := func(name, check string, change func(k *toySigner)) {
		list = append(list, mutant{name, check, toySignerCase(change).checks()})
	}
	verify := func(name, check string, f func(k *toySigner, digest, signature []byte) bool) {
		add(name, check, func(k *toySigner) { k.verify = f })
	}
	sign := func(name, check string, f func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error)) {
		add(name, check, func(k *toySigner) { k.sign = f })
	}
	decrypt := func(name, check string, f func(k *toySigner, x []byte) ([]byte, error)) {
		add(name, check, func(k *toySigner) { k.decrypt = f })
	}

	addCase("no vectors", "Vectors", func(c *SignerCase) { c.Vectors = nil })
	addCase("another public key", "Vectors", func(c *SignerCase) { c.Vectors[0].Public = bytes.Repeat([]byte{8}, 32) })
	verify("refuses all", "Vectors", func(*toySigner, []byte, []byte) bool { return false })
	sign("another nonce", "Deterministic", func(k *toySigner, _ io.Reader, digest []byte) ([64]byte, error) {
		return k.genuineSign(rand.Reader, digest)
	})
	sign("wrong for small digests", "Deterministic", func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error) {
		s, err := k.genuineSign(random, digest)
		if digest[0] == 0 {
			s[5] ^= 1
		}
		return s, err
	})
	sign("wrong for digests over the order", "Deterministic", func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error) {
		s, err := k.genuineSign(random, digest)
		if bytes.Equal(digest, toyOrder[:]) {
			s[63] ^= 1
		}
		return s, err
	})
	add("wrong for the largest key", "Deterministic", func(k *toySigner) {
		k.sign = func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error) {
			s, err := k.genuineSign(random, digest)
			if k.key[0] == 0xff && k.key[31] == 0x21 {
				s[0] ^= 1
			}
			return s, err
		}
	})
	verify("refuses some", "Deterministic", func(k *toySigner, digest, s []byte) bool {
		return toyVerify(k.key[:], digest, s) && digest[3] != 0
	})
	addCase("makes the same key every time", "Random", func(c *SignerCase) {
		private := c.Private
		c.Generate = func() (SignerPrivateKey, error) { return private(small(9)) }
	})
	sign("always deterministic", "Random", func(k *toySigner, _ io.Reader, digest []byte) ([64]byte, error) {
		return k.genuineSign(nil, digest)
	})
	sign("wrong with random numbers", "Random", func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error) {
		s, err := k.genuineSign(random, digest)
		if random != nil {
			s[63] ^= 1
		}
		return s, err
	})
	add("makes the same ciphertext every time", "Random", func(k *toySigner) {
		k.encrypt = func(k *toySigner, m []byte) ([]byte, error) {
			return toyEncrypt(k.key[:], make([]byte, 32), m), nil
		}
	})
	verify("accepts all", "Forgeries", func(*toySigner, []byte, []byte) bool { return true })
	verify("does not look at the last byte", "Forgeries", func(k *toySigner, digest, s []byte) bool {
		if len(s) != 64 || len(digest) != 32 {
			return false
		}
		v := toySum(k.key[:], digest, s[:32])
		return bytes.Equal(v[:31], s[32:63])
	})
	verify("does not look at a byte of the digest", "Forgeries", func(k *toySigner, digest, s []byte) bool {
		for b := range 256 {
			d := bytes.Clone(digest)
			if len(d) == 32 {
				d[17] = byte(b)
			}
			if toyVerify(k.key[:], d, s) {
				return true
			}
		}
		return false
	})
	verify("takes more than a signature", "Forgeries", func(k *toySigner, digest, s []byte) bool {
		return toyVerify(k.key[:], digest, s[:min(len(s), 64)])
	})
	sign("signs short digests", "Forgeries", func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error) {
		return k.genuineSign(random, append(bytes.Clone(digest), make([]byte, 32)...)[:32])
	})
	verify("accepts 0", "Range", func(k *toySigner, digest, s []byte) bool {
		return toyVerify(k.key[:], digest, s) || bytes.Equal(s, make([]byte, 64))
	})
	verify("accepts the order", "Range", func(k *toySigner, digest, s []byte) bool {
		return toyVerify(k.key[:], digest, s) || bytes.Equal(s[32:], toyOrder[:])
	})
	for _, bad := range [][]byte{small(0), toyOrder[:], append(toyOrder[:31:31], 0x22)} {
		addCase("takes a wrong key", "Range", func(c *SignerCase) {
			private := c.Private
			c.Private = func(key []byte) (SignerPrivateKey, error) {
				if bytes.Equal(key, bad) {
					return private(small(1))
				}
				return private(key)
			}
		})
	}
	addCase("takes keys that are too long", "Range", func(c *SignerCase) {
		private := c.Private
		c.Private = func(key []byte) (SignerPrivateKey, error) { return private(key[:min(len(key), 32)]) }
	})
	addCase("keeps the caller's key", "Keys", func(c *SignerCase) {
		private := c.Private
		c.Private = func(key []byte) (SignerPrivateKey, error) {
			k, err := private(key)
			if err == nil {
				k.(*toySigner).bytes = func(*toySigner) []byte { return key }
			}
			return k, err
		}
	})
	addCase("changes the key", "Keys", func(c *SignerCase) {
		public := c.Public
		c.Public = func(key []byte) (SignerPublicKey, error) { key[31] ^= 1; return public(key) }
	})
	add("gives its own memory away", "Keys", func(k *toySigner) {
		k.bytes = func(k *toySigner) []byte { return k.key[:] }
	})
	add("encrypts for another", "Encryption", func(k *toySigner) {
		k.encrypt = func(k *toySigner, m []byte) ([]byte, error) { return toyEncrypt(small(1), small(1), m), nil }
		k.decrypt = func(k *toySigner, x []byte) ([]byte, error) { return toyDecrypt(small(1), x), nil }
	})
	add("loses the end of long messages", "Encryption", func(k *toySigner) {
		k.encrypt = func(k *toySigner, m []byte) ([]byte, error) { return k.genuineEncrypt(m[:min(len(m), 4096)]) }
	})
	add("encrypts nothing", "Encryption", func(k *toySigner) {
		k.encrypt = func(k *toySigner, m []byte) ([]byte, error) {
			number := make([]byte, 32)
			rand.Read(number)
			return toyEncrypt(k.key[:], number, m), nil
		}
	})
	decrypt("refuses the ciphertexts of others", "Encryption", func(k *toySigner, x []byte) ([]byte, error) {
		if x[0]|x[1] == 0 {
			return nil, errToy
		}
		return k.genuineDecrypt(x)
	})
	decrypt("does not look at the tag", "Damage", func(k *toySigner, x []byte) ([]byte, error) {
		if len(x) < 65 {
			return nil, errToy
		}
		return toyCrypt(k.key[:], x[:32], x[32:len(x)-32]), nil
	})
	decrypt("gives out what it refuses", "Damage", func(k *toySigner, x []byte) ([]byte, error) {
		if len(x) < 65 {
			return nil, errToy
		}
		_, err := k.genuineDecrypt(x)
		return toyCrypt(k.key[:], x[:32], x[32:len(x)-32]), err
	})
	add("agrees on something else", "Agreement", func(k *toySigner) {
		k.ecdh = func(k, peer *toySigner) ([]byte, error) {
			s, err := k.genuineECDH(peer)
			s[0] ^= 1
			return s, err
		}
	})
	add("agrees wrongly with a small key", "Agreement", func(k *toySigner) {
		k.ecdh = func(k, peer *toySigner) ([]byte, error) {
			s, err := k.genuineECDH(peer)
			if bytes.Equal(k.key[:], small(3)) {
				s[0] ^= 1
			}
			return s, err
		}
	})
	add("cannot be wiped", "Wipe", func(k *toySigner) { k.wipe = func(*toySigner) {} })
	add("signs with zeros", "Wipe", func(k *toySigner) { k.wipe = func(k *toySigner) { clear(k.key[:]) } })
	add("keeps what it was", "Wipe", func(k *toySigner) { k.wipe = func(k *toySigner) { k.wiped = true } })
	decrypt("changes the ciphertext", "Inputs", func(k *toySigner, x []byte) ([]byte, error) {
		m, err := k.genuineDecrypt(x)
		x[0] ^= 1
		return m, err
	})
	verify("changes the signature", "Inputs", func(k *toySigner, digest, s []byte) bool {
		ok := toyVerify(k.key[:], digest, s)
		s[63] ^= 1
		return ok
	})
	decrypt("reads behind the ciphertext", "Guards", func(k *toySigner, x []byte) ([]byte, error) {
		peek(x, len(x))
		return k.genuineDecrypt(x)
	})
	verify("reads in front of the digest", "Guards", func(k *toySigner, digest, s []byte) bool {
		peek(digest, -1)
		return toyVerify(k.key[:], digest, s)
	})
	sign("shares its scratch with other goroutines", "Concurrent", func(k *toySigner, random io.Reader, digest []byte) ([64]byte, error) {
		s, err := k.genuineSign(random, digest)
		if crowded() {
			s[0] ^= 1
		}
		return s, err
	})
	kill(t, toySignerCase(nil).checks(), list)
}
