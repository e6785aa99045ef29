package main

import (
	"crypto/cipher"
	"hash"
	"reflect"
	"slices"

	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/sm2"
)

// Inputs of a few blocks and of a network packet: most drivers have a kernel for each.
var sizes = []int{48, 1424}

// How the two classes differ.
const (
	keyClasses    = "fixed and random key"
	inputClasses  = "fixed and random key and text"
	textClasses   = "fixed and random text"
	forgedClasses = "tags wrong in the last bit and in all bytes"
	validClasses  = "valid and invalid ciphertexts"
)

var data = make([]byte, 13) // additional data of the size in a TLS record

// many is the number of messages that are processed together.
const many = 16

// probes returns what is to be measured, for the drivers that this machine can run.
func probes() []*probe {
	var list []*probe
	for _, a := range catalog.All() {
		for _, d := range a.Table().Drivers() {
			if !d.Available() {
				continue
			}
			m := maker{a: a, driver: d.Name}
			m.all()
			list = append(list, m.list...)
		}
	}
	return list
}

// A maker makes the probes of an algorithm and a driver.
type maker struct {
	a      catalog.Algorithm
	driver string
	list   []*probe
}

// add adds an operation on secret bytes, that is, on a key with a text.
func (m *maker) add(operation, classes string, bytes, input int, prepare func(p []byte) func()) *probe {
	p := &probe{
		pkg: m.a.Package, algorithm: m.a.Name, driver: m.driver, operation: operation,
		classes: classes, bytes: bytes, input: input, prepare: prepare,
	}
	m.list = append(m.list, p)
	return p
}

func (m *maker) all() {
	a, name := m.a, m.driver
	key, iv := 0, make([]byte, a.IVSize)
	if len(a.KeySizes) > 0 {
		key = a.KeySizes[0]
	}
	// input adds a probe whose input is a key and a text.
	input := func(operation string, n int, prepare func(key, text []byte) func()) {
		m.add(operation, inputClasses, n, key+n, func(p []byte) func() { return prepare(p[:key], p[key:]) })
	}
	switch {
	case a.ECB != nil:
		m.add("new key", keyClasses, 0, key, func(p []byte) func() { return func() { must(a.ECB(name, p)) } })
	case a.MAC != nil:
		m.add("new key", keyClasses, 0, key, func(p []byte) func() { return func() { must(a.MAC(name, p)) } })
	case a.AEAD != nil:
		m.add("new key", keyClasses, 0, key, func(p []byte) func() { return func() { must(a.AEAD(name, p)) } })
	}
	for _, n := range sizes {
		dst := make([]byte, n+32)
		switch {
		case a.Hash != nil:
			create := must(a.Hash(name))
			m.add("hash", textClasses, n, n, sum(create(), dst))
		case a.MAC != nil:
			input("authenticate", n, func(key, text []byte) func() { return sum(must(a.MAC(name, key)), dst)(text) })
			if own := must(a.MAC(name, make([]byte, key))); flat(reflect.TypeOf(own).Elem()) {
				m.list[len(m.list)-1].placed = placedMAC(own, n, dst, func(p []byte) (hash.Hash, []byte) { return must(a.MAC(name, p[:key])), p[key:] })
			}
		case a.ECB != nil:
			input("encrypt", n, func(key, text []byte) func() {
				c := must(a.ECB(name, key))
				return func() { c.EncryptBlocks(dst, text) }
			})
			input("decrypt", n, func(key, text []byte) func() {
				c := must(a.ECB(name, key))
				return func() { c.DecryptBlocks(dst, text) }
			})
		case a.BlockMode != nil:
			for _, operation := range []string{"encrypt", "decrypt"} {
				encrypt := operation == "encrypt"
				input(operation, n, func(key, text []byte) func() {
					c := must(a.BlockMode(name, key, iv, encrypt))
					return func() { c.CryptBlocks(dst, text) }
				})
			}
		case a.Stream != nil:
			for _, operation := range []string{"encrypt", "decrypt"} {
				encrypt := operation == "encrypt"
				input(operation, n, func(key, text []byte) func() {
					c := must(a.Stream(name, key, iv, encrypt))
					return func() { c.XORKeyStream(dst, text) }
				})
			}
		case a.Whole != nil:
			for _, operation := range []string{"encrypt", "decrypt"} {
				encrypt := operation == "encrypt"
				// The function can be called once. A new one costs as much for any key.
				input(operation, n, func(key, text []byte) func() {
					return func() { must(a.Whole(name, key, iv, encrypt))(dst, text) }
				})
			}
		case a.AEAD != nil:
			m.aead(n, input)
		case a.Wrap != nil:
			m.wrap(input)
		}
		if a.Many != nil {
			input("many", n, func(key, text []byte) func() {
				list := make([]catalog.Message, many)
				for i := range list {
					list[i] = catalog.Message{Key: key, IV: iv, Data: data, Text: text}
				}
				return func() { must(0, a.Many(name, list)) }
			})
		}
		if a.Wrap != nil {
			break // keys have one size here
		}
	}
	switch {
	case a.KEM != nil:
		m.kem()
	case a.Signer != nil:
		m.signer()
		m.exchange()
	}
	slices.SortStableFunc(m.list, func(a, b *probe) int { return a.bytes - b.bytes })
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sum(h hash.Hash, dst []byte) func(text []byte) func() {
	return func(text []byte) func() {
		return func() { h.Reset(); h.Write(text); h.Sum(dst[:0]) }
	}
}

// placedMAC authenticates all texts of n bytes with one object, to which place copies the key. At some
// addresses, an object is faster by more than the differences that the test can see.
func placedMAC(own hash.Hash, n int, dst []byte, split func(p []byte) (h hash.Hash, text []byte)) func(p []byte) (place, call func()) {
	text := make([]byte, n)
	return func(p []byte) (place, call func()) {
		h, t := split(p)
		place = func() {
			reflect.ValueOf(own).Elem().Set(reflect.ValueOf(h).Elem())
			copy(text, t)
		}
		return place, sum(own, dst)(text)
	}
}

// flat reports whether values of a type contain all that belongs to them: there are no pointers.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return flat(t.Elem())
	}
	return t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}

