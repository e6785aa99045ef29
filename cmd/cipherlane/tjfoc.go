//go:build !mips && !mipsle && !mips64 && !mips64le

package main

// tjfoc replaces SM3, SM4 and the operations of SM2 in github.com/tjfoc/gmsm. Its go.mod
// demands Go 1.14, so the texts may not use newer features of the language. Sm4GCM stays,
// because what it computes is not GCM, and so do ScalarMult and the key exchange, for which
// cipherlane has no API. TestGMSM compares with the original.
var tjfoc = substitution{
	path:     "github.com/tjfoc/gmsm",
	versions: []string{"v1.4.1"},
	packages: []substitute{
		{dir: "gmtls", algorithms: []string{"SM3", "SM4"}, text: tjfocRecordText, renames: []string{
			"func cipherSM4(", "func macSM3(", "func (c *Conn) writeRecordLocked(",
		}, tested: map[string]string{
			"fb04f1384cf6c8715bb3fa9e8649203b99c0bed8d7f964f56b820c2691c20993": "v1.4.1",
		}},
		{dir: "sm2", algorithms: []string{"SM2"}, text: tjfocKeyText, renames: []string{
			"func Sm2Sign(", "func Sm2Verify(", "func Verify(", "func Encrypt(", "func Decrypt(", "func GenerateKey(",
			"func (curve sm2P256Curve) ScalarBaseMult(",
		}, tested: map[string]string{
			"284cc710137c949ccacc03548e80f42e7ba4c72782ec323a4c017320b598c2dd": "v1.4.1",
		}},
		{dir: "sm3", algorithms: []string{"SM3"}, text: tjfocHashText, tested: map[string]string{
			"1a00dda1406d221907178ce88857cd2ef5dc345fc2ae15625b3bfb0a6c14b621": "v1.4.1",
		}},
		{dir: "sm4", algorithms: []string{"SM4"}, text: tjfocCipherText, renames: []string{
			"type Sm4Cipher ", "func (c *Sm4Cipher) BlockSize(", "func (c *Sm4Cipher) Encrypt(", "func (c *Sm4Cipher) Decrypt(",
			"func NewCipher(", "func Sm4Cbc(", "func Sm4Ecb(", "func Sm4CFB(", "func Sm4OFB(",
		}, tested: map[string]string{
			"e788aed50acc8c0e99487a51e6a89a39b7f435b915437e5421cf3400fea111cc": "v1.4.1",
		}},
	},
}

const tjfocHashText = `// Package sm3 hands everything on to cipherlane.
package sm3

import (
	"encoding"
	"hash"

	"github.com/cipherlane/cipherlane/sm3"
)

// An SM3 must not be copied after the first use.
type SM3 struct {
	hash hash.Hash
	self *SM3
}

func New() hash.Hash {
	s := new(SM3)
	s.Reset()
	return s
}

func Sm3Sum(data []byte) []byte {
	sum := sm3.Sum(data)
	return sum[:]
}

func (s *SM3) Reset() {
	if s.self == s {
		s.hash.Reset()
		return
	}
	s.hash, s.self = sm3.New(), s
}

// state returns the hash. In this package, that of the zero value begins with zeros.
func (s *SM3) state() hash.Hash {
	if s.self == s {
		return s.hash
	}
	if s.self != nil {
		panic("sm3: an SM3 was copied after the first use")
	}
	s.Reset()
	var zeros [4 + 8*4 + 64 + 8]byte
	if err := s.UnmarshalBinary(append([]byte("sm3\x01"), zeros[4:]...)); err != nil {
		panic(err)
	}
	return s.hash
}

func (*SM3) Size() int      { return sm3.Size }
func (*SM3) BlockSize() int { return sm3.BlockSize }

func (s *SM3) Write(p []byte) (int, error) { return s.state().Write(p) }

// Sum hashes in and returns the digest alone, which is behind in if there is room. That is
// how this package has always done it.
func (s *SM3) Sum(in []byte) []byte {
	h := s.state()
	h.Write(in)
	return h.Sum(in)[len(in):]
}

// MarshalBinary and UnmarshalBinary are for crypto/hmac, which is then faster.
func (s *SM3) MarshalBinary() ([]byte, error) {
	return s.state().(encoding.BinaryMarshaler).MarshalBinary()
}

func (s *SM3) UnmarshalBinary(b []byte) error {
	return s.state().(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
}
`

