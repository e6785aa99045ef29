package conformance

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// A brokenAEAD is GCM with hooks that can replace its methods.
type brokenAEAD struct {
	cipher.AEAD
	overhead int
	seal     func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte
	open     func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error)
}

func (b brokenAEAD) Overhead() int { return b.AEAD.Overhead() + b.overhead }

func (b brokenAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	if b.seal != nil {
		return b.seal(b.AEAD, dst, nonce, plaintext, data)
	}
	return b.AEAD.Seal(dst, nonce, plaintext, data)
}

func (b brokenAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if b.open != nil {
		return b.open(b.AEAD, dst, nonce, ciphertext, data)
	}
	return b.AEAD.Open(dst, nonce, ciphertext, data)
}

var errOpen = errors.New("message authentication failed")

// decrypt opens a message whatever its tag is. It finds the right tag by decrypting
// the ciphertext with CTR and sealing the result.
func decrypt(a cipher.AEAD, dst, nonce, ciphertext, data []byte) []byte {
	ciphertext = ciphertext[:max(len(ciphertext)-16, 0)]
	n := len(ciphertext)
	plaintext := slices.Clone(a.Seal(nil, nonce, ciphertext, nil)[:n])
	return append(dst, plaintext...)
}

// rightTag returns the tag that a message should have.
func rightTag(a cipher.AEAD, nonce, ciphertext, data []byte) []byte {
	plaintext := decrypt(a, nil, nonce, ciphertext, data)
	return a.Seal(nil, nonce, plaintext, data)[len(plaintext):]
}

