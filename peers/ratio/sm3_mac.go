package main

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"hash"

	gmsm3 "github.com/emmansun/gmsm/sm3"

	"github.com/cipherlane/cipherlane/sm3"
)

// sm3Iterations is too small for passwords, but large enough to dominate the time.
const sm3Iterations = 1000

// sm3MACs returns the uses of SM3 with a key. There are two peers: the standard library
// with gmsm's SM3, and with ours. The output of HKDF is at most 255 digests; keys from
// PBKDF2 longer than a kilobyte would take seconds each and add no information.
func sm3MACs() []pair {
	crypto := func(f func() hash.Hash) operation { return write(hmac.New(f, random(32))) }
	derive := func(f func() hash.Hash) operation {
		return func(n int) func() { return func() { must(hkdf.Key(f, key, iv, "info", n)) } }
	}
	stretch := func(f func() hash.Hash, keys int) operation {
		return func(n int) func() {
			return func() {
				for range keys {
					must(pbkdf2.Key(f, "a password", key, sm3Iterations, n))
				}
			}
		}
	}
	var list []pair
	for _, p := range []struct {
		name string
		new  func() hash.Hash
	}{{"gmsm", gmsm3.New}, {"crypto", sm3.New}} {
		list = append(list,
			pair{name: "sm3 hmac", sizes: anyLen, pkg: "sm3", ours: write(sm3.NewHMAC(random(32))), peerName: p.name, peer: crypto(p.new),
				onDriver: func(d string) operation { return write(must(sm3.On(d)).NewHMAC(random(32))) }},
			pair{name: "sm3 hmac new key", sizes: []int{16, 64}, pkg: "sm3", ours: newHMAC(sm3.NewHMAC), peerName: p.name,
				peer:     newHMAC(func(key []byte) hash.Hash { return hmac.New(p.new, key) }),
				onDriver: func(d string) operation { return newHMAC(must(sm3.On(d)).NewHMAC) }},
			pair{name: "sm3 hmac 32 messages", sizes: anyLen, times: sm3Messages, pkg: "sm3", ours: hmacMany(sm3.HMACMany), peerName: p.name,
				peer:     hmacOneByOne(p.new),
				onDriver: func(d string) operation { return hmacMany(must(sm3.On(d)).HMACMany) }},
			pair{name: "sm3 hkdf", sizes: []int{32, 64, 256}, most: 255 * sm3.Size, pkg: "sm3", ours: hkdfKey(sm3.HKDF), peerName: p.name, peer: derive(p.new),
				onDriver: func(d string) operation { return hkdfKey(must(sm3.On(d)).HKDF) }},
			pair{name: "sm3 pbkdf2", sizes: []int{32, 64, 128, 1024}, most: 1024, pkg: "sm3", ours: pbkdf2Key(sm3.PBKDF2), peerName: p.name, peer: stretch(p.new, 1),
				onDriver: func(d string) operation { return pbkdf2Key(must(sm3.On(d)).PBKDF2) }},
			pair{name: "sm3 pbkdf2 32 keys", sizes: []int{32}, times: sm3Messages, pkg: "sm3", ours: pbkdf2Many(sm3.PBKDF2Many), peerName: p.name,
				peer:     stretch(p.new, sm3Messages),
				onDriver: func(d string) operation { return pbkdf2Many(must(sm3.On(d)).PBKDF2Many) }},
		)
	}
	return list
}

// newHMAC creates an object for every message.
func newHMAC[H hash.Hash](f func(key []byte) H) operation {
	return func(n int) func() {
		key, p, out := random(32), random(n), make([]byte, 0, 32)
		return func() {
			h := f(key)
			h.Write(p)
			h.Sum(out)
		}
	}
}

func hmacMany(f func([]sm3.HMACMessage)) operation {
	return func(n int) func() {
		mac, messages := sm3.NewHMAC(random(32)), make([]sm3.HMACMessage, sm3Messages)
		for i := range messages {
			messages[i].MAC, messages[i].Data = mac, random(n)
		}
		return func() { f(messages) }
	}
}

func hmacOneByOne(f func() hash.Hash) operation {
	return func(n int) func() {
		mac, sum := hmac.New(f, random(32)), make([]byte, 0, sm3.Size)
		messages := make([][]byte, sm3Messages)
		for i := range messages {
			messages[i] = random(n)
		}
		return func() {
			for _, p := range messages {
				mac.Reset()
				mac.Write(p)
				mac.Sum(sum)
			}
		}
	}
}

func hkdfKey(f func(key, secret, salt, info []byte)) operation {
	return func(n int) func() {
		k, info := make([]byte, n), []byte("info")
		return func() { f(k, key, iv, info) }
	}
}

func pbkdf2Key(f func(key, password, salt []byte, iterations int)) operation {
	return func(n int) func() {
		k, password := make([]byte, n), []byte("a password")
		return func() { f(k, password, key, sm3Iterations) }
	}
}

func pbkdf2Many(f func([]sm3.PBKDF2Key)) operation {
	return func(n int) func() {
		keys := make([]sm3.PBKDF2Key, sm3Messages)
		for i := range keys {
			keys[i] = sm3.PBKDF2Key{Key: make([]byte, n), Password: []byte("a password"), Salt: key, Iterations: sm3Iterations}
		}
		return func() { f(keys) }
	}
}