const tjfocCipherText = `package sm4

import (
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/sm4"
)

// An Sm4Cipher has the methods of cipherlane's ciphers, among them those that crypto/cipher
// looks for. It is safe for concurrent use.
type Sm4Cipher struct {
	*sm4.Cipher

	// Only the original functions use these.
	subkeys, block1 []uint32
	block2          []byte
}

func NewCipher(key []byte) (cipher.Block, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	c, err := sm4.New(key)
	if err != nil {
		return nil, err
	}
	return &Sm4Cipher{Cipher: c}, nil
}

func checkKey(key []byte) error {
	if len(key) != BlockSize {
		return errors.New("SM4: invalid key size " + strconv.Itoa(len(key)))
	}
	return nil
}

// Encrypt and Decrypt allow any overlap, and a short dst.
func (c *Sm4Cipher) Encrypt(dst, src []byte) {
	_ = src[BlockSize-1]
	var b [BlockSize]byte
	copy(b[:], src)
	c.Cipher.Encrypt(b[:], b[:])
	copy(dst, b[:])
}

func (c *Sm4Cipher) Decrypt(dst, src []byte) {
	_ = src[BlockSize-1]
	var b [BlockSize]byte
	copy(b[:], src)
	c.Cipher.Decrypt(b[:], b[:])
	copy(dst, b[:])
}

func Sm4Ecb(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		if mode {
			c.EncryptBlocks(dst, src)
		} else {
			c.DecryptBlocks(dst, src)
		}
	})
}

func Sm4Cbc(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		iv := make([]byte, BlockSize)
		copy(iv, IV)
		if mode {
			c.NewCBCEncrypter(iv).CryptBlocks(dst, src)
		} else {
			c.NewCBCDecrypter(iv).CryptBlocks(dst, src)
		}
	})
}

func Sm4CFB(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		if mode {
			c.NewCFBEncrypter(IV[:BlockSize]).XORKeyStream(dst, src)
		} else {
			c.NewCFBDecrypter(IV[:BlockSize]).XORKeyStream(dst, src)
		}
	})
}

func Sm4OFB(key, in []byte, mode bool) ([]byte, error) {
	return crypt(key, in, mode, func(c *sm4.Cipher, dst, src []byte) {
		c.NewOFB(IV[:BlockSize]).XORKeyStream(dst, src)
	})
}

// crypt pads or unpads as the original functions do. They ignore an incomplete block at the
// end, and invalid padding. Unlike them it writes nothing behind the message, and an empty
// ciphertext is an error, not a panic.
func crypt(key, in []byte, encrypt bool, blocks func(c *sm4.Cipher, dst, src []byte)) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	c, err := sm4.New(key)
	if err != nil {
		return nil, err
	}
	if encrypt {
		in = pkcs7Padding(in[:len(in):len(in)])
	} else if len(in) == 0 {
		return nil, errors.New("SM4: the ciphertext is empty")
	}
	out := make([]byte, len(in))
	if n := len(in) / BlockSize * BlockSize; n > 0 {
		blocks(c, out[:n], in[:n])
	}
	if !encrypt {
		out, _ = pkcs7UnPadding(out)
	}
	return out, nil
}
`

