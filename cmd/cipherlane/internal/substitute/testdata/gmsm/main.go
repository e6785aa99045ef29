// This program calls everything of two libraries that "cipherlane go" replaces. What it
// prints does not depend on random numbers and has to be the same with and without
// replacement.
package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/x509/pkix"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/big"
	"os"
	"runtime"
	"time"

	"github.com/emmansun/gmsm/cbcmac"
	gmcipher "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/ecdh"
	"github.com/emmansun/gmsm/kdf"
	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/sm2/sm2ec"
	"github.com/emmansun/gmsm/sm3"
	"github.com/emmansun/gmsm/sm4"
	"github.com/emmansun/gmsm/smx509"
	tj2 "github.com/tjfoc/gmsm/sm2"
	tj3 "github.com/tjfoc/gmsm/sm3"
	tj4 "github.com/tjfoc/gmsm/sm4"
)

func main() {
	if len(os.Args) > 1 { // what was mended
		mended(os.Args[1] == "all")
		return
	}
	hashes()
	blocks()
	longUnits()
	keys()
	exchange()
	certificates()
	theirHashes()
	theirBlocks()
	theirKeys()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// show prints the name and a short digest of results.
func show(name string, results ...any) {
	var b bytes.Buffer
	for _, r := range results {
		fmt.Fprintf(&b, "%x\n", r)
	}
	sum := sm3.Sum(b.Bytes())
	fmt.Printf("%s: %x\n", name, sum[:8])
}

// data returns n bytes that depend on a number.
func data(n, seed int) []byte {
	b := make([]byte, n)
	var block [8]byte
	for i := 0; i < n; i += 32 {
		binary.BigEndian.PutUint64(block[:], uint64(i)+uint64(seed)<<40)
		sum := sm3.Sum(block[:])
		copy(b[i:], sum[:])
	}
	return b
}

// A reader is a random number generator that is not random.
type reader struct{ n int }

func (r *reader) Read(p []byte) (int, error) {
	r.n++
	return copy(p, data(len(p), 1000+r.n)), nil
}

// panics reports whether f panics.
func panics(f func()) (p bool) {
	defer func() { p = recover() != nil }()
	f()
	return
}

func hashes() {
	for n := range 300 {
		h := sm3.New()
		h.Write(data(n, 1))
		state := must(h.(encoding.BinaryMarshaler).MarshalBinary())
		restored := sm3.New()
		check(restored.(encoding.BinaryUnmarshaler).UnmarshalBinary(state))
		restored.Write(data(n/2, 2))
		sum := sm3.Sum(data(n, 1))
		show(fmt.Sprint("sm3 ", n), h.Sum([]byte("prefix")), state, restored.Sum(nil), sum[:])
	}
	h := sm3.New().(encoding.BinaryUnmarshaler)
	for _, state := range []string{"", "sm3\x01", "sm3\x03short", "sm3\x01" + string(make([]byte, 104)), "sm3\x03" + string(make([]byte, 200))} {
		fmt.Println("sm3 state:", h.UnmarshalBinary([]byte(state)))
	}
	m := hmac.New(sm3.New, data(20, 3))
	m.Write(data(1000, 4))
	show("hmac", m.Sum(nil), h.(hash.Hash).Size(), h.(hash.Hash).BlockSize())
	for n := 1; n < 500; n += 13 {
		z := data(n%60, n)
		show(fmt.Sprint("kdf ", n), sm3.Kdf(z, n), kdf.Kdf(sm3.New, z, n), kdf.Kdf(sm3.New, z, 0))
	}
	fmt.Println("kdf:", panics(func() { sm3.Kdf(nil, -1) }))
	fmt.Println("selftest:", sm3.SelfTest(), sm4.SelfTest(), sm2.SelfTest())
}

func reversed(key []byte) (cipher.Block, error) {
	k := bytes.Clone(key)
	for i := range k {
		k[i] = key[len(key)-1-i]
	}
	return sm4.NewCipher(k)
}

func blocks() {
	key, iv := data(16, 5), data(16, 6)
	for _, n := range []int{0, 15, 17, 32} {
		_, err := sm4.NewCipher(make([]byte, n))
		fmt.Printf("sm4 key: %v %T\n", err, err)
	}
	b := must(sm4.NewCipher(key))
	for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 33, 100, 127, 128, 129, 160, 255, 256, 271, 1000, 1424, 5000} {
		p, whole := data(n, 7), data(n&^15, 8)
		var out [][]byte
		mode := func(m cipher.BlockMode) {
			for range 2 {
				c := make([]byte, len(whole)+1)
				m.CryptBlocks(c, whole)
				out = append(out, c)
			}
			if s, ok := m.(interface{ SetIV([]byte) }); ok {
				s.SetIV(key)
				c := bytes.Clone(whole)
				m.CryptBlocks(c, c)
				out = append(out, c)
			}
		}
		stream := func(s cipher.Stream) {
			for i := 0; i < n; i += n/3 + 1 {
				c := bytes.Clone(p[i:min(n, i+n/3+1)])
				s.XORKeyStream(c, c)
				out = append(out, c)
			}
		}
		aead := func(a cipher.AEAD, err error) {
			check(err)
			sealed := a.Seal([]byte("x"), iv[:a.NonceSize()], p, iv[:n%7])
			opened, err := a.Open(nil, iv[:a.NonceSize()], sealed[1:], iv[:n%7])
			out = append(out, sealed, opened, fmt.Append(nil, err, a.Overhead()))
			sealed[n/2+1] ^= 1
			opened, err = a.Open(nil, iv[:a.NonceSize()], sealed[1:], iv[:n%7])
			out = append(out, opened, fmt.Append(nil, err != nil))
			_, err = a.Open(nil, iv[:a.NonceSize()], nil, nil)
			out = append(out, fmt.Append(nil, err != nil))
		}
		mode(cipher.NewCBCEncrypter(b, iv))
		mode(cipher.NewCBCDecrypter(b, iv))
		mode(gmcipher.NewECBEncrypter(b))
		mode(gmcipher.NewECBDecrypter(b))
		mode(gmcipher.NewBCEncrypter(b, iv))
		mode(gmcipher.NewBCDecrypter(b, iv))
		for _, create := range []gmcipher.CipherCreator{sm4.NewCipher, reversed} {
			mode(must(gmcipher.NewOFBNLFEncrypter(create, key, iv)))
			mode(must(gmcipher.NewOFBNLFDecrypter(create, key, iv)))
			aead(gmcipher.NewGCMSIV(create, key))
		}
		stream(cipher.NewCTR(b, iv))
		stream(cipher.NewCFBEncrypter(b, iv))
		stream(cipher.NewCFBDecrypter(b, iv))
		stream(cipher.NewOFB(b, iv))
		aead(cipher.NewGCM(b))
		aead(cipher.NewGCMWithNonceSize(b, 7))
		aead(cipher.NewGCMWithTagSize(b, 13))
		for nonce := 7; nonce <= 13; nonce++ {
			aead(gmcipher.NewCCMWithNonceAndTagSize(b, nonce, 4+n%7*2))
		}
		for _, gb := range []bool{false, true} {
			for i, f := range xts(gb) {
				crashes := func(n int) bool { return i == 1 && n > 64 && n%64 > 0 && n%64 < 16 } // gmsm 0.44.1
				if n >= 16 && !crashes(n) && !crashes(n-16) {
					m := must(f(sm4.NewCipher, key, iv, data(16, n)))
					c := make([]byte, n)
					m.CryptBlocks(c, p)
					out = append(out, c)
					m = must(f(sm4.NewCipher, key, iv, data(16, n)))
					m.CryptBlocks(c[:16], c[:16])
					if n >= 32 {
						m.CryptBlocks(c[16:], c[16:])
					}
					out = append(out, c)
				}
			}
		}
		if n >= 16 {
			h := must(gmcipher.NewHCTR(b, iv, key))
			c, d := make([]byte, n), make([]byte, n)
			h.EncryptBytes(c, p)
			h.DecryptBytes(d, p)
			out = append(out, c, d)
		}
		m := cbcmac.NewCMAC(b, 16)
		m.Write(p)
		out = append(out, m.Sum(nil), m.MAC(p), cbcmac.NewCBCMAC(b, 8).MAC(p))
		for i, o := range out {
			show(fmt.Sprintf("sm4 %d bytes, result %d", n, i), o)
		}
	}
	p := data(100, 9)
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" { // elsewhere, gmsm may not have it
		batches := b.(interface {
			Concurrency() int
			EncryptBlocks(dst, src []byte)
			DecryptBlocks(dst, src []byte)
		})
		size := 16 * batches.Concurrency()
		p := data(size+40, 9)
		batches.EncryptBlocks(p, p)
		show("EncryptBlocks", size, p)
		batches.DecryptBlocks(p, p)
		show("DecryptBlocks", p, panics(func() { batches.EncryptBlocks(p, p[:size-1]) }), panics(func() { batches.DecryptBlocks(p[:size-1], p) }))
	}
	for i, f := range []func(){
		func() { b.Encrypt(p[:15], p) },
		func() { b.Decrypt(p, p[:15]) },
		func() { b.Encrypt(p[1:], p) },
		func() { cipher.NewCBCEncrypter(b, iv[:15]) },
		func() { cipher.NewCBCEncrypter(b, iv).CryptBlocks(p, p[:17]) },
		func() { gmcipher.NewECBEncrypter(b).CryptBlocks(p[:16], p[:32]) },
		func() { must(xts(true)[0](sm4.NewCipher, key, iv, iv)).CryptBlocks(p, p[:15]) },
		func() { must(xts(true)[1](sm4.NewCipher, key, iv, iv)).CryptBlocks(p[:16], p[:17]) },
		func() { must(gmcipher.NewCCM(b)).Seal(nil, iv, p, nil) },
	} {
		fmt.Println("sm4 panic", i, panics(f))
	}
	_, err := gmcipher.NewGCMSIV(sm4.NewCipher, data(32, 1))
	fmt.Println("GCM-SIV:", err)
	_, err = gmcipher.NewOFBNLFEncrypter(sm4.NewCipher, key, iv[:15])
	fmt.Println("OFBNLF:", err)
	_, err = gmcipher.NewOFBNLFDecrypter(sm4.NewCipher, key[:15], iv)
	fmt.Println("OFBNLF:", err)
}