func (m *maker) aead(n int, input func(string, int, func(key, text []byte) func())) {
	dst, nonce := make([]byte, n+32), make([]byte, m.a.IVSize)
	create := func(key []byte) cipher.AEAD { return must(m.a.AEAD(m.driver, key)) }
	input("seal", n, func(key, text []byte) func() {
		a := create(key)
		return func() { a.Seal(dst[:0], nonce, text, data) }
	})
	input("open", n, func(key, text []byte) func() {
		a := create(key)
		sealed := a.Seal(nil, nonce, text, data)
		return func() { must(a.Open(dst[:0], nonce, sealed, data)) }
	})
	a := create(make([]byte, m.a.KeySizes[0]))
	sealed := a.Seal(nil, nonce, make([]byte, n), data)
	at := n // where the tag is
	if m.a.TagFirst {
		at = 0
	}
	m.forged("open forged", n, sealed[at:][:a.Overhead()], func(tag []byte) func() {
		forged := slices.Clone(sealed)
		copy(forged[at:], tag)
		return func() { mustNot(a.Open(dst[:0], nonce, forged, data)) }
	})
}

// forged adds an operation that must refuse wrong tags. Whether a tag is right is public.
// How much of it is right is not: a comparison that ends at the first difference would
// help to guess it byte by byte.
func (m *maker) forged(operation string, n int, tag []byte, prepare func(tag []byte) func()) {
	p := m.add(operation, forgedClasses, n, len(tag), prepare)
	p.draw = func(class int, p []byte) {
		for i := range p {
			switch {
			case class == 0:
				p[i] = tag[i]
			case p[i] == tag[i]:
				p[i]++
			}
		}
		if class == 0 {
			p[len(p)-1] ^= 1
		}
	}
}

func mustNot[T any](_ T, err error) {
	if err == nil {
		panic("a forged message was accepted")
	}
}