const tjfocKeyText = `package sm2

import (
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	"math/big"

	"github.com/cipherlane/cipherlane/sm2"
)

// system reports whether random is the system's random number generator. Others are read by
// the original functions only.
func system(random io.Reader) bool { return random == nil || random == rand.Reader }

// number encodes a number in 32 bytes, or returns nil if that is not possible.
func number(x *big.Int) []byte {
	if x == nil || x.Sign() < 0 || x.BitLen() > 256 {
		return nil
	}
	return x.FillBytes(make([]byte, 32))
}

// private returns a private key. It returns nil if the key is not valid or not of this curve.
func private(k *PrivateKey) *sm2.PrivateKey {
	if _, ok := k.Curve.(sm2P256Curve); !ok {
		return nil
	}
	d := number(k.D)
	own, err := sm2.NewPrivateKey(d)
	for i := range d {
		d[i] = 0
	}
	if err != nil {
		return nil
	}
	return own
}

// public returns a public key, or nil if it is not valid. If it is not of this curve, it
// also returns false.
func public(k *PublicKey) (own *sm2.PublicKey, ok bool) {
	if _, ok = k.Curve.(sm2P256Curve); !ok {
		return nil, false
	}
	own, err := sm2.NewPublicKey(append(append([]byte{4}, number(k.X)...), number(k.Y)...))
	if err != nil {
		own = nil
	}
	return own, true
}

func coordinates(k *sm2.PublicKey) (x, y *big.Int) {
	b := k.Bytes()
	return new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:])
}

func GenerateKey(random io.Reader) (*PrivateKey, error) {
	if !system(random) {
		return original_GenerateKey(random)
	}
	own, err := sm2.GenerateKey()
	if err != nil {
		return nil, err
	}
	defer own.Wipe()
	k := new(PrivateKey)
	k.Curve = P256Sm2()
	k.D = new(big.Int).SetBytes(own.Bytes())
	k.X, k.Y = coordinates(own.PublicKey())
	return k, nil
}

func Sm2Sign(priv *PrivateKey, msg, uid []byte, random io.Reader) (r, s *big.Int, err error) {
	var own *sm2.PrivateKey
	if system(random) {
		own = private(priv)
	}
	if own == nil {
		return original_Sm2Sign(priv, msg, uid, random)
	}
	defer own.Wipe()
	digest, err := priv.PublicKey.Sm3Digest(msg, uid)
	if err != nil {
		return nil, nil, err
	}
	signature, err := own.SignRaw(rand.Reader, number(new(big.Int).SetBytes(digest)))
	if err != nil {
		return nil, nil, err
	}
	return new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]), nil
}

func Sm2Verify(pub *PublicKey, msg, uid []byte, r, s *big.Int) bool {
	own, ok := public(pub)
	if !ok {
		return original_Sm2Verify(pub, msg, uid, r, s)
	}
	digest, err := pub.Sm3Digest(msg, uid)
	return err == nil && verify(own, digest, r, s)
}

func Verify(pub *PublicKey, hash []byte, r, s *big.Int) bool {
	own, ok := public(pub)
	if !ok || len(hash) > 32 {
		return original_Verify(pub, hash, r, s)
	}
	return verify(own, hash, r, s)
}

func verify(own *sm2.PublicKey, digest []byte, r, s *big.Int) bool {
	signature := append(number(r), number(s)...)
	return own != nil && own.VerifyRaw(number(new(big.Int).SetBytes(digest)), signature)
}

func format(mode int) sm2.Format {
	if mode == C1C2C3 {
		return sm2.C1C2C3
	}
	return sm2.C1C3C2
}

// Encrypt, unlike the original function, returns from an empty message, which has no ciphertext.
func Encrypt(pub *PublicKey, data []byte, random io.Reader, mode int) ([]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("Encrypt: the message is empty")
	}
	own, ok := public(pub)
	if !ok || !system(random) || len(data) > sm2.MaxMessage {
		return original_Encrypt(pub, data, random, mode)
	}
	if own == nil {
		return nil, errors.New("Encrypt: the public key is not a point of the curve")
	}
	return own.Encrypt(data, format(mode))
}

// Decrypt, unlike the original function, never returns a plaintext with an error.
func Decrypt(priv *PrivateKey, data []byte, mode int) ([]byte, error) {
	own := private(priv)
	if own == nil {
		return original_Decrypt(priv, data, mode)
	}
	defer own.Wipe()
	if len(data) > 0 { // the original function ignores the first byte
		data = append([]byte{4}, data[1:]...)
	}
	message, err := own.Decrypt(nil, data, format(mode))
	if err != nil {
		return nil, errors.New("Decrypt: failed to decrypt")
	}
	return message, nil
}

func (curve sm2P256Curve) ScalarBaseMult(k []byte) (x, y *big.Int) {
	n := new(big.Int).SetBytes(k)
	if n.Cmp(sm2P256.N) >= 0 {
		n.Mod(n, sm2P256.N)
	}
	own, err := sm2.NewPrivateKey(number(n))
	if err != nil { // 0 and n-1
		return curve.original_ScalarBaseMult(k)
	}
	defer own.Wipe()
	return coordinates(own.PublicKey())
}

var _ elliptic.Curve = sm2P256Curve{}
`