func xts(gb bool) []func(gmcipher.CipherCreator, []byte, []byte, []byte) (cipher.BlockMode, error) {
	if gb {
		return []func(gmcipher.CipherCreator, []byte, []byte, []byte) (cipher.BlockMode, error){gmcipher.NewGBXTSEncrypter, gmcipher.NewGBXTSDecrypter}
	}
	return []func(gmcipher.CipherCreator, []byte, []byte, []byte) (cipher.BlockMode, error){gmcipher.NewXTSEncrypter, gmcipher.NewXTSDecrypter}
}

// longUnits is about data units of more than 16 MiB, in one call and in several.
func longUnits() {
	key, iv := data(16, 10), data(16, 11)
	size := 17<<20 + 21 // see above
	p := bytes.Repeat(data(1<<10, 12), size>>10+1)[:size]
	for i, f := range append(xts(false), xts(true)...) {
		one, more := make([]byte, size), make([]byte, size)
		must(f(sm4.NewCipher, key, iv, iv)).CryptBlocks(one, p)
		m := must(f(sm4.NewCipher, key, iv, iv))
		for at := 0; at < size; {
			n := min(size-at, 5<<20)
			if size-at-n < 16 {
				n = size - at
			}
			m.CryptBlocks(more[at:at+n], p[at:at+n])
			at += n
		}
		sum := sm3.Sum(one)
		show(fmt.Sprint("long xts ", i), sum[:], bytes.Equal(one, more))
	}
	m := must(xts(true)[0](sm4.NewCipher, key, iv, iv))
	for range 1<<24>>16 + 3 {
		m.CryptBlocks(p[:1<<16], p[:1<<16])
	}
	show("long xts in calls", p[:1<<16])
}

