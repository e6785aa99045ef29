package conformance

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"testing"
)

// The genuine subject is a KEM only in shape: the public key is the private one.
// A ciphertext is random bytes and their hash with the key; the shared key is
// another hash of it.
type toyKEM struct {
	key [32]byte
	mortal

	wrong       func(ciphertext []byte) bool // decapsulation spoils these
	encapsulate func(k *toyKEM, sharedKey, ciphertext []byte) error
	decapsulate func(k *toyKEM, sharedKey, ciphertext []byte) error
	bytes       func(k *toyKEM) []byte
}

var errToy = errors.New("wrong size")

func toyHash(out []byte, domain byte, key *[32]byte, message []byte) {
	var b [1 + 32 + 64]byte
	b[0] = domain
	copy(b[1:], key[:])
	n := copy(b[33:], message)
	sum := sha256.Sum256(b[:33+n])
	copy(out, sum[:])
}

func toyDecapsulate(out []byte, key *[32]byte, ciphertext []byte) {
	var tag [32]byte
	toyHash(tag[:], 1, key, ciphertext[:32])
	if hmac.Equal(tag[:], ciphertext[32:]) {
		toyHash(out, 2, key, ciphertext)
	} else {
		toyHash(out, 3, key, ciphertext)
	}
}

func (k *toyKEM) Bytes() []byte {
	if k.bytes != nil {
		return k.bytes(k)
	}
	if k.dead {
		return nil
	}
	return bytes.Clone(k.key[:])
}

func (k *toyKEM) PublicKey() KEMPublicKey { return k }

func (k *toyKEM) EncapsulateTo(sharedKey, ciphertext []byte) error {
	if k.encapsulate != nil {
		return k.encapsulate(k, sharedKey, ciphertext)
	}
	return k.genuine(sharedKey, ciphertext)
}

func (k *toyKEM) genuine(sharedKey, ciphertext []byte) error {
	if len(sharedKey) != 32 || len(ciphertext) != 64 {
		return errToy
	}
	rand.Read(ciphertext[:32])
	toyHash(ciphertext[32:], 1, &k.key, ciphertext[:32])
	toyHash(sharedKey, 2, &k.key, ciphertext)
	return nil
}

func (k *toyKEM) Encapsulate() (sharedKey, ciphertext []byte) {
	sharedKey, ciphertext = make([]byte, 32), make([]byte, 64)
	if err := k.EncapsulateTo(sharedKey, ciphertext); err != nil {
		panic(err)
	}
	return sharedKey, ciphertext
}

func (k *toyKEM) DecapsulateTo(sharedKey, ciphertext []byte) error {
	if k.decapsulate != nil {
		return k.decapsulate(k, sharedKey, ciphertext)
	}
	return k.back(sharedKey, ciphertext)
}

func (k *toyKEM) back(sharedKey, ciphertext []byte) error {
	if k.dead {
		return errMortal
	}
	if len(sharedKey) != 32 || len(ciphertext) != 64 {
		return errToy
	}
	toyDecapsulate(sharedKey, &k.key, ciphertext)
	if k.wrong != nil && k.wrong(ciphertext) {
		sharedKey[7] ^= 1
	}
	return nil
}

func (k *toyKEM) Decapsulate(ciphertext []byte) ([]byte, error) {
	sharedKey := make([]byte, 32)
	if err := k.DecapsulateTo(sharedKey, ciphertext); err != nil {
		return nil, err
	}
	return sharedKey, nil
}

func readToy(key []byte) (*toyKEM, error) {
	if len(key) != 32 {
		return nil, errToy
	}
	return &toyKEM{key: [32]byte(key)}, nil
}

