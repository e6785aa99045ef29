package peers

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"testing"

	"github.com/emmansun/gmsm/cbcmac"
	gmcipher "github.com/emmansun/gmsm/cipher"
	gmsm4 "github.com/emmansun/gmsm/sm4"
	"github.com/pion/dtls/v3/pkg/crypto/ccm"

	"github.com/cipherlane/cipherlane/sm4"
)

// forSM4 runs a test for every driver and length.
func forSM4(t *testing.T, test func(t *testing.T, c sm4Case, n int)) {
	for _, d := range sm4.Drivers() {
		if !d.Available() {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			for _, n := range aesLengths() {
				test(t, sm4Case{must(sm4.On(d.Name))(t)}, n)
			}
		})
	}
}

type sm4Case struct{ driver sm4.Driver }

// new returns ours and gmsm's cipher with the same new key.
func (c sm4Case) new(t *testing.T) (*sm4.Cipher, cipher.Block) {
	t.Helper()
	key := random(16)
	return must(c.driver.New(key))(t), must(gmsm4.NewCipher(key))(t)
}

func TestSM4Streams(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		own, peer := c.new(t)
		p, iv := random(n), random(16)
		same(t, streamed(own.NewCFBEncrypter(iv), p), streamed(cipher.NewCFBEncrypter(peer, iv), p), "%d bytes, CFB encryption", n) //lint:ignore SA1019 it is the reference
		same(t, streamed(own.NewCFBDecrypter(iv), p), streamed(cipher.NewCFBDecrypter(peer, iv), p), "%d bytes, CFB decryption", n) //lint:ignore SA1019 it is the reference
		same(t, streamed(own.NewOFB(iv), p), streamed(cipher.NewOFB(peer, iv), p), "%d bytes, OFB", n)                              //lint:ignore SA1019 it is the reference
	})
}

// blockOnly returns gmsm's cipher without its assembly for XTS, which in v0.44.1
// crashes on decryption of some lengths, such as 65 bytes.
func blockOnly(key []byte) (cipher.Block, error) {
	b, err := gmsm4.NewCipher(key)
	return struct{ cipher.Block }{b}, err
}

func TestSM4XTS(t *testing.T) {
	type constructor func(create gmcipher.CipherCreator, key, tweakKey, tweak []byte) (cipher.BlockMode, error)
	for _, kind := range []struct {
		name             string
		own              func(d sm4.Driver, key []byte) (*sm4.XTS, error)
		encrypt, decrypt constructor
	}{
		{"IEEE 1619", sm4.Driver.NewXTS, gmcipher.NewXTSEncrypter, gmcipher.NewXTSDecrypter},
		{"GB/T 17964", sm4.Driver.NewXTSGB, gmcipher.NewGBXTSEncrypter, gmcipher.NewGBXTSDecrypter},
	} {
		forSM4(t, func(t *testing.T, c sm4Case, n int) {
			if n < 16 {
				return
			}
			key, tweak, p, got, want := random(32), [16]byte(random(16)), random(n), make([]byte, n), make([]byte, n)
			own := must(kind.own(c.driver, key))(t)
			peer := func(f constructor) []byte {
				must(f(blockOnly, key[:16], key[16:], tweak[:]))(t).CryptBlocks(want, p)
				return want
			}
			own.EncryptTweak(got, p, &tweak)
			same(t, got, peer(kind.encrypt), "%s, %d bytes, encryption", kind.name, n)
			own.DecryptTweak(got, got, &tweak)
			same(t, got, p, "%s, %d bytes, decryption in place", kind.name, n)
			own.DecryptTweak(got, p, &tweak)
			same(t, got, peer(kind.decrypt), "%s, %d bytes, decryption", kind.name, n)

			// gmsm's framing over our block, which provides the rest of XTS.
			for direction, f := range map[bool]constructor{true: kind.encrypt, false: kind.decrypt} {
				m := must(f(c.driver.NewCipher, key[:16], key[16:], tweak[:]))(t)
				if fmt.Sprintf("%T", m) != "*modes.XTSMode" {
					t.Fatalf("%s: gmsm makes a %T of our block", kind.name, m)
				}
				m.CryptBlocks(got, p)
				same(t, got, peer(f), "%s, %d bytes, gmsm with our block, encrypting: %v", kind.name, n, direction)
			}

			sector := rand.Uint64() >> rand.IntN(64)
			create := gmcipher.NewXTSEncrypterWithSector
			if kind.name != "IEEE 1619" {
				create = gmcipher.NewGBXTSEncrypterWithSector
			}
			must(create(blockOnly, key[:16], key[16:], sector))(t).CryptBlocks(want, p)
			own.Encrypt(got, p, sector)
			same(t, got, want, "%s, %d bytes, sector %d", kind.name, n, sector)
			own.Decrypt(got, got, sector)
			same(t, got, p, "%s, %d bytes, sector %d, back", kind.name, n, sector)
		})
	}
}