func keys() {
	for seed := range 20 {
		k := must(sm2.NewPrivateKey(data(32, 20+seed)))
		show("sm2 key", k.X, k.Y, k.D)
		for _, digest := range [][]byte{data(1, 30), data(20, 31), data(32, 32+seed), data(48, 33), bytes.Repeat([]byte{255}, 32), make([]byte, 32)} {
			fixed := must(k.Sign(nil, digest, nil))
			other := must(sm2.SignASN1(&reader{seed}, k, digest, nil))
			random := must(sm2.SignASN1(rand.Reader, k, digest, nil))
			bad := bytes.Clone(fixed)
			bad[len(bad)-1] ^= 1
			var valid []bool
			for _, s := range [][]byte{fixed, other, random, bad} {
				valid = append(valid, sm2.VerifyASN1(&k.PublicKey, digest, s))
			}
			r, s := must2(sm2.Sign(&reader{seed}, &k.PrivateKey, digest))
			n := sm2.P256().Params().N
			for _, pair := range [][2]*big.Int{{r, s}, {s, r}, {new(big.Int), s}, {r, new(big.Int)}, {n, s}, {r, n}, {new(big.Int).Sub(n, s), s}, {new(big.Int).Lsh(r, 9), s}, {r, new(big.Int).Add(s, n)}} {
				valid = append(valid, sm2.Verify(&k.PublicKey, digest, pair[0], pair[1]))
			}
			show(fmt.Sprintf("sm2 sign %d %v", len(digest), valid), fixed, other, r, s)
		}
		_, err := k.Sign(nil, nil, nil)
		fmt.Println("sm2 empty digest:", err)
		_, err = k.Sign(rand.Reader, nil, nil)
		fmt.Println("sm2 empty digest:", err)
		message := must(k.SignWithSM2(rand.Reader, []byte("id"), data(seed+1, 1)))
		fmt.Println("sm2 message:", sm2.VerifyASN1WithSM2(&k.PublicKey, []byte("id"), data(seed+1, 1), message), sm2.VerifyASN1WithSM2(&k.PublicKey, nil, data(seed+1, 1), message))
		recovered := must(sm2.RecoverPublicKeysFromSM2Signature(data(32, 2), must(k.Sign(nil, data(32, 2), nil))))
		fmt.Println("sm2 recovered:", recovered[0].Equal(&k.PublicKey) || recovered[1].Equal(&k.PublicKey), sm2.VerifyASN1(recovered[0], data(32, 2), must(k.Sign(nil, data(32, 2), nil))))

		for _, n := range []int{3, 32, 200} { // one byte may fail in the original
			text := data(n, 40)
			for _, opts := range []*sm2.EncrypterOpts{nil, sm2.ASN1EncrypterOpts, sm2.NewPlainEncrypterOpts(sm2.MarshalCompressed, sm2.C1C3C2), sm2.NewPlainEncrypterOpts(sm2.MarshalUncompressed, sm2.C1C2C3)} {
				order := sm2.NewPlainDecrypterOpts(sm2.C1C3C2)
				if opts == nil || opts == sm2.ASN1EncrypterOpts {
				} else if c := must(sm2.Encrypt(rand.Reader, &k.PublicKey, text, opts)); c[0] == 4 {
					order = sm2.NewPlainDecrypterOpts(sm2.C1C2C3)
				}
				c := must(sm2.Encrypt(&reader{seed}, &k.PublicKey, text, opts))
				fresh := must(sm2.Encrypt(rand.Reader, &k.PublicKey, text, opts))
				p, err := k.Decrypt(nil, c, order)
				q, err2 := k.Decrypt(nil, fresh, order)
				c[len(c)-1] ^= 1
				bad, err3 := k.Decrypt(nil, c, order)
				show(fmt.Sprint("sm2 encrypt ", n, err, err2, err3, len(bad)), c, p, q)
			}
		}
		for _, c := range [][]byte{nil, {4}, make([]byte, 200), bytes.Repeat([]byte{4}, 98), bytes.Repeat([]byte{0x30}, 120)} {
			_, err := k.Decrypt(nil, c, nil)
			fmt.Println("sm2 decrypt:", err)
		}
	}
	for _, k := range [][]byte{nil, make([]byte, 32), bytes.Repeat([]byte{255}, 32), must(sm2.NewPrivateKey(data(32, 20))).D.Bytes()[1:]} {
		_, err := sm2.NewPrivateKey(k)
		_, err2 := sm2.NewPublicKey(k)
		fmt.Println("sm2 bad key:", err, err2)
	}
	point := elliptic(must(sm2.NewPrivateKey(data(32, 20))))
	point[64] ^= 1
	_, err := sm2.NewPublicKey(point)
	fmt.Println("sm2 bad point:", err)
	k := must(sm2.GenerateKey(rand.Reader))
	x, y := sm2ec.P256().ScalarBaseMult(k.D.Bytes())
	fmt.Println("sm2 generated:", x.Cmp(k.X), y.Cmp(k.Y))
	a, b := must(sm2.GenerateKey(&reader{7})), must(sm2.GenerateKey(&reader{7}))
	fmt.Println("sm2 generated:", a.Equal(b))
	show("sm2 generated", a.D)
}