func (m *maker) wrap(input func(string, int, func(key, text []byte) func())) {
	const n = 32
	create := func(key []byte) catalog.Wrapper { return must(m.a.Wrap(m.driver, key)) }
	dst := make([]byte, n+8)
	input("wrap", n, func(key, text []byte) func() {
		w := create(key)
		return func() { must(w.WrapKey(dst[:0], text)) }
	})
	input("unwrap", n, func(key, text []byte) func() {
		w := create(key)
		wrapped := must(w.WrapKey(nil, text))
		return func() { must(w.UnwrapKey(dst[:0], wrapped)) }
	})
}

func (m *maker) kem() {
	kem := must(m.a.KEM(m.driver))
	size := kem.Sizes()
	shared := make([]byte, size.SharedKey)
	m.add("decapsulate", keyClasses, 0, size.Seed, func(p []byte) func() {
		key := must(kem.PrivateKey(p))
		_, ciphertext := key.PublicKey().Encapsulate()
		return func() { must(0, key.DecapsulateTo(shared, ciphertext)) }
	})

	// Ciphertexts with an error in one bit, or without.
	var key catalog.PrivateKey
	var valid [16][]byte
	p := m.add("decapsulate", validClasses, 0, 4, func(p []byte) func() {
		if key == nil { // not before, because it takes long and may not be wanted
			key = must(kem.GenerateKey())
			for i := range valid {
				_, valid[i] = key.PublicKey().Encapsulate()
			}
		}
		ciphertext := slices.Clone(valid[p[0]%16])
		ciphertext[(int(p[1])<<8|int(p[2]))%len(ciphertext)] ^= p[3]
		return func() { must(0, key.DecapsulateTo(shared, ciphertext)) }
	})
	p.draw = func(class int, p []byte) { p[3] = byte(class) << (p[3] % 8) }
}

func (m *maker) signer() {
	s := must(m.a.Signer(m.driver))
	create := func(p []byte) catalog.SignerKey {
		p[0] &= 0x7f // below the order
		return must(s.PrivateKey(p[:32]))
	}
	m.add("public key", keyClasses, 0, 32, func(p []byte) func() {
		return func() { create(p).PublicKey() }
	})
	m.add("sign", "fixed and random key and digest", 0, 64, func(p []byte) func() {
		key := create(p)
		return func() { must(key.SignRaw(nil, p[32:])) }
	})
	m.add("sign many", "fixed and random key and digest", 0, 64, func(p []byte) func() {
		key, digests := create(p), make([][]byte, many)
		for i := range digests {
			digests[i] = p[32:]
		}
		return func() { must(key.SignMany(nil, digests)) }
	})
	m.add("decrypt", inputClasses, 48, 32+48, func(p []byte) func() {
		key := create(p)
		ciphertext := must(key.PublicKey().Encrypt(p[32:]))
		return func() { must(key.Decrypt(ciphertext)) }
	})
	key := must(s.GenerateKey())
	ciphertext := must(key.PublicKey().Encrypt(make([]byte, 48)))
	const c1, c3 = 65, 32
	m.forged("decrypt forged", 48, ciphertext[c1:c1+c3], func(tag []byte) func() {
		forged := slices.Clone(ciphertext)
		copy(forged[c1:], tag)
		return func() { mustNot(key.Decrypt(forged)) }
	})
	peer := key.PublicKey()
	m.add("ecdh", keyClasses, 0, 32, func(p []byte) func() {
		key := create(p)
		return func() { must(key.ECDH(peer)) }
	})
}

// exchange adds a step of the key exchange, which the catalog does not have.
func (m *maker) exchange() {
	d := must(sm2.On(m.driver))
	peer := must(d.GenerateKey())
	m.add("exchange", keyClasses, 0, 32, func(p []byte) func() {
		p[0] &= 0x7f
		key := must(d.NewPrivateKey(p))
		x := must(sm2.NewExchange(key, nil, peer.PublicKey(), nil, true))
		y := must(sm2.NewExchange(peer, nil, key.PublicKey(), nil, false))
		return func() {
			copied := *x // an exchange is used once
			must(copied.Agree(y.Point(), 32))
		}
	})
}