func TestAEADMutants(t *testing.T) {
	type seal = func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte
	type open = func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error)

	var list []mutant
	change := func(name, check string, f func(a cipher.AEAD, key []byte) cipher.AEAD) {
		c := gcmCase
		c.New = func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			a, err := gcmCase.New(key, nonceSize, tagSize)
			if err != nil {
				return nil, err
			}
			return f(a, key), nil
		}
		list = append(list, mutant{name, check, c.checks()})
	}
	add := func(name, check string, s seal, o open) {
		change(name, check, func(a cipher.AEAD, _ []byte) cipher.AEAD { return brokenAEAD{AEAD: a, seal: s, open: o} })
	}
	// both is called after every Seal and every successful Open, with the bytes
	// that were appended.
	both := func(name, check string, f func(out, in, data []byte)) {
		add("Seal "+name, check, func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
			got := a.Seal(dst, nonce, plaintext, data)
			f(got[len(dst):], plaintext, data)
			return got
		}, nil)
		add("Open "+name, check, nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
			got, err := a.Open(dst, nonce, ciphertext, data)
			if err == nil {
				f(got[len(dst):], ciphertext, data)
			}
			return got, err
		})
	}
	spoil := func(name, check string, condition func(out, in, data []byte) bool) {
		both(name, check, func(out, in, data []byte) { flip(out, out, condition(out, in, data)) })
	}
	// reject takes over when the tag is wrong; n is the length of the plaintext.
	reject := func(name, check string, f func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error)) {
		add(name, check, nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
			backup := bytes.Clone(ciphertext)
			got, err := a.Open(dst, nonce, ciphertext, data)
			if err != nil {
				return f(a, dst, nonce, backup, data, max(len(ciphertext)-16, 0))
			}
			return got, err
		})
	}

	after := func(name string, s seal, o open) {
		change(name+" after Wipe", "Wiped", func(a cipher.AEAD, key []byte) cipher.AEAD {
			m := a.(mortalAEAD)
			return struct {
				brokenAEAD
				*mortal
			}{brokenAEAD{AEAD: m, seal: s, open: o}, m.mortal}
		})
	}
	after("Seal goes on", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.(mortalAEAD).AEAD.Seal(dst, nonce, plaintext, data)
	}, nil)
	after("Open goes on", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.(mortalAEAD).AEAD.Open(dst, nonce, ciphertext, data)
	})
	after("Open panics", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		a.(mortalAEAD).check()
		return a.Open(dst, nonce, ciphertext, data)
	})
	spoil("wrong", "Vectors", func(out, in, data []byte) bool { return true })
	change("says it adds 17 bytes", "Sizes", func(a cipher.AEAD, _ []byte) cipher.AEAD { return brokenAEAD{AEAD: a, overhead: 1} })
	spoil("wrong at 4095 bytes", "Lengths", func(out, in, data []byte) bool { return len(in) == 4095 || len(out) == 4095 })
	add("both ways wrong at 4095 bytes", "Lengths", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		if len(plaintext) == 4095 {
			data = nil
		}
		return a.Seal(dst, nonce, plaintext, data)
	}, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		if len(ciphertext) == 4095+16 {
			data = nil
		}
		return a.Open(dst, nonce, ciphertext, data)
	})
	add("has additional data of at most 255 bytes", "AdditionalData", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(dst, nonce, plaintext, data[:min(len(data), 255)])
	}, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.Open(dst, nonce, ciphertext, data[:min(len(data), 255)])
	})

	add("Seal drops the prefix", "Append", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(dst[:0], nonce, plaintext, data)
	}, nil)
	add("Open drops the prefix", "Append", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.Open(dst[:0], nonce, ciphertext, data)
	})
	add("Seal does not use the room there is", "Append", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(slices.Clip(dst), nonce, plaintext, data)
	}, nil)
	add("Open does not use the room there is", "Append", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.Open(slices.Clip(dst), nonce, ciphertext, data)
	})
	add("Open loses the prefix when it grows", "Append", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		got, err := a.Open(dst, nonce, ciphertext, data)
		if err == nil && !same(got, dst) {
			clear(got[:len(dst)])
		}
		return got, err
	})
	both("writes whole blocks", "Append", func(out, in, data []byte) {
		clear(out[len(out):min(cap(out), (len(out)+15)&^15)])
	})
	spoil("wrong in place", "InPlace", func(out, in, data []byte) bool { return same(out, in) })
	add("wants header and payload apart", "InPlace", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		if alias.AnyOverlap(dst, data) {
			panic("invalid buffer overlap")
		}
		return a.Seal(dst, nonce, plaintext, data)
	}, nil)
	reject("leaves decrypted bytes in place", "InPlace", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		if n > 16 {
			copy(dst[len(dst):cap(dst)], decrypt(a, nil, nonce, ciphertext, data)[:n/2])
		}
		return nil, errOpen
	})

	add("counts in the caller's nonce", "Inputs", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		dst = a.Seal(dst, nonce, plaintext, data)
		nonce[len(nonce)-1]++
		return dst
	}, nil)
	add("decrypts in place", "Inputs", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		plaintext, err := a.Open(ciphertext[:0], nonce, ciphertext, data)
		if err != nil {
			return nil, err
		}
		return append(dst, plaintext...), nil
	})
	both("changes the additional data", "Inputs", func(out, in, data []byte) { flip(data, data, true) })
	change("keeps the caller's key", "Inputs", func(a cipher.AEAD, key []byte) cipher.AEAD {
		return brokenAEAD{AEAD: a, seal: func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
			return must(gcmCase.New(key, a.NonceSize(), 16)).Seal(dst, nonce, plaintext, data)
		}}
	})

	add("Seal takes any nonce", "Misuse", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(dst, append(bytes.Clone(nonce), make([]byte, 12)...)[:12], plaintext, data)
	}, nil)
	add("Open takes any nonce", "Misuse", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.Open(dst, append(bytes.Clone(nonce), make([]byte, 12)...)[:12], ciphertext, data)
	})
	add("Seal allows any overlap", "Misuse", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(dst, nonce, bytes.Clone(plaintext), data)
	}, nil)
	add("Open allows any overlap", "Misuse", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.Open(dst, nonce, bytes.Clone(ciphertext), data)
	})
	add("Seal allows overlap with the additional data", "Misuse", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(dst, nonce, plaintext, bytes.Clone(data))
	}, nil)
	add("Open allows overlap with the additional data", "Misuse", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		return a.Open(dst, nonce, ciphertext, bytes.Clone(data))
	})
	add("Seal does not look where the tag goes", "Misuse", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		if n := len(dst) + len(plaintext); n <= cap(dst) && !alias.InexactOverlap(dst[len(dst):n], plaintext) {
			plaintext = bytes.Clone(plaintext)
		}
		return a.Seal(dst, nonce, plaintext, data)
	}, nil)
	add("Seal writes the tag over the additional data", "Misuse", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		if n := len(dst) + len(plaintext); n <= cap(dst) && !alias.AnyOverlap(dst[len(dst):n], data) {
			data = bytes.Clone(data)
		}
		return a.Seal(dst, nonce, plaintext, data)
	}, nil)

	reject("does not wipe", "Forgeries", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		decrypt(a, dst, nonce, ciphertext, data)
		return nil, errOpen
	})
	reject("wipes all but the last byte", "Forgeries", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		plaintext := decrypt(a, dst, nonce, ciphertext, data)[len(dst):]
		clear(plaintext[:max(n-1, 0)])
		return nil, errOpen
	})
	reject("wipes more than its own", "Forgeries", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		clear(dst[len(dst):cap(dst)])
		return nil, errOpen
	})
	reject("returns the plaintext with the error", "Forgeries", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		return dst[:len(dst)+n], errOpen
	})
	for bit := range 8 {
		reject(fmt.Sprintf("ignores bit %d of the last byte of the tag", bit), "Forgeries", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
			if len(ciphertext) >= 16 {
				ciphertext[len(ciphertext)-1] ^= 1 << bit
			}
			return a.Open(dst, nonce, ciphertext, data)
		})
	}
	reject("compares 12 bytes of the tag", "Forgeries", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		if right := rightTag(a, nonce, ciphertext, data); len(ciphertext) >= 16 && bytes.Equal(right[:12], ciphertext[n:n+12]) {
			return decrypt(a, dst, nonce, ciphertext, data), nil
		}
		return nil, errOpen
	})
	add("does not authenticate the end of the additional data", "Forgeries", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		return a.Seal(dst, nonce, plaintext, data)
	}, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		got, err := a.Open(dst, nonce, ciphertext, data)
		for x := 0; err != nil && len(data) > 0 && x < 256; x++ {
			data = append(data[:len(data)-1:len(data)-1], byte(x))
			got, err = a.Open(dst, nonce, ciphertext, data)
		}
		return got, err
	})
	reject("takes a truncated tag", "Truncation", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		if short := 16 - 4; len(ciphertext) >= short { // what is left of 16 when 4 are gone
			padded := append(bytes.Clone(ciphertext), 0, 0, 0, 0)
			if right := rightTag(a, nonce, padded, data); bytes.Equal(right[:12], ciphertext[len(ciphertext)-12:]) {
				return decrypt(a, dst, nonce, padded, data), nil
			}
		}
		return nil, errOpen
	})
	add("panics on short messages", "Truncation", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		_ = ciphertext[len(ciphertext)-16:]
		return a.Open(dst, nonce, ciphertext, data)
	})
	add("ignores what follows", "Truncation", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		got, err := a.Open(dst, nonce, ciphertext, data)
		if err != nil && len(ciphertext) > 16 {
			return a.Open(dst, nonce, ciphertext[:len(ciphertext)-1], data)
		}
		return got, err
	})
	spoil("wrong for some outputs", "Misaligned", func(out, in, data []byte) bool { return offset(out) == 13 })
	spoil("wrong for some inputs", "Misaligned", func(out, in, data []byte) bool { return offset(in) == 61 })
	spoil("wrong for some additional data", "Misaligned", func(out, in, data []byte) bool { return offset(data) == 7 })
	both("reads behind its input", "Guards", func(out, in, data []byte) { peek(in, len(in)) })
	both("reads in front of its input", "Guards", func(out, in, data []byte) { peek(in, -1) })
	both("reads behind the additional data", "Guards", func(out, in, data []byte) { peek(data, len(data)) })
	both("reads in front of the additional data", "Guards", func(out, in, data []byte) { peek(data, -1) })
	both("writes behind its output", "Guards", func(out, in, data []byte) { touch(out, len(out)) })
	both("writes in front of its output", "Guards", func(out, in, data []byte) { touch(out, -1) })
	both("reads a whole block for a tail of one byte", "Guards", func(out, in, data []byte) {
		if n := len(data); n%16 == 1 {
			peek(data, n+14)
		}
	})
	add("writes a whole block for a tail of one byte", "Guards", nil, func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
		got, err := a.Open(dst, nonce, ciphertext, data)
		if n := len(got) - len(dst); err == nil && n%16 == 1 {
			touch(got, len(got)+14)
		}
		return got, err
	})
	add("reads 16 bytes of nonce", "Guards", func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
		peek(nonce, 15)
		return a.Seal(dst, nonce, plaintext, data)
	}, nil)
	spoil("wrong beyond 64 KiB", "Long", func(out, in, data []byte) bool { return len(in) > 64<<10+16 })
	spoil("wrong for additional data beyond 64 KiB", "Long", func(out, in, data []byte) bool { return len(data) > 64<<10 })
	var latest cipher.AEAD
	change("shares its keys with other objects", "Independent", func(a cipher.AEAD, _ []byte) cipher.AEAD {
		latest = a
		return brokenAEAD{AEAD: a, seal: func(_ cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
			return latest.Seal(dst, nonce, plaintext, data)
		}}
	})
	spoil("shares its scratch with other goroutines", "Concurrent", func(out, in, data []byte) bool { return crowded() })
	both("allocates", "Allocations", func(out, in, data []byte) { allocate() })
	reject("allocates", "Allocations", func(a cipher.AEAD, dst, nonce, ciphertext, data []byte, n int) ([]byte, error) {
		return nil, errOpen
	})
	change("counts 128 bits", "CounterWrap", func(a cipher.AEAD, key []byte) cipher.AEAD {
		return brokenAEAD{AEAD: a, seal: wideGCM{must(aes.NewCipher(key))}.seal}
	})

	sizes := func(name string, c AEADCase, f func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)) {
		c.New = f
		list = append(list, mutant{name, "Sizes", c.checks()})
	}
	sizes("takes an empty nonce", gcmCase, func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
		return gcmCase.New(key, max(nonceSize, 1), tagSize)
	})
	sizes("takes a tag of 11 bytes", gcmTagCase, func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
		return gcmTagCase.New(key, nonceSize, max(tagSize, 12))
	})
	sizes("knows one tag size only", gcmTagCase, func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
		a, err := gcmTagCase.New(key, nonceSize, tagSize)
		if err == nil {
			a = must(gcmTagCase.New(key, nonceSize, 16))
		}
		return a, err
	})
	c := gcmCase
	c.Vectors = nil
	list = append(list, mutant{"no vectors", "Vectors", c.checks()})
	kill(t, gcmCase.checks(), list)
}