func TestSM4CTS(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		if n < 16 {
			return
		}
		own, peer := c.new(t)
		p, iv, got := random(n), random(16), make([]byte, n)
		for variant := 1; variant <= 3; variant++ {
			own.EncryptCTS(got, p, iv, variant)
			same(t, got, plainCTS(peer, p, iv, variant), "%d bytes, CBC-CS%d", n, variant)
			own.DecryptCTS(got, got, iv, variant)
			same(t, got, p, "%d bytes, CBC-CS%d, decryption in place", n, variant)
		}
	})
}

func TestSM4Blocks(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		key, iv, p := random(16), random(16), random(n&^15)
		own, peer := must(c.driver.New(key))(t), must(gmsm4.NewCipher(key))(t)
		same(t, chained(own.NewBCEncrypter(iv), p), chained(gmcipher.NewBCEncrypter(peer, iv), p), "%d bytes, BC encryption", n)
		same(t, chained(own.NewBCDecrypter(iv), p), chained(gmcipher.NewBCDecrypter(peer, iv), p), "%d bytes, BC decryption", n)
		same(t, chained(own.NewOFBNLFEncrypter(iv), p), chained(must(gmcipher.NewOFBNLFEncrypter(gmsm4.NewCipher, key, iv))(t), p), "%d bytes, OFBNLF encryption", n)
		same(t, chained(own.NewOFBNLFDecrypter(iv), p), chained(must(gmcipher.NewOFBNLFDecrypter(gmsm4.NewCipher, key, iv))(t), p), "%d bytes, OFBNLF decryption", n)
	})
}

// gmsm v0.44.1 is correct if the message ends with a whole or half block. Otherwise it
// hashes the wrong part of the tweak, and bytes of the message in place of zeros; for
// these lengths the peer is plainHCTR over its block cipher.
func TestSM4HCTR(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		if n < 16 {
			return
		}
		key, tweak, p, got, want := random(32), [16]byte(random(16)), random(n), make([]byte, n), make([]byte, n)
		own, block := must(c.driver.NewHCTR(key))(t), must(gmsm4.NewCipher(key[:16]))(t)
		peer := must(gmcipher.NewHCTR(block, tweak[:], key[16:]))(t)
		plain := func(decrypt bool) { copy(want, plainHCTR(block, key[16:], tweak[:], p, decrypt)) }
		encrypt, decrypt := func() { plain(false) }, func() { plain(true) }
		if n%8 == 0 {
			encrypt, decrypt = func() { peer.EncryptBytes(want, p) }, func() { peer.DecryptBytes(want, p) }
		}
		own.Encrypt(got, p, &tweak)
		encrypt()
		same(t, got, want, "%d bytes, encryption", n)
		own.Decrypt(got, got, &tweak)
		same(t, got, p, "%d bytes, decryption in place", n)
		own.Decrypt(got, p, &tweak)
		decrypt()
		same(t, got, want, "%d bytes, decryption", n)
	})
}

// plainHCTR implements GB/T 17964-2021, section 11.
func plainHCTR(b cipher.Block, hashKey, tweak, src []byte, decrypt bool) []byte {
	sum := func(p []byte) []byte {
		in := append(bytes.Clone(p), tweak...)
		in = append(in, make([]byte, -len(in)&15)...)
		in = binary.BigEndian.AppendUint64(append(in, make([]byte, 8)...), uint64(8*(len(p)+16)))
		return plainGHASH(hashKey, in)
	}
	dst, first, start := bytes.Clone(src), make([]byte, 16), make([]byte, 16)
	subtle.XORBytes(first, src[:16], sum(src[16:]))
	copy(start, first)
	if decrypt {
		b.Decrypt(first, first)
	} else {
		b.Encrypt(first, first)
	}
	subtle.XORBytes(start, start, first)
	for i := 16; i < len(dst); i += 16 {
		stream := binary.BigEndian.AppendUint64(make([]byte, 8), uint64(i/16))
		subtle.XORBytes(stream, stream, start)
		b.Encrypt(stream, stream)
		subtle.XORBytes(dst[i:], dst[i:], stream)
	}
	subtle.XORBytes(dst, first, sum(dst[16:]))
	return dst
}