func must2(a, b *big.Int, err error) (*big.Int, *big.Int) {
	check(err)
	return a, b
}

func elliptic(k *sm2.PrivateKey) []byte {
	return append(append([]byte{4}, k.X.FillBytes(make([]byte, 32))...), k.Y.FillBytes(make([]byte, 32))...)
}

func exchange() {
	curve := ecdh.P256()
	for i := range 10 {
		a, b := must(curve.NewPrivateKey(data(32, 50+i))), must(curve.NewPrivateKey(data(32, 70+i)))
		public := must(curve.NewPublicKey(b.PublicKey().Bytes()))
		shared := must(a.ECDH(public))
		mqv := must(a.SM2MQV(b, public, a.PublicKey()))
		agreed := must(mqv.SM2SharedKey(true, 48, a.PublicKey(), public, []byte("a"), nil))
		show("ecdh", a.PublicKey().Bytes(), shared, must(b.ECDH(a.PublicKey())), mqv.Bytes(), agreed, public.Equal(b.PublicKey()), a.Equal(b))
		if reparsed := must(mqv.Curve().NewPublicKey(mqv.Bytes())); !bytes.Equal(must(a.ECDH(mqv)), must(a.ECDH(reparsed))) {
			panic("ecdh")
		}
	}
	for _, b := range [][]byte{nil, {0}, make([]byte, 65), append([]byte{2}, data(32, 1)...)} {
		_, err := curve.NewPublicKey(b)
		_, err2 := curve.NewPrivateKey(b)
		fmt.Println("ecdh:", err, err2)
	}
	k := must(curve.GenerateKey(rand.Reader))
	_, err := k.ECDH(k.PublicKey())
	fmt.Println("ecdh:", err)
}