// wideGCM is GCM for nonces of 16 bytes whose counter carries beyond 32 bits.
type wideGCM struct{ cipher.Block }

func (g wideGCM) seal(_ cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
	var h, j0, ctr, mask [16]byte
	g.Encrypt(h[:], h[:])
	ghash := func(parts ...[]byte) (sum [16]byte) {
		var y element
		for _, p := range parts {
			for block := range slices.Chunk(p, 16) {
				var b [16]byte
				copy(b[:], block)
				x := load(b)
				y = element{y.hi ^ x.hi, y.lo ^ x.lo}.times(load(h))
			}
		}
		copy(sum[:], y.bytes())
		return sum
	}
	lengths := func(a, c int) []byte { return element{8 * uint64(a), 8 * uint64(c)}.bytes() }

	j0 = ghash(nonce, lengths(0, len(nonce)))
	ctr = j0
	increment(ctr[:])
	start := len(dst)
	dst = append(dst, plaintext...)
	cipher.NewCTR(g.Block, ctr[:]).XORKeyStream(dst[start:], dst[start:])
	tag := ghash(data, dst[start:], lengths(len(data), len(plaintext)))
	g.Encrypt(mask[:], j0[:])
	for i, m := range mask {
		dst = append(dst, tag[i]^m)
	}
	return dst
}