// plainGHASH is GHASH (NIST SP 800-38D), with products by Horner's rule. The highest
// bit of a byte is its lowest coefficient.
func plainGHASH(key, p []byte) []byte {
	y := new(big.Int)
	h := new(big.Int).SetBytes(key)
	modulus := new(big.Int).Lsh(big.NewInt(0xe1), 120)
	for ; len(p) > 0; p = p[16:] {
		y.Xor(y, new(big.Int).SetBytes(p[:16]))
		product := new(big.Int)
		for i := range 128 { // from the highest coefficient
			carry := product.Bit(0)
			if product.Rsh(product, 1); carry == 1 {
				product.Xor(product, modulus)
			}
			if y.Bit(i) == 1 {
				product.Xor(product, h)
			}
		}
		y = product
	}
	return y.FillBytes(make([]byte, 16))
}

func TestSM4GCMSIV(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		key := random(16)
		agree(t, must(c.driver.NewGCMSIV(key))(t), must(gmcipher.NewGCMSIV(gmsm4.NewCipher, key))(t), n)
	})
}

func TestSM4CCM(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		own, peer := c.new(t)
		nonceSize, tagSize := 7+n%7, 4+2*(n/3%7)
		if most := 1 << (8 * min(15-nonceSize, 4)); n >= most { // two bytes for the length
			nonceSize = 12
		}
		a := must(own.NewCCM(nonceSize, tagSize))(t)
		agree(t, a, must(ccm.NewCCM(peer, tagSize, nonceSize))(t), n)
		if n < 5000 {
			agree(t, a, must(gmcipher.NewCCMWithNonceAndTagSize(peer, nonceSize, tagSize))(t), n)
		}
	})
}

// Messages processed together, with different keys and drivers, give the same results
// as one by one.
func TestSM4Many(t *testing.T) {
	var drivers []string
	for _, d := range sm4.Drivers() {
		if d.Available() {
			drivers = append(drivers, d.Name)
		}
	}
	for _, count := range []int{0, 1, 2, 7, 8, 16, 33, 63, 64, 65, 100, 200, 300} {
		var (
			blocks []cipher.Block
			peers  []cipher.AEAD
			chains []sm4.CBCMessage
			macs   []sm4.CMACMessage
			sealed []sm4.CCMMessage
			opened []sm4.CCMMessage
			bad    = rand.IntN(max(count, 1))
			one    = drivers[len(drivers)-1]
		)
		for i := range count {
			name := one
			if count%2 == 1 {
				name = drivers[rand.IntN(len(drivers))]
			}
			own, b := sm4Case{must(sm4.On(name))(t)}.new(t)
			if i > 0 && rand.IntN(3) == 0 {
				own, b = chains[i-1].Cipher, blocks[i-1]
			}
			n := rand.IntN(1 << rand.IntN(15))
			p, nonce, data := random(n), random(12), random(rand.IntN(40))
			peer := must(ccm.NewCCM(b, 8, 12))(t)
			blocks, peers = append(blocks, b), append(peers, peer)
			chains = append(chains, sm4.CBCMessage{Cipher: own, IV: random(16), Dst: make([]byte, n&^15), Src: p[:n&^15]})
			macs = append(macs, sm4.CMACMessage{Cipher: own, Data: p})
			a := must(own.NewCCM(12, 8))(t)
			sealed = append(sealed, sm4.CCMMessage{AEAD: a, Nonce: nonce, Text: p, AdditionalData: data})
			foreign := peer.Seal(nil, nonce, p, data)
			if i == bad {
				foreign[rand.IntN(len(foreign))] ^= 1
			}
			opened = append(opened, sm4.CCMMessage{AEAD: a, Nonce: nonce, Text: foreign, AdditionalData: data})
		}
		sm4.EncryptCBCMany(chains)
		sm4.CMACMany(macs)
		sm4.SealCCMMany(sealed)
		if err := sm4.OpenCCMMany(opened); (err == nil) != (count == 0) {
			t.Fatalf("%d messages, one a forgery: OpenCCMMany returns %v", count, err)
		}
		for i, m := range chains {
			want := make([]byte, len(m.Src))
			cipher.NewCBCEncrypter(blocks[i], m.IV).CryptBlocks(want, m.Src)
			same(t, m.Dst, want, "%d messages, %d: CBC of %d bytes", count, i, len(want))
		}
		for i, m := range macs {
			same(t, m.Sum[:], cbcmac.NewCMAC(blocks[i], 16).MAC(m.Data), "%d messages, %d: CMAC of %d bytes", count, i, len(m.Data))
		}
		for i, m := range sealed {
			if m.Err != nil {
				t.Fatalf("%d messages, %d: SealCCMMany: %v", count, i, m.Err)
			}
			same(t, m.Out, peers[i].Seal(nil, m.Nonce, m.Text, m.AdditionalData), "%d messages, %d: CCM of %d bytes", count, i, len(m.Text))
		}
		for i, m := range opened {
			if (m.Err != nil) != (i == bad) {
				t.Fatalf("%d messages, %d, the forgery is %d: OpenCCMMany: %v", count, i, bad, m.Err)
			}
			if i != bad {
				same(t, m.Out, sealed[i].Text, "%d messages, %d: CCM of %d bytes, opened", count, i, len(sealed[i].Text))
			}
		}
	}
}