func certificates() {
	k := must(sm2.GenerateKey(rand.Reader))
	now := time.Now()
	ca := &smx509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: now, NotAfter: now.Add(time.Hour),
		BasicConstraintsValid: true, IsCA: true,
	}
	root := must(smx509.ParseCertificate(must(smx509.CreateCertificate(rand.Reader, ca, ca, &k.PublicKey, k))))
	leaf := &smx509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"a.example"}, NotBefore: now, NotAfter: now.Add(time.Hour)}
	der := must(smx509.CreateCertificate(rand.Reader, leaf, root, &must(sm2.GenerateKey(rand.Reader)).PublicKey, k))
	roots := smx509.NewCertPool()
	roots.AddCert(root)
	_, err := must(smx509.ParseCertificate(der)).Verify(smx509.VerifyOptions{Roots: roots, DNSName: "a.example"})
	der[len(der)-1] ^= 1
	_, err2 := must(smx509.ParseCertificate(der)).Verify(smx509.VerifyOptions{Roots: roots})
	fmt.Println("certificates:", err, err2 != nil)
}

func theirHashes() {
	for n := range 200 {
		h := tj3.New()
		h.Write(data(n, 1))
		room := append(make([]byte, 0, 100), data(n%40, 2)...)
		first, second := h.Sum(room), h.Sum(data(n%3, 3))
		show(fmt.Sprint("tjfoc sm3 ", n), tj3.Sm3Sum(data(n, 4)), first, room[:cap(room)], second, h.Sum(nil), len(first))
		var zero tj3.SM3
		zero.Write(data(n, 5))
		m := hmac.New(tj3.New, data(n, 6))
		for range 2 {
			m.Write(data(n, 7))
			show("tjfoc hmac", m.Sum(nil), m.Sum(make([]byte, n%32)), zero.Sum(nil), m.Size(), m.BlockSize())
			m.Reset()
			zero.Reset()
		}
	}
}