// toyCase is a KEM that change has spoilt.
func toyCase(change func(k *toyKEM)) KEMCase {
	made := func(k *toyKEM, err error) (*toyKEM, error) {
		if err == nil && change != nil {
			change(k)
		}
		return k, err
	}
	key := bytes.Repeat([]byte{5}, 32)
	right := new(toyKEM)
	right.key = [32]byte(key)
	sharedKey, ciphertext := right.Encapsulate()
	return KEMCase{
		SharedKeySize: 32, CiphertextSize: 64,
		Generate: func() (KEMPrivateKey, error) {
			b := make([]byte, 32)
			rand.Read(b)
			return made(readToy(b))
		},
		Private: func(key []byte) (KEMPrivateKey, error) {
			if k, err := made(readToy(key)); err == nil {
				return k, nil
			}
			return nil, errToy
		},
		Public: func(key []byte) (KEMPublicKey, error) {
			if k, err := made(readToy(key)); err == nil {
				return k, nil
			}
			return nil, errToy
		},
		Reference: func(key, ciphertext []byte) []byte {
			out := make([]byte, 32)
			toyDecapsulate(out, (*[32]byte)(key), ciphertext)
			return out
		},
		EncapsulateMany: func(list []KEMEncapsulation) error {
			for _, e := range list {
				if len(e.SharedKey) != 32 || len(e.Ciphertext) != 64 {
					return errToy
				}
			}
			for _, e := range list {
				if err := e.Key.EncapsulateTo(e.SharedKey, e.Ciphertext); err != nil {
					return err
				}
			}
			return nil
		},
		DecapsulateMany: func(list []KEMDecapsulation) error {
			for _, d := range list {
				if len(d.SharedKey) != 32 || len(d.Ciphertext) != 64 {
					return errToy
				}
				if d.Key.(*toyKEM).dead {
					return errMortal
				}
			}
			for _, d := range list {
				if err := d.Key.DecapsulateTo(d.SharedKey, d.Ciphertext); err != nil {
					return err
				}
			}
			return nil
		},
		Vectors: []KEMVector{{key, key, ciphertext, sharedKey}},
	}
}

func TestKEM(t *testing.T) { KEM(t, toyCase(nil)) }