func TestSM4MAC(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		own, peer := c.new(t)
		p := random(n)
		// gmsm v0.44.1 is correct only if given one piece: a short last piece is hashed with
		// stale bytes of the buffer.
		same(t, maced(own.NewCMAC(), p), cbcmac.NewCMAC(peer, 16).MAC(p), "CMAC, %d bytes", n)

		// The padding of gmsm's CBC-MAC is part of our message.
		padded := append(append(bytes.Clone(p), 0x80), make([]byte, 15-n%16)...)
		same(t, maced(own.NewCBCMAC(), padded), cbcmac.NewCBCMAC(peer, 16).MAC(p), "CBC-MAC, %d bytes", n)
		zeros := append(bytes.Clone(p), make([]byte, -n&15)...)
		chain := make([]byte, 16)
		if n > 0 {
			cipher.NewCBCEncrypter(peer, chain).CryptBlocks(zeros, zeros)
			chain = zeros[len(zeros)-16:]
		}
		same(t, maced(own.NewCBCMAC(), p), chain, "CBC-MAC without a bit, %d bytes", n)
	})
}

// sm4XCBC implements RFC 3566, section 4, over gmsm's cipher.
func sm4XCBC(t *testing.T, key, p []byte) []byte {
	var derived [3][]byte
	b := must(gmsm4.NewCipher(key))(t)
	for i := range derived {
		derived[i] = bytes.Repeat([]byte{byte(i + 1)}, 16)
		b.Encrypt(derived[i], derived[i])
	}
	last := derived[1]
	if p = bytes.Clone(p); len(p) == 0 || len(p)%16 != 0 {
		p = append(p, 0x80)
		p = append(p, make([]byte, -len(p)&15)...)
		last = derived[2]
	}
	for i := range last {
		p[len(p)-16+i] ^= last[i]
	}
	cipher.NewCBCEncrypter(must(gmsm4.NewCipher(derived[0]))(t), make([]byte, 16)).CryptBlocks(p, p)
	return p[len(p)-16:]
}

func TestSM4XCBC(t *testing.T) {
	forSM4(t, func(t *testing.T, c sm4Case, n int) {
		key, p := random(16), random(n)
		same(t, maced(must(c.driver.NewXCBC(key))(t), p), sm4XCBC(t, key, p), "%d bytes", n)
	})
}

func TestSM4OpenSSL(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("the command openssl is not installed; ci/run installs it")
	}
	if version := openssl(t, nil, "version"); !regexp.MustCompile(`^OpenSSL ([3-9]|[1-9][0-9])\.`).Match(version) {
		t.Skipf("this is %s; want OpenSSL 3 or newer", bytes.TrimSpace(version))
	}
	if !bytes.Contains(openssl(t, nil, "enc", "-list"), []byte("-sm4-cfb")) {
		t.Skip("this openssl has no SM4")
	}
	for _, d := range sm4.Drivers() {
		if !d.Available() {
			continue
		}
		for _, n := range opensslAny {
			key, iv, p := random(16), random(16), random(n)
			c := must(must(sm4.On(d.Name))(t).New(key))(t)
			enc := func(mode string, more ...string) []byte {
				return openssl(t, p, append([]string{"enc", "-sm4-" + mode, "-K", hex.EncodeToString(key), "-iv", hex.EncodeToString(iv)}, more...)...)
			}
			same(t, streamed(c.NewCFBEncrypter(iv), p), enc("cfb"), "%s, %d bytes, CFB", d.Name, n)
			same(t, streamed(c.NewCFBDecrypter(iv), p), enc("cfb", "-d"), "%s, %d bytes, CFB backwards", d.Name, n)
			same(t, streamed(c.NewOFB(iv), p), enc("ofb"), "%s, %d bytes, OFB", d.Name, n)
			same(t, maced(c.NewCMAC(), p), openssl(t, p, "mac", "-cipher", "SM4-CBC", "-macopt", "hexkey:"+hex.EncodeToString(key), "-binary", "CMAC"),
				"%s, %d bytes, CMAC", d.Name, n)
		}
	}
}
