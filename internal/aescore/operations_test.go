package aescore

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// operations calls every operation on n bytes, each with a new destination. MACs and tags are
// added to the first block of it.
func operations(row uint8, k *Keys, hash *ghash.Key, n int) map[string]func(dst []byte) {
	src := random(n)
	iv := func() *[BlockSize]byte { return (*[BlockSize]byte)(random(BlockSize)) }
	gcm := func(f func(uint8, *Keys, *ghash.Message, []byte, []byte)) func(dst []byte) {
		return func(dst []byte) {
			m := &ghash.Message{Hash: hash}
			m.Begin(random(12), n, random(20))
			f(row, k, m, dst, src)
			subtle.XORBytes(dst, dst, m.Y[:])
		}
	}
	// Operations on packets of at most MaxPacket bytes. Without them, the result is that of Seal.
	packet := func(dst []byte, f func(uint8, *Keys, *ghash.Packet) bool, open bool) {
		if int(row) >= len(traits) {
			f(row, k, new(ghash.Packet)) // panics
			return
		}
		n := min(n, ghash.MaxPacket)
		m := &ghash.Message{Hash: hash}
		m.Begin(random(12), n, random(20))
		sealed := make([]byte, n+BlockSize)
		Seal(row, k, m, sealed[:n], src[:n])
		m.Tag(sealed[n:])
		from, to := src, make([]byte, n+BlockSize)
		if open {
			from, to = sealed, make([]byte, n)
		}
		p := ghash.Packet{
			Hash: hash, Nonce: ghash.First(random(12)), Data: ghash.First(random(20)), DataSize: 20,
			Dst: ghash.First(to), Src: ghash.First(from), Size: n, TagBits: 1<<BlockSize - 1,
		}
		hash.Table(2*ghash.MaxPacket/BlockSize + 1)
		done := f(row, k, &p)
		if done != (TraitsOf(row).PacketTag > 0) {
			return // wrong
		}
		if done && (open && !bytes.Equal(to, src[:n]) || !open && !bytes.Equal(to, sealed)) {
			return
		}
		copy(dst, sealed)
	}
	ccm := func(dst []byte, decrypt bool) {
		mac, counter := iv(), iv()
		copy(counter[8:], []byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe}) // a carry after two blocks
		for start := 0; start < n; {
			done := CCM(row, k, mac, counter, dst[start:], src[start:], decrypt)
			if done == 0 {
				done = n - start
				CTR(row, k, counter, dst[start:], src[start:], nil)
				plaintext := src[start:]
				if decrypt {
					plaintext = dst[start:]
				}
				CBCEncrypt(row, k, mac, make([]byte, done), plaintext)
			}
			start += done
		}
		subtle.XORBytes(dst, dst, mac[:])
	}
	ccmText := func(dst []byte, decrypt bool) {
		first, counter, head, src := iv(), iv(), random(3*BlockSize), src[:min(n, MaxPass)]
		copy(counter[8:], []byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfd}) // a carry after two blocks
		m := CCMPart{
			FirstLow: binary.LittleEndian.Uint64(first[:]), FirstHigh: binary.LittleEndian.Uint64(first[8:]),
			CounterLow: binary.LittleEndian.Uint64(counter[:]), CounterHigh: binary.LittleEndian.Uint64(counter[8:]),
			Head: &head[0], HeadSize: len(head), Dst: &dst[0], Src: &src[0], Size: len(src),
		}
		if done := CCMText(row, k, &m, decrypt); done != TraitsOf(row).CCMText {
			return // wrong
		} else if !done {
			EncryptBlock(row, k, m.Mask[:], counter[:])
			counter[BlockSize-1]++
			CTR(row, k, counter, dst[:len(src)], src, iv())
			plaintext := append(bytes.Clone(src), make([]byte, -len(src)&(BlockSize-1))...)
			if decrypt {
				copy(plaintext, dst)
			}
			input := slices.Concat(first[:], head, plaintext)
			CBCEncrypt(row, k, &m.MAC, input, input)
		}
		subtle.XORBytes(dst, dst, m.MAC[:])
		subtle.XORBytes(dst[1:], dst[1:], m.Mask[:])
	}
	return map[string]func(dst []byte){
		"encryptBlock":  func(dst []byte) { EncryptBlock(row, k, dst[:BlockSize], src[:BlockSize]) },
		"decryptBlock":  func(dst []byte) { DecryptBlock(row, k, dst[:BlockSize], src[:BlockSize]) },
		"encryptBlocks": func(dst []byte) { EncryptBlocks(row, k, dst, src) },
		"decryptBlocks": func(dst []byte) { DecryptBlocks(row, k, dst, src) },
		"cbcEncrypt":    func(dst []byte) { CBCEncrypt(row, k, iv(), dst, src) },
		"cbcDecrypt":    func(dst []byte) { CBCDecrypt(row, k, iv(), dst, src) },
		"cbcMAC": func(dst []byte) {
			mac := (*[BlockSize]byte)(dst)
			for src := src; len(src) > 0; {
				n := CBCMAC(row, k, mac, src)
				if n == 0 {
					n = len(src)
					CBCEncrypt(row, k, mac, make([]byte, n), src)
				}
				src = src[n:]
			}
		},
		"cfbEncrypt": func(dst []byte) {
			iv := iv()
			for start := 0; start < n; {
				done := CFBEncrypt(row, k, iv, dst[start:], src[start:])
				if done == 0 {
					done = BlockSize
					EncryptBlocks(row, k, iv[:], iv[:])
					subtle.XORBytes(iv[:], iv[:], src[start:])
					copy(dst[start:], iv[:])
				}
				start += done
			}
		},
		"cfbDecrypt": func(dst []byte) {
			iv := iv()
			for start := 0; start < n; {
				done := CFBDecrypt(row, k, iv, dst[start:], src[start:])
				if done == 0 {
					done = BlockSize
					EncryptBlocks(row, k, iv[:], iv[:])
					subtle.XORBytes(dst[start:], iv[:], src[start:])
					copy(iv[:], src[start:])
				}
				start += done
			}
		},
		"ccm":                 func(dst []byte) { ccm(dst, false) },
		"ccm, decrypting":     func(dst []byte) { ccm(dst, true) },
		"ccmText":             func(dst []byte) { ccmText(dst, false) },
		"ccmText, decrypting": func(dst []byte) { ccmText(dst, true) },
		"ctr":                 func(dst []byte) { CTR(row, k, iv(), dst, src, iv()) },
		"xts":                 func(dst []byte) { XTS(row, k, iv(), dst, src, false) },
		"xts, decrypting":     func(dst []byte) { XTS(row, k, iv(), dst, src, true) },
		"xtsUnit": func(dst []byte) {
			n := min(n, MaxPass)
			XTSUnit(row, k, k, iv(), dst[:n], src[:n], n%2 == 0)
		},
		"ctr32, seal": gcm(Seal),
		"open":        gcm(Open),
		"sealPacket":  func(dst []byte) { packet(dst, SealPacket, false) },
		"openPacket":  func(dst []byte) { packet(dst, OpenPacket, true) },
		"newCTR": func(dst []byte) {
			if s := NewCTR(row, k, iv()); s != nil {
				s.XORKeyStream(dst, src)
			} else {
				CTR(row, k, iv(), dst, src, nil)
			}
		},
		"newGCM": func(dst []byte) {
			a := NewGCM(row, k, 12, 16)
			if a == nil {
				h := new([BlockSize]byte)
				EncryptBlock(row, k, h[:], h[:])
				hash := new(ghash.Key)
				hash.Init(h, TraitsOf(row).GHASH)
				m := &ghash.Message{Hash: hash}
				m.Begin(random(12), n, random(20))
				Seal(row, k, m, dst, src)
				subtle.XORBytes(dst, dst, m.Y[:])
				return
			}
			sealed := a.Seal(nil, random(12), src, random(20))
			opened, err := a.Open(nil, random(12), sealed, random(20))
			if err == nil && bytes.Equal(opened, src) {
				copy(dst, sealed[:n])
				subtle.XORBytes(dst, dst, sealed[n:])
			}
		},
		"cbcEncryptMany": func(dst []byte) {
			if TraitsOf(row).Width == 1 {
				CBCEncrypt(row, k, iv(), dst, src)
				return
			}
			chain := iv()
			for start := 0; start < n; start += MaxPass {
				lanes := []Lane{NewLane(k, chain, &dst[start], &src[start])}
				CBCEncryptMany(row, lanes, min(n-start, MaxPass)/BlockSize)
			}
		},
	}
}