const tjfocRecordText = `package gmtls

import (
	"crypto/cipher"
	"io"
	"sync"

	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// CBC encryption and HMAC are serial, so that records of one Write are made side by side.

func cipherSM4(key, iv []byte, isRead bool) interface{} {
	c, err := sm4.New(key)
	if err != nil || isRead {
		return original_cipherSM4(key, iv, isRead)
	}
	return &cbcWriter{c.NewCBCEncrypter(iv), c}
}

type cbcWriter struct {
	cipher.BlockMode
	cipher *sm4.Cipher
}

func (w *cbcWriter) SetIV(iv []byte) { w.BlockMode.(cbcMode).SetIV(iv) }

func macSM3(version uint16, key []byte) macFunction { return sm3MAC{sm3.NewHMAC(key)} }

type sm3MAC struct{ *sm3.HMAC }

// MAC hashes extra after the tag is made, as the original method does, so that the time
// does not depend on the length of the padding.
func (m sm3MAC) MAC(digestBuf, seq, header, data, extra []byte) []byte {
	m.Reset()
	m.Write(seq)
	m.Write(header)
	m.Write(data)
	sum := m.Sum(digestBuf[:0])
	if extra != nil {
		m.Write(extra)
	}
	return sum
}

const (
	minRecords = 4 // fewer are not faster side by side
	maxRecords = 16

	macHeader    = 8 + recordHeaderLen // sequence number, type, version, length
	recordPrefix = recordHeaderLen + sm4.BlockSize
	maxRecord    = recordPrefix + maxPlaintext + sm3.Size + sm4.BlockSize
)

func (c *Conn) writeRecordLocked(typ recordType, data []byte) (done int, err error) {
	w, isSM4 := c.out.cipher.(*cbcWriter)
	mac, isSM3 := c.out.mac.(sm3MAC)
	large := c.config.DynamicRecordSizingDisabled || c.bytesSent >= recordSizeBoostThreshold
	if isSM4 && isSM3 && large && typ == recordTypeApplicationData && c.out.version == VersionGMSSL {
		for len(data) > maxPlaintext { // else it is one record
			n, piece := len(data), maxPlaintext
			if n > maxRecords*maxPlaintext {
				n = maxRecords * maxPlaintext
			} else if n < minRecords*maxPlaintext {
				piece = (n + minRecords - 1) / minRecords
			}
			if err := c.writeRecords(w, mac, data[:n], piece); err != nil {
				return done, err
			}
			data = data[n:]
			done += n
		}
		if len(data) == 0 {
			return done, nil
		}
	}
	n, err := c.original_writeRecordLocked(typ, data)
	return done + n, err
}

type records struct {
	room     [maxRecords * maxRecord]byte
	tags     [maxRecords]sm3.HMACMessage
	messages [maxRecords]sm4.CBCMessage
}

var recordPool = sync.Pool{New: func() interface{} { return new(records) }}

// writeRecords writes data as records for pieces of it.
func (c *Conn) writeRecords(w *cbcWriter, mac sm3MAC, data []byte, piece int) error {
	r := recordPool.Get().(*records)
	defer recordPool.Put(r)
	k, end := 0, 0
	for ; len(data) > 0; k++ {
		n := len(data)
		if n > piece {
			n = piece
		}
		size := (n + sm3.Size + sm4.BlockSize) / sm4.BlockSize * sm4.BlockSize
		record := r.room[end : end+recordPrefix+size]
		end += len(record)

		// The MAC covers a header in front of the data, where the initialization vector will be.
		h := record[recordPrefix-macHeader : recordPrefix]
		copy(h, c.out.seq[:])
		h[8], h[9], h[10], h[11], h[12] = byte(recordTypeApplicationData), byte(c.vers>>8), byte(c.vers&0xff), byte(n>>8), byte(n&0xff)
		c.out.incSeq()
		body := record[recordPrefix:]
		copy(body, data[:n])
		r.tags[k] = sm3.HMACMessage{MAC: mac.HMAC, Data: record[recordPrefix-macHeader : recordPrefix+n]}

		padding := size - n - sm3.Size
		for i := n + sm3.Size; i < size; i++ {
			body[i] = byte(padding - 1)
		}
		r.messages[k] = sm4.CBCMessage{Cipher: w.cipher, IV: record[recordHeaderLen:recordPrefix], Dst: body, Src: body}
		data = data[n:]
	}
	sm3.HMACMany(r.tags[:k])
	at := 0
	for i := range r.messages[:k] {
		size, n := len(r.messages[i].Dst), len(r.tags[i].Data)-macHeader
		copy(r.messages[i].Dst[n:], r.tags[i].Sum[:])
		h := r.room[at:]
		h[0], h[1], h[2] = byte(recordTypeApplicationData), byte(c.vers>>8), byte(c.vers&0xff)
		h[3], h[4] = byte((sm4.BlockSize+size)>>8), byte((sm4.BlockSize+size)&0xff)
		if _, err := io.ReadFull(c.config.rand(), r.messages[i].IV); err != nil {
			*r = records{} // it contains data in the clear
			return err
		}
		at += recordPrefix + size
	}
	sm4.EncryptCBCMany(r.messages[:k])
	_, err := c.write(r.room[:end])
	for i := range r.messages[:k] { // do not keep keys alive
		r.messages[i], r.tags[i] = sm4.CBCMessage{}, sm3.HMACMessage{}
	}
	return err
}
`