func theirBlocks() {
	key, iv := data(16, 1), data(16, 2)
	c := must(tj4.NewCipher(key))
	_, err := tj4.NewCipher(key[:15])
	fmt.Println("tjfoc sm4:", err, c.BlockSize())
	p := data(40, 3)
	c.Encrypt(p[3:], p)
	c.Decrypt(p[:5], p[7:]) // a short dst
	c.Encrypt(p, p)
	show("tjfoc block", p)
	fmt.Println("tjfoc panic:", panics(func() { c.Encrypt(p, p[:15]) }))
	check(tj4.SetIV(iv))
	fmt.Println("tjfoc iv:", tj4.SetIV(iv[:15]))
	for _, n := range []int{0, 1, 15, 16, 17, 100, 128, 1000, 4096} {
		p := data(n, 4)
		for i, f := range []func(key, in []byte, mode bool) ([]byte, error){tj4.Sm4Ecb, tj4.Sm4Cbc, tj4.Sm4CFB, tj4.Sm4OFB} {
			sealed, err := f(key, p, true)
			opened, err2 := f(key, sealed, false)
			_, err3 := f(key[:3], p, true)
			show(fmt.Sprint("tjfoc sm4 ", n, i, err, err2, err3), sealed, opened)
			if n > 0 {
				bad, err := f(key, p, false) // the padding is mostly not valid
				show(fmt.Sprint("tjfoc sm4 bad ", err, len(bad)), bad)
			}
		}
		if n == 0 {
			continue
		}
		for _, iv := range [][]byte{iv[:12:12], make([]byte, 12), iv, bytes.Repeat([]byte{255}, 12)} {
			for _, text := range [][]byte{p, bytes.Repeat(p, 2)} {
				sealed, tag, err := tj4.Sm4GCM(key, iv, text, key[:n%16], true)
				show(fmt.Sprint("tjfoc gcm ", n, err), sealed, tag)
				if n%16 == 0 {
					opened, tag, err := tj4.Sm4GCM(key, iv, sealed, key[:n%16], false)
					show(fmt.Sprint("tjfoc gcm ", n, err), opened, tag)
				}
			}
		}
	}
	cbc := cipher.NewCBCDecrypter(c, iv)
	cbc.CryptBlocks(p[:32], p[:32])
	cbc.(interface{ SetIV([]byte) }).SetIV(key)
	cbc.CryptBlocks(p[:32], p[:32])
	show("tjfoc cbc", p, must(cipher.NewGCM(c)).Seal(nil, iv[:12], p, iv))
}

func theirKeys() {
	curve := tj2.P256Sm2()
	n := curve.Params().N
	for _, d := range []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(2), new(big.Int).Sub(n, big.NewInt(1)), new(big.Int).Sub(n, big.NewInt(2)), n, new(big.Int).Add(n, big.NewInt(5))} {
		x, y := curve.ScalarBaseMult(d.Bytes())
		fmt.Println("tjfoc base:", x, y)
	}
	for seed := range 10 {
		k, peer := must(tj2.GenerateKey(&reader{10 * seed})), must(tj2.GenerateKey(&reader{10*seed + 5}))
		message := data(20+seed, 1)
		id := data(seed, 2)
		r, s := must2(tj2.Sm2Sign(k, message, id, &reader{seed}))
		r2, s2 := must2(tj2.Sm2Sign(k, message, id, rand.Reader))
		signature := must(k.Sign(nil, message, nil))
		digest := must(k.Sm3Digest(message, id))
		var valid []bool
		for _, pair := range [][2]*big.Int{{r, s}, {r2, s2}, {s, r}, {new(big.Int), s}, {r, n}, {new(big.Int).Neg(r), s}, {new(big.Int).Sub(n, s), s}, {r, new(big.Int).Add(s, n)}} {
			valid = append(valid, tj2.Sm2Verify(&k.PublicKey, message, id, pair[0], pair[1]), tj2.Verify(&k.PublicKey, digest, pair[0], pair[1]))
		}
		valid = append(valid, k.Verify(message, signature), k.Verify(message[1:], signature), peer.Verify(message, signature))
		show(fmt.Sprint("tjfoc sign ", valid), r, s, digest, k.D, k.X, k.Y)
		for _, mode := range []int{tj2.C1C3C2, tj2.C1C2C3, 7} {
			c := must(tj2.Encrypt(&k.PublicKey, message, &reader{seed}, mode))
			fresh := must(tj2.Encrypt(&k.PublicKey, message, nil, mode))
			p, err := tj2.Decrypt(k, c, mode)
			q, err2 := tj2.Decrypt(k, fresh, mode)
			show(fmt.Sprint("tjfoc encrypt ", err, err2), c, p, q)
			c[0] = 99 // not looked at
			p, err = tj2.Decrypt(k, c, mode)
			show(fmt.Sprint("tjfoc prefix ", err), p)
			c[100] ^= 1
			_, err = tj2.Decrypt(k, c, mode)
			fmt.Println("tjfoc decrypt:", err)
		}
		der := must(k.EncryptAsn1(message, rand.Reader))
		show("tjfoc ASN.1", must(k.DecryptAsn1(der)), tj2.Compress(&k.PublicKey), tj2.Decompress(tj2.Compress(&k.PublicKey)).Y)
		a, b := must(tj2.GenerateKey(&reader{90 + seed})), must(tj2.GenerateKey(&reader{91 + seed}))
		key, s1, sa, err := tj2.KeyExchangeA(32, id, id, k, &peer.PublicKey, a, &b.PublicKey)
		check(err)
		show("tjfoc exchange", key, s1, sa)
	}
}

