package main

import (
	"crypto/cipher"

	xchacha20 "golang.org/x/crypto/chacha20"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// chacha20Cases compares ChaCha20 and its AEADs with golang.org/x/crypto. Packets have
// no additional data, as in WireGuard; records have as much as in TLS.
func chacha20Cases() []pair {
	nonceX := append([]byte(nil), key256[:24]...)
	return []pair{
		aeadPair("chacha20poly1305 seal", chacha20poly1305.Driver.New, chacha20poly1305.New, xchacha20poly1305.New, sealPacket(nonce)),
		aeadPair("chacha20poly1305 open", chacha20poly1305.Driver.New, chacha20poly1305.New, xchacha20poly1305.New, openPacket(nonce)),
		aeadPair("chacha20poly1305 seal record", chacha20poly1305.Driver.New, chacha20poly1305.New, xchacha20poly1305.New, seal),
		aeadPair("chacha20poly1305 open record", chacha20poly1305.Driver.New, chacha20poly1305.New, xchacha20poly1305.New, open),
		aeadPair("xchacha20poly1305 seal", chacha20poly1305.Driver.NewX, chacha20poly1305.NewX, xchacha20poly1305.NewX, sealPacket(nonceX)),
		aeadPair("xchacha20poly1305 open", chacha20poly1305.Driver.NewX, chacha20poly1305.NewX, xchacha20poly1305.NewX, openPacket(nonceX)),
		{name: "chacha20poly1305 seal 16 packets", pkg: "chacha20poly1305", sizes: aesAny, times: lanes,
			ours:     sealMany(must(chacha20poly1305.NewAEAD(key256))),
			onDriver: func(d string) operation { return sealMany(must(must(chacha20poly1305.On(d)).NewAEAD(key256))) },
			peerName: "x/crypto", peer: sealOneByOne(must(xchacha20poly1305.New(key256)))},
		{name: "chacha20poly1305 open 16 packets", pkg: "chacha20poly1305", sizes: aesAny, times: lanes,
			ours:     openMany(must(chacha20poly1305.NewAEAD(key256))),
			onDriver: func(d string) operation { return openMany(must(must(chacha20poly1305.On(d)).NewAEAD(key256))) },
			peerName: "x/crypto", peer: openOneByOne(must(xchacha20poly1305.New(key256)))},
		{name: "chacha20 message", pkg: "chacha20", sizes: aesAny,
			ours: func(n int) func() {
				p := random(n)
				return func() { must(chacha20.NewUnauthenticatedCipher(key256, nonce)).XORKeyStream(p, p) }
			},
			onDriver: func(d string) operation {
				driver := must(chacha20.On(d))
				return func(n int) func() {
					p := random(n)
					return func() { must(driver.NewUnauthenticatedCipher(key256, nonce)).XORKeyStream(p, p) }
				}
			},
			peerName: "x/crypto", peer: func(n int) func() {
				p := random(n)
				return func() { must(xchacha20.NewUnauthenticatedCipher(key256, nonce)).XORKeyStream(p, p) }
			}},
		{name: "chacha20 stream", pkg: "chacha20", sizes: aesAny,
			ours: stream(func() cipher.Stream { return must(chacha20.NewUnauthenticatedCipher(key256, nonce)) }),
			onDriver: func(d string) operation {
				return stream(func() cipher.Stream { return must(must(chacha20.On(d)).NewUnauthenticatedCipher(key256, nonce)) })
			},
			peerName: "x/crypto", peer: stream(func() cipher.Stream { return must(xchacha20.NewUnauthenticatedCipher(key256, nonce)) })},
		{name: "hchacha20", pkg: "chacha20", sizes: []int{32},
			ours: func(int) func() { return func() { must(chacha20.HChaCha20(key256, iv)) } },
			onDriver: func(d string) operation {
				return func(int) func() { return func() { must(must(chacha20.On(d)).HChaCha20(key256, iv)) } }
			},
			peerName: "x/crypto", peer: func(int) func() { return func() { must(xchacha20.HChaCha20(key256, iv)) } }},
	}
}

type newAEAD = func(key []byte) (cipher.AEAD, error)

// aeadPair measures the same use of an AEAD on both sides.
func aeadPair(name string, newOn func(d chacha20poly1305.Driver, key []byte) (cipher.AEAD, error), ours, peer newAEAD, use func(cipher.AEAD) operation) pair {
	return pair{
		name: name, pkg: "chacha20poly1305", sizes: aesAny,
		ours:     use(must(ours(key256))),
		onDriver: func(d string) operation { return use(must(newOn(must(chacha20poly1305.On(d)), key256))) },
		peerName: "x/crypto", peer: use(must(peer(key256))),
	}
}

func sealPacket(nonce []byte) func(cipher.AEAD) operation {
	return func(a cipher.AEAD) operation {
		return func(n int) func() {
			p, out := random(n), make([]byte, 0, n+16)
			return func() { a.Seal(out, nonce, p, nil) }
		}
	}
}

func openPacket(nonce []byte) func(cipher.AEAD) operation {
	return func(a cipher.AEAD) operation {
		return func(n int) func() {
			c, out := a.Seal(nil, nonce, random(n), nil), make([]byte, 0, n)
			return func() { must(a.Open(out, nonce, c, nil)) }
		}
	}
}

// packets returns the packets of one call, sealed or not.
func packets(n int, a cipher.AEAD) []chacha20poly1305.Packet {
	list := make([]chacha20poly1305.Packet, lanes)
	for i := range list {
		p := &list[i]
		p.Nonce = random(12)
		p.Text, p.Dst = random(n), make([]byte, 0, n+16)
		if a != nil {
			p.Text = a.Seal(nil, p.Nonce, p.Text, nil)
		}
	}
	return list
}

func sealMany(a *chacha20poly1305.AEAD) operation {
	return func(n int) func() {
		list := packets(n, nil)
		return func() {
			if err := a.SealMany(list); err != nil {
				panic(err)
			}
		}
	}
}

func openMany(a *chacha20poly1305.AEAD) operation {
	return func(n int) func() {
		list := packets(n, a)
		return func() {
			if err := a.OpenMany(list); err != nil {
				panic(err)
			}
		}
	}
}

func sealOneByOne(a cipher.AEAD) operation {
	return func(n int) func() {
		list := packets(n, nil)
		return func() {
			for i := range list {
				p := &list[i]
				p.Out = a.Seal(p.Dst, p.Nonce, p.Text, nil)
			}
		}
	}
}

func openOneByOne(a cipher.AEAD) operation {
	return func(n int) func() {
		list := packets(n, a)
		return func() {
			for i := range list {
				p := &list[i]
				p.Out = must(a.Open(p.Dst, p.Nonce, p.Text, nil))
			}
		}
	}
}

// stream continues one stream, and starts a new one after 128 GiB.
func stream(start func() cipher.Stream) operation {
	return func(n int) func() {
		p, s, left := random(n), start(), 1<<37
		return func() {
			if left -= n; left < 0 {
				s, left = start(), 1<<37
			}
			s.XORKeyStream(p, p)
		}
	}
}