// TestWideGCM checks that the mutant of that name is correct except for the counter.
func TestWideGCM(t *testing.T) {
	key := []byte("sixteen byte key")
	nonce, plaintext, data := make([]byte, 16), make([]byte, 100), make([]byte, 21)
	want := must(gcmCase.New(key, 16, 16)).Seal(nil, nonce, plaintext, data)
	got := wideGCM{must(aes.NewCipher(key))}.seal(nil, nil, nonce, plaintext, data)
	equal(t, got, want, "GCM with a 128-bit counter that does not wrap")
}

func TestWycheproofAEAD(t *testing.T) {
	type object = map[string]any
	key, nonce := unhex("000102030405060708090a0b0c0d0e0f"), make([]byte, 12)
	a := must(gcmCase.New(key, 12, 16))
	file := func(keySize, tagSize int, result string, spoil byte) fstest.MapFS {
		var tests []object
		for i, text := range []string{"", "a message", "one more message"} {
			sealed := a.Seal(nil, nonce, []byte(text), []byte("data"))
			tag := bytes.Clone(sealed[len(text):])
			test := object{"tcId": 2 * i, "key": fmt.Sprintf("%x", key), "iv": fmt.Sprintf("%x", nonce), "aad": "64617461",
				"msg": fmt.Sprintf("%x", text), "ct": fmt.Sprintf("%x", sealed[:len(text)]), "tag": fmt.Sprintf("%x", tag), "result": "valid"}
			tag[0] ^= spoil
			bad := object{"result": result, "tcId": 2*i + 1, "tag": fmt.Sprintf("%x", tag)}
			for k, v := range test {
				if bad[k] == nil {
					bad[k] = v
				}
			}
			tests = append(tests, test, bad)
		}
		// A group of another size, which New refuses.
		empty := object{"keySize": keySize, "ivSize": 0, "tagSize": 128, "tests": []object{{"tcId": 99, "key": fmt.Sprintf("%x", key), "result": "invalid"}}}
		text, err := json.Marshal(object{"testGroups": []object{
			{"keySize": keySize, "ivSize": 96, "tagSize": tagSize, "tests": tests}, empty}})
		if err != nil {
			t.Fatal(err)
		}
		return fstest.MapFS{"aead.json": {Data: text}}
	}
	broken := func(a brokenAEAD) AEADCase {
		c := gcmCase
		c.New = func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			inner, err := gcmCase.New(key, nonceSize, tagSize)
			if err != nil {
				return nil, err
			}
			a.AEAD = inner
			return a, nil
		}
		return c
	}
	noNonce := gcmCase
	noNonce.New = func([]byte, int, int) (cipher.AEAD, error) { return nil, errOpen }
	for _, c := range []struct {
		name   string
		c      AEADCase
		fsys   fstest.MapFS
		passes bool
	}{
		{"the genuine one", gcmCase, file(128, 128, "invalid", 1), true},
		{"takes any tag", broken(brokenAEAD{open: func(a cipher.AEAD, dst, nonce, ciphertext, data []byte) ([]byte, error) {
			return decrypt(a, dst, nonce, ciphertext, data), nil
		}}), file(128, 128, "invalid", 1), false},
		{"seals wrongly", broken(brokenAEAD{seal: func(a cipher.AEAD, dst, nonce, plaintext, data []byte) []byte {
			return a.Seal(dst, nonce, plaintext, nil)
		}}), file(128, 128, "invalid", 1), false},
		{"opens nothing", broken(brokenAEAD{open: func(cipher.AEAD, []byte, []byte, []byte, []byte) ([]byte, error) {
			return nil, errOpen
		}}), file(128, 128, "invalid", 1), false},
		{"refuses the usual sizes", noNonce, file(128, 128, "invalid", 1), false},
		{"a valid test said to be invalid", gcmCase, file(128, 128, "invalid", 0), false},
		{"an unknown result", gcmCase, file(128, 128, "good", 0), false},
		{"nothing for this key size", gcmCase, file(256, 128, "invalid", 1), false},
	} {
		said := verdict(t, check{c.name, func(t testing.TB) { c.c.wycheproof(t, c.fsys, "aead.json") }})
		if passes := said == ""; passes != c.passes {
			t.Errorf("%s: passes %v: %s", c.name, passes, said)
		}
	}
}