// Every driver serves every operation, and gets the result of the portable one. Lengths
// are about one and several passes, with keys of all sizes.
func TestDriversServeAll(t *testing.T) {
	if len(traits) != len(Rows()) {
		t.Errorf("%d drivers have traits, of %d", len(traits), len(Rows()))
	}
	features := drivers.New("aes", Rows()).Drivers()
	for i, n := range []int{BlockSize, MaxPass, MaxPass + BlockSize, 3*MaxPass + 5*BlockSize} {
		key := random(16 + 8*(i%3))
		want := map[string][]byte{}
		for row, info := range features {
			if !info.Available() {
				continue
			}
			var k Keys
			k.Expand(drivers.Uniform(uint8(row)), key)
			var hash ghash.Key
			hash.Init((*[BlockSize]byte)(random(BlockSize)), TraitsOf(uint8(row)).GHASH)
			for name, f := range operations(uint8(row), &k, &hash, n) {
				dst := make([]byte, n)
				f(dst)
				if row == 0 {
					want[name] = dst
				} else if !bytes.Equal(dst, want[name]) {
					t.Errorf("%s: %s of %d bytes is wrong", info.Name, name, n)
				}
			}
		}
	}
}

// A row that is no driver panics in every operation, before anything is written.
func TestNoDriver(t *testing.T) {
	var hash ghash.Key
	hash.Init(new([BlockSize]byte), ghash.Generic)
	for _, row := range []uint8{Wiped, uint8(len(Rows()))} {
		for _, n := range []int{BlockSize, MaxPass + BlockSize} {
			for name, f := range operations(row, new(Keys), &hash, n) {
				dst := make([]byte, n)
				func() {
					defer func() {
						if p := recover(); p != noKernel {
							t.Errorf("row %d, %s of %d bytes: %v", row, name, n, p)
						}
					}()
					f(dst)
				}()
				if !bytes.Equal(dst, make([]byte, n)) {
					t.Errorf("row %d: %s writes", row, name)
				}
			}
		}
	}
}
