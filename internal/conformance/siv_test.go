package conformance

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// A toySIV is the specification with what it lacks, and with hooks that break it.
type toySIV struct {
	specSIV
	*mortal
	strings            func(data [][]byte) [][]byte // replaces the strings
	open               func(plaintext []byte, err error) ([]byte, error)
	careless, immortal bool
}

func (s *toySIV) check(out, text []byte, data [][]byte) {
	if !s.immortal {
		s.mortal.check()
	}
	if s.careless {
		return
	}
	if len(data) > 126 {
		panic("toy: at most 126 strings")
	}
	bad := alias.InexactOverlap(out, text)
	for _, p := range data {
		bad = bad || alias.AnyOverlap(out, p)
	}
	if bad {
		panic("toy: invalid buffer overlap")
	}
}

func (s *toySIV) replaced(data [][]byte) [][]byte {
	if s.strings == nil {
		return data
	}
	return s.strings(slices.Clone(data))
}

func (s *toySIV) SealDeterministic(dst, plaintext []byte, data ...[]byte) []byte {
	n := len(plaintext) + 16
	s.check(slices.Grow(dst, n)[len(dst):len(dst)+n], plaintext, data)
	return s.specSIV.SealDeterministic(dst, plaintext, s.replaced(data)...)
}

func (s *toySIV) OpenDeterministic(dst, ciphertext []byte, data ...[]byte) ([]byte, error) {
	if s.dead && !s.immortal {
		return nil, errMortal
	}
	n := max(len(ciphertext)-16, 0)
	s.check(slices.Grow(dst, n)[len(dst):len(dst)+n], ciphertext, data)
	got, err := s.specSIV.OpenDeterministic(dst, ciphertext, s.replaced(data)...)
	if s.open != nil {
		return s.open(dst[len(dst):len(dst)+n], err)
	}
	return got, err
}

func TestSIVMutants(t *testing.T) {
	good := SIVCase{
		KeySize:   32,
		Reference: func(key []byte) cipher.Block { return must(aes.NewCipher(key)) },
		Vectors: []SIVVector{{ // RFC 5297, A.1
			Key:        unhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
			Data:       [][]byte{unhex("101112131415161718191a1b1c1d1e1f2021222324252627")},
			Plaintext:  unhex("112233445566778899aabbccddee"),
			Ciphertext: unhex("85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"),
		}},
	}
	with := func(change func(s *toySIV)) SIVCase {
		c := good
		c.New = func(key []byte) SIVCipher {
			s := &toySIV{specSIV: c.spec(key), mortal: new(mortal)}
			change(s)
			return s
		}
		return c
	}
	good = with(func(*toySIV) {})
	for _, c := range good.checks() {
		if said := verdict(t, c); said != "" {
			t.Errorf("%s: a good SIV: %s", c.name, said)
		}
	}
	var list []mutant
	add := func(name, check string, change func(s *toySIV)) {
		list = append(list, mutant{name, check, with(change).checks()})
	}
	replace := func(name, check string, f func(data [][]byte) [][]byte) {
		add(name, check, func(s *toySIV) { s.strings = f })
	}
	none := good
	none.Vectors = nil
	list = append(list, mutant{"no vectors", "Vectors", none.checks()})
	replace("no strings", "Vectors", func([][]byte) [][]byte { return nil })
	replace("wrong for more than 16 strings", "Strings", func(data [][]byte) [][]byte {
		if len(data) > 16 {
			slices.Reverse(data)
		}
		return data
	})
	replace("ignores the order", "Forgeries", func(data [][]byte) [][]byte {
		slices.SortFunc(data, bytes.Compare)
		return data
	})
	replace("ignores empty strings", "Forgeries", func(data [][]byte) [][]byte {
		return slices.DeleteFunc(data, func(p []byte) bool { return len(p) == 0 })
	})
	replace("joins strings", "Forgeries", func(data [][]byte) [][]byte { return [][]byte{slices.Concat(data...)} })
	add("leaves plaintext", "Forgeries", func(s *toySIV) {
		s.open = func(out []byte, err error) ([]byte, error) {
			if err != nil && len(out) > 0 {
				out[0] ^= 1
			}
			return nil, err
		}
	})
	add("checks nothing", "Misuse", func(s *toySIV) { s.careless = true })
	add("can be used after Wipe", "Wiped", func(s *toySIV) { s.immortal = true })
	kill(t, good.checks(), list)
}

// The derived test of an AEAD has a vector, even if that of the standard has more strings.
func TestSIVAEAD(t *testing.T) {
	c := SIVCase{KeySize: 32, Reference: func(key []byte) cipher.Block { return must(aes.NewCipher(key)) }}
	if n := len(c.aead().Vectors); n != 1 {
		t.Errorf("%d vectors", n)
	}
	c.Vectors = []SIVVector{{Data: [][]byte{{1}, {2}}}, {Data: [][]byte{{1}}}, {Data: [][]byte{{1}, nil}}}
	if list := c.aead().Vectors; len(list) != 1 || list[0].Nonce[0] != 2 || list[0].AdditionalData[0] != 1 {
		t.Errorf("%v", list)
	}
}