func TestKEMMutants(t *testing.T) {
	var list []mutant
	addCase := func(name, check string, change func(c *KEMCase)) {
		c := toyCase(nil)
		change(&c)
		list = append(list, mutant{name, check, c.checks()})
	}
	add := func(name, check string, change func(k *toyKEM)) {
		list = append(list, mutant{name, check, toyCase(change).checks()})
	}
	wrongFor := func(name, check string, wrong func(ciphertext []byte) bool) {
		add(name, check, func(k *toyKEM) { k.wrong = wrong })
	}

	add("goes on after Wipe", "Wiped", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error { return (&toyKEM{key: k.key}).back(s, x) }
	})
	add("keeps its bytes after Wipe", "Wiped", func(k *toyKEM) {
		k.bytes = func(k *toyKEM) []byte { return bytes.Clone(k.key[:]) }
	})
	addCase("goes on after Wipe in a batch", "Wiped", func(c *KEMCase) {
		c.DecapsulateMany = func(list []KEMDecapsulation) error {
			for _, d := range list {
				toyDecapsulate(d.SharedKey, &d.Key.(*toyKEM).key, d.Ciphertext)
			}
			return nil
		}
	})
	addCase("no vectors", "Vectors", func(c *KEMCase) { c.Vectors = nil })
	wrongFor("wrong", "Vectors", func([]byte) bool { return true })
	addCase("another public key", "Vectors", func(c *KEMCase) { c.Vectors[0].Public = make([]byte, 32) })
	wrongFor("wrong for this side only", "Agreement", func([]byte) bool { return true })
	add("both sides wrong", "Agreement", func(k *toyKEM) {
		k.encapsulate = func(k *toyKEM, s, x []byte) error { err := k.genuine(s, x); s[7] ^= 1; return err }
		k.wrong = func([]byte) bool { return true }
	})
	addCase("makes the same key every time", "Random", func(c *KEMCase) {
		c.Generate = func() (KEMPrivateKey, error) { return readToy(make([]byte, 32)) }
	})
	add("makes the same ciphertext every time", "Random", func(k *toyKEM) {
		k.encapsulate = func(k *toyKEM, s, x []byte) error {
			clear(x)
			toyHash(x[32:], 1, &k.key, x[:32])
			toyHash(s, 2, &k.key, x)
			return nil
		}
	})
	add("does not look at the last byte", "Rejection", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error {
			y := bytes.Clone(x)
			var tag [32]byte
			toyHash(tag[:], 1, &k.key, x[:32])
			y[63] = tag[31]
			return k.back(s, y)
		}
	})
	add("has one secret for all refusals", "Rejection", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error {
			var tag [32]byte
			if toyHash(tag[:], 1, &k.key, x[:32]); !bytes.Equal(tag[:], x[32:]) {
				toyHash(s, 3, &k.key, nil)
				return nil
			}
			return k.back(s, x)
		}
	})
	add("refuses with random bytes", "Rejection", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error {
			var tag [32]byte
			if toyHash(tag[:], 1, &k.key, x[:32]); !bytes.Equal(tag[:], x[32:]) {
				rand.Read(s)
				return nil
			}
			return k.back(s, x)
		}
	})
	add("refuses with an error", "Rejection", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error {
			var tag [32]byte
			if toyHash(tag[:], 1, &k.key, x[:32]); !bytes.Equal(tag[:], x[32:]) {
				return errToy
			}
			return k.back(s, x)
		}
	})
	addCase("changes the key", "Keys", func(c *KEMCase) {
		c.Private = func(key []byte) (KEMPrivateKey, error) { key[0] ^= 1; return readToy(key) }
	})
	addCase("keeps the caller's key", "Keys", func(c *KEMCase) {
		c.Private = func(key []byte) (KEMPrivateKey, error) {
			k, err := readToy(key)
			k.bytes = func(*toyKEM) []byte { return key }
			return k, err
		}
	})
	add("gives its own memory away", "Keys", func(k *toyKEM) {
		k.bytes = func(k *toyKEM) []byte { return k.key[:] }
	})
	addCase("takes keys that are too long", "Lengths", func(c *KEMCase) {
		private := c.Private
		c.Private = func(key []byte) (KEMPrivateKey, error) { return private(key[:min(len(key), 32)]) }
	})
	addCase("takes public keys that are too long", "Lengths", func(c *KEMCase) {
		public := c.Public
		c.Public = func(key []byte) (KEMPublicKey, error) { return public(key[:min(len(key), 32)]) }
	})
	add("writes before it refuses", "Lengths", func(k *toyKEM) {
		k.encapsulate = func(k *toyKEM, s, x []byte) error { s[0] = 1; return k.genuine(s, x) }
	})
	add("fills a part of the shared key", "Lengths", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error {
			var all [32]byte
			err := k.back(all[:], x)
			copy(s, all[:])
			return err
		}
	})
	add("changes the ciphertext", "Inputs", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error { err := k.back(s, x); x[1] ^= 1; return err }
	})
	add("reads behind the ciphertext", "Guards", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error { peek(x, len(x)); return k.back(s, x) }
	})
	add("writes behind the shared key", "Guards", func(k *toyKEM) {
		k.encapsulate = func(k *toyKEM, s, x []byte) error { touch(s, len(s)); return k.genuine(s, x) }
	})
	add("reads in front of the ciphertext", "Guards", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error { peek(x, -1); return k.back(s, x) }
	})
	addCase("forgets the ninth", "Many", func(c *KEMCase) {
		c.EncapsulateMany = func(list []KEMEncapsulation) error {
			for i, e := range list {
				if i != 8 {
					e.Key.EncapsulateTo(e.SharedKey, e.Ciphertext)
				}
			}
			return nil
		}
	})
	addCase("takes the first key for all", "Many", func(c *KEMCase) {
		c.DecapsulateMany = func(list []KEMDecapsulation) error {
			for _, d := range list {
				list[0].Key.DecapsulateTo(d.SharedKey, d.Ciphertext)
			}
			return nil
		}
	})
	addCase("refuses all if one is changed", "Many", func(c *KEMCase) {
		many := c.DecapsulateMany
		c.DecapsulateMany = func(list []KEMDecapsulation) error {
			err := many(list)
			if len(list) > 1 {
				toyHash(list[0].SharedKey, 3, new([32]byte), nil)
			}
			return err
		}
	})
	addCase("refuses only when it gets there", "ManyRefuses", func(c *KEMCase) {
		c.EncapsulateMany = func(list []KEMEncapsulation) error {
			for _, e := range list {
				if err := e.Key.EncapsulateTo(e.SharedKey, e.Ciphertext); err != nil {
					return err
				}
			}
			return nil
		}
	})
	addCase("passes over wrong sizes", "ManyRefuses", func(c *KEMCase) {
		c.DecapsulateMany = func([]KEMDecapsulation) error { return nil }
	})
	add("shares its scratch with other goroutines", "Concurrent", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error {
			err := k.back(s, x)
			if crowded() {
				s[0] ^= 1
			}
			return err
		}
	})
	add("allocates", "Allocations", func(k *toyKEM) {
		k.decapsulate = func(k *toyKEM, s, x []byte) error { allocate(); return k.back(s, x) }
	})
	add("allocates in encapsulation", "Allocations", func(k *toyKEM) {
		k.encapsulate = func(k *toyKEM, s, x []byte) error { allocate(); return k.genuine(s, x) }
	})
	kill(t, toyCase(nil).checks(), list)
}