// mended checks what the original libraries do wrong. If all is set, that includes what may
// end the program.
func mended(all bool) {
	z := data(63, 1)
	want := make([]byte, 0, 256)
	for i := byte(1); len(want) < 256; i++ {
		sum := sm3.Sum(append(z[:63:63], 0, 0, 0, i))
		want = append(want, sum[:]...)
	}
	fmt.Println("kdf:", bytes.Equal(sm3.Kdf(z, 256), want))

	k := must(sm2.GenerateKey(rand.Reader))
	failed := 0
	for range 2000 {
		if p, err := k.Decrypt(nil, must(sm2.EncryptASN1(rand.Reader, &k.PublicKey, []byte{1})), nil); err != nil || len(p) != 1 {
			failed++
		}
	}
	fmt.Println("one byte:", failed == 0)

	t := must(tj2.GenerateKey(nil))
	c := must(tj2.Encrypt(&t.PublicKey, []byte("secret"), nil, tj2.C1C3C2))
	c[70] ^= 1
	p, err := tj2.Decrypt(t, c, tj2.C1C3C2)
	fmt.Println("plaintext with an error:", len(p) == 0 && err != nil)
	c[40] ^= 1
	fmt.Println("point not on the curve:", !panics(func() { _, err = tj2.Decrypt(t, c, tj2.C1C3C2) }) && err != nil)
	fmt.Println("short ciphertext:", !panics(func() { _, err = tj2.Decrypt(t, c[:20], tj2.C1C3C2) }) && err != nil)

	signature := must(hex.DecodeString("3046022100be0ea64e1ec06f0d247093f3ccbbadcfb6260224272f86ddb78326e7cd6c7560" +
		"022100e9f6ab2fcc48a2cef94838e66b5c7e21fd8e4de25990dd98ca5243f4966f2853"))
	public := must(sm2.NewPublicKey(must(hex.DecodeString("04ef4de57af00ae424c00c4caadff7193f804a19dd73a7e2954db9d0d15ab4cbba" +
		"67728c3f4572878b7a674735da9fde1682fe2d9e0799c4a5cde57e3d473039a2"))))
	fmt.Println("signature with a carry:", sm2.VerifyASN1(public, make([]byte, 32), signature))

	rejected, kept := true, true
	for _, crypt := range []func(key, in []byte, encrypt bool) ([]byte, error){tj4.Sm4Ecb, tj4.Sm4Cbc, tj4.Sm4CFB, tj4.Sm4OFB} {
		rejected = rejected && !panics(func() { p, err = crypt(z[:16], nil, false) }) && p == nil && err != nil
		b := make([]byte, 40)
		must(crypt(z[:16], b[:20], true))
		kept = kept && bytes.Equal(b, make([]byte, 40))
	}
	fmt.Println("empty ciphertexts:", rejected)
	fmt.Println("what is behind a message:", kept)
	if !all {
		return
	}

	for _, random := range []io.Reader{nil, rand.Reader, &reader{}} {
		c, err := tj2.Encrypt(&t.PublicKey, []byte{}, random, tj2.C1C3C2)
		fmt.Println("empty message:", c == nil && err != nil)
	}
	same := true
	for i, f := range xts(false) {
		for n := 65; n < 80 && i == 1; n++ {
			c, d := make([]byte, n), make([]byte, n)
			must(xts(false)[0](sm4.NewCipher, z[:16], z[16:32], z[:16])).CryptBlocks(c, data(n, 1))
			must(f(sm4.NewCipher, z[:16], z[16:32], z[:16])).CryptBlocks(d, c)
			same = same && bytes.Equal(d, data(n, 1))
		}
	}
	fmt.Println("xts:", same)
}
