package pkix

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// The object identifiers are those of RFC 8018, RFC 7914, NIST, GM/T 0006 and 0091.
func TestIdentifiers(t *testing.T) {
	check := func(got []byte, want ...int) {
		t.Helper()
		if want := must(asn1.Marshal(asn1.ObjectIdentifier(want))); !bytes.Equal(got, want[2:]) {
			t.Errorf("%x, want %x", got, want[2:])
		}
	}
	check(oidPBES2, 1, 2, 840, 113549, 1, 5, 13)
	check(oidPBKDF2, 1, 2, 840, 113549, 1, 5, 12)
	check(oidScrypt, 1, 3, 6, 1, 4, 1, 11591, 4, 11)
	check(prfs[prfSM3].oid, 1, 2, 156, 10197, 1, 401, 3, 1)
	check(prfs[prfSM3GmSSL].oid, 1, 2, 156, 10197, 1, 401, 2)
	for i, last := range map[int]int{prfSHA256: 9, prfSHA1: 7, 4: 8, 5: 10, 6: 11} { // the last: SHA-224, -384, -512
		check(prfs[i].oid, 1, 2, 840, 113549, 2, last)
	}
	check(schemes[schemeSM4].oid, 1, 2, 156, 10197, 1, 104, 2)
	check(schemes[4].oid, 1, 2, 840, 113549, 3, 7)
	for i, last := range map[int]int{schemeAES256: 42, 2: 22, 3: 2} {
		check(schemes[i].oid, 2, 16, 840, 1, 101, 3, 4, 1, last)
	}
}

// Every hash with every cipher does what RFC 8018 says, written plainly.
func TestSchemes(t *testing.T) {
	hashes := []func() hash.Hash{sha256.New, sm3.New, sm3.New, sha1.New, sha256.New224, sha512.New384, sha512.New}
	ciphers := []struct {
		size, block int
		new         func(key []byte) (cipher.Block, error)
	}{{32, 16, aes.NewCipher}, {16, 16, sm4.NewCipher}, {24, 16, aes.NewCipher}, {16, 16, aes.NewCipher}, {24, 8, des.NewTripleDESCipher}}
	passphrase, salt := []byte("passphrase"), []byte("saltsalt")
	for i, h := range hashes {
		for j, c := range ciphers {
			if prfs[i].size != h().Size() {
				t.Errorf("hash %d has %d bytes, want %d", i, prfs[i].size, h().Size())
			}
			var key []byte
			for n := byte(1); len(key) < c.size; n++ {
				mac := hmac.New(h, passphrase)
				mac.Write(append(salt, 0, 0, 0, n))
				first := mac.Sum(nil)
				mac.Reset()
				mac.Write(first)
				for k, v := range mac.Sum(nil) {
					first[k] ^= v
				}
				key = append(key, first...)
			}
			iv := []byte("0123456789abcdef")[:c.block]
			n := c.block - len(testKey)%c.block
			data := append(bytes.Clone(testKey), bytes.Repeat([]byte{byte(n)}, n)...)
			cipher.NewCBCEncrypter(must(c.new(key[:c.size])), iv).CryptBlocks(data, data)
			e := encrypted{scheme: &schemes[j], prf: &prfs[i], iterations: 2, salt: salt, iv: iv, data: data}
			if got, err := Decrypt(e.marshal(), passphrase, nil); err != nil || !bytes.Equal(got, testKey) {
				t.Errorf("hash %d, cipher %d: %x, %v", i, j, got, err)
			}
			e.scrypt, e.n, e.r, e.p = true, 2, 1, 1
			block, err := e.block(passphrase, func(_, _ []byte, N, r, p, size int) ([]byte, error) {
				if N != 2 || r != 1 || p != 1 || size != c.size {
					t.Errorf("scrypt is called with %d, %d, %d, %d", N, r, p, size)
				}
				return key[:c.size], nil
			})
			if err != nil || block.BlockSize() != c.block {
				t.Errorf("scrypt, cipher %d: %v", j, err)
			}
		}
	}
}

func TestEncrypt(t *testing.T) {
	passphrase := []byte("passphrase")
	for _, o := range []Options{
		{Iterations: 1}, {Iterations: 2, SM3: true}, {Iterations: 1, SM4: true}, {Iterations: 3, SM3: true, SM4: true},
		{Iterations: 2, SM3: true, GmSSL: true}, {Iterations: 1, GmSSL: true},
		{Scrypt: toyScrypt}, {Scrypt: toyScrypt, SM4: true},
	} {
		name := fmt.Sprintf("SM3 %v, GmSSL %v, SM4 %v, scrypt %v", o.SM3, o.GmSSL, o.SM4, o.Scrypt != nil)
		for n := range 17 { // of the last block
			info := MarshalPrivate([]byte{Sequence, 0}, make([]byte, n))
			der := must(Encrypt(info, passphrase, &o))
			if got, err := Decrypt(der, passphrase, o.Scrypt); err != nil || !bytes.Equal(got, info) {
				t.Errorf("%s: %x, %v, want %x", name, got, err, info)
			}
			e, second := must(parseEncrypted(der)), must(parseEncrypted(must(Encrypt(info, passphrase, &o))))
			if bytes.Equal(e.salt, second.salt) || bytes.Equal(e.iv, second.iv) || bytes.Equal(e.salt, e.iv) || len(e.salt) != 16 {
				t.Errorf("%s: salt and IV are not random", name)
			}
			if e.scrypt != (o.Scrypt != nil) || e.iterations != o.Iterations || !e.scrypt && (e.prf.new == nil) != o.SM3 || !e.scrypt && (e.prf == &prfs[prfSM3GmSSL]) != (o.SM3 && o.GmSSL) || (e.scheme == &schemes[schemeSM4]) != o.SM4 || e.scheme != &schemes[schemeAES256] && !o.SM4 {
				t.Errorf("%s: written as %+v", name, e)
			}
			if e.scrypt && (e.n != 1<<14 || e.r != 8 || e.p != 5) { // docs of the packages with keys
				t.Errorf("scrypt with %d, %d, %d", e.n, e.r, e.p)
			}
			if len(e.data) != len(info)+16-len(info)%16 {
				t.Errorf("%d bytes for %d", len(e.data), len(info))
			}
			if _, err := Decrypt(der, []byte("another"), o.Scrypt); err != ErrPassphrase {
				t.Errorf("%s, another passphrase: %v", name, err)
			}
		}
	}
	if e := must(parseEncrypted(must(Encrypt(testKey, passphrase, &Options{})))); e.iterations != 600_000 || e.prf != &prfs[prfSHA256] || e.scheme != &schemes[schemeAES256] {
		t.Errorf("without options: %+v", e)
	}
	for _, n := range []int{-1, 10_000_001} {
		if _, err := Encrypt(testKey, passphrase, &Options{Iterations: n}); err == nil {
			t.Errorf("%d iterations: no error", n)
		}
	}
	if _, err := Encrypt(testKey, nil, &Options{Iterations: 1}); err != errEmptyPhase {
		t.Errorf("no passphrase: %v", err)
	}
	broken := errors.New("broken")
	for name, scrypt := range map[string]func(_, _ []byte, N, r, p, size int) ([]byte, error){
		"an error":  func(_, _ []byte, _, _, _, size int) ([]byte, error) { return make([]byte, size), broken },
		"too short": func(_, _ []byte, _, _, _, size int) ([]byte, error) { return make([]byte, size-1), nil },
		"too long":  func(_, _ []byte, _, _, _, size int) ([]byte, error) { return make([]byte, size+1), nil },
	} {
		if der, err := Encrypt(testKey, passphrase, &Options{Scrypt: scrypt}); err == nil || der != nil || errors.Is(err, broken) != (name == "an error") {
			t.Errorf("scrypt, %s: %v", name, err)
		}
	}
	der := must(Encrypt(testKey, passphrase, &Options{Scrypt: toyScrypt}))
	if _, err := Decrypt(der, passphrase, nil); err != errNoScrypt {
		t.Errorf("without scrypt: %v", err)
	}
}

// The plaintext of a rejected key is not left in memory, and neither is its encryption key.
func TestNothingLeft(t *testing.T) {
	for name, b := range map[string][]byte{
		"padding of 0":      append(bytes.Clone(testKey), 0),
		"padding too long":  append(bytes.Clone(testKey), 17),
		"padding not equal": append(bytes.Clone(testKey), 1, 2),
		"not a key":         []byte("not a key at all\x01"),
		"more than a key":   append(bytes.Clone(testKey), 5, 1),
	} {
		if unpad(b, 16) != nil || !bytes.Equal(b, make([]byte, len(b))) {
			t.Errorf("%s: %x", name, b)
		}
	}
	var key []byte
	for _, err := range []error{nil, errors.New("broken")} {
		e := encrypted{scheme: &schemes[schemeAES256], scrypt: true}
		block, _ := e.block(nil, func(_, _ []byte, _, _, _, size int) ([]byte, error) {
			key = bytes.Repeat([]byte{1}, size)
			return key, err
		})
		if !bytes.Equal(key, make([]byte, 32)) {
			t.Errorf("the key is left: %x", key)
		}
		if block != nil {
			wipe(block)
			if block, ok := block.(interface{ Wipe() }); !ok || !panics(func() { block.(cipher.Block).Encrypt(make([]byte, 16), make([]byte, 16)) }) {
				t.Error("the cipher is not wiped")
			}
		}
	}
}

// Padding of every length and other length behind keys of all sizes of headers, whole and damaged:
// as read plainly, and without a branch on it.
func TestSecretPadding(t *testing.T) {
	plain := func(info []byte, blockSize int) int {
		n := int(info[len(info)-1])
		if n < 1 || n > blockSize || !bytes.Equal(info[len(info)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
			return 0
		}
		all := Read(info[:len(info)-n])
		body := all.In(Sequence)
		if version := body.Next(Integer); !all.Done() || body.Bad() || len(version) != 1 {
			return 0
		}
		return len(info) - n
	}
	right := 0
	for _, size := range []int{0, 1, 3, 4, 121, 122, 124, 125, 126, 250, 252, 253, 65529, 65533} {
		for _, blockSize := range []int{8, 16} {
			for n := range blockSize + 2 {
				info := Append(nil, Sequence, []byte{Integer, 1, 0}, make([]byte, size))
				info = append(info, bytes.Repeat([]byte{byte(n)}, n)...)
				if len(info) < blockSize {
					continue
				}
				for _, damaged := range []int{-1, 0, 1, 2, 3, 4, 5, 6, 7, len(info) - n - 1, len(info) - n, len(info) - n + 1, len(info) - 2, len(info) - 1} {
					if damaged >= len(info) {
						continue
					}
					b := bytes.Clone(info)
					if damaged >= 0 {
						b[damaged] ^= 1
					}
					want := plain(b, blockSize)
					ctgrind.Secret(b)
					got := binary.NativeEndian.AppendUint32(nil, uint32(unpaddedSize(b, blockSize)))
					ctgrind.Public(got)
					if got := int(binary.NativeEndian.Uint32(got)); got != want {
						t.Errorf("%d bytes, padding of %d in blocks of %d, damaged at %d: %d, want %d", size, n, blockSize, damaged, got, want)
					}
					if want != 0 {
						right++
					}
				}
			}
		}
	}
	if right < 300 {
		t.Errorf("%d were right", right)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// Errors tell apart what cannot be read, what is not known, and what is wrong.
func TestEncryptedErrors(t *testing.T) {
	e := encrypted{scheme: &schemes[schemeAES256], prf: &prfs[prfSHA256], iterations: 1, salt: make([]byte, 8), iv: make([]byte, 16), data: make([]byte, 48)}
	der := e.marshal()
	swap := func(old, new []byte) []byte { return bytes.Replace(der, old, new, 1) }
	for name, c := range map[string]struct {
		der  []byte
		want error
	}{
		"nothing":           {nil, errEncrypted},
		"a key in the open": {testKey, errEncrypted},
		"something behind":  {append(bytes.Clone(der), 0), errEncrypted},
		"not PBES2":         {swap(oidPBES2, append(bytes.Clone(oidPBES2[:8]), 0x10)), errKeyScheme},
		"another KDF":       {swap(oidPBKDF2, append(bytes.Clone(oidPBKDF2[:8]), 0x10)), errKeyKDF},
		"another hash":      {swap(prfs[prfSHA256].oid, append(bytes.Clone(prfs[prfSHA256].oid[:7]), 0x10)), errKeyHash},
		"another cipher":    {swap(schemes[schemeAES256].oid, append(bytes.Clone(schemes[schemeAES256].oid[:8]), 0x10)), errKeyCipher},
		"as it is":          {der, ErrPassphrase},
	} {
		if got, err := Decrypt(c.der, []byte("p"), nil); err != c.want || got != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	// As many iterations as are allowed for a key of two hashes.
	e.scheme, e.prf = &schemes[schemeAES256], &prfs[prfSHA1]
	for n, ok := range map[int]bool{MaxIterations / 2: true, MaxIterations/2 + 1: false} {
		e.iterations = n
		if _, err := parseEncrypted(e.marshal()); (err == nil) != ok {
			t.Errorf("%d iterations for 32 bytes of SHA-1: %v", n, err)
		}
	}
	// The hash is SHA-1 if there is none.
	kdf := Append(nil, Sequence, Append(nil, OctetString, e.salt), AppendInt(nil, 1))
	kdf = Append(nil, Sequence, Append(nil, OID, oidPBKDF2), kdf)
	scheme := Append(nil, Sequence, Append(nil, OID, e.scheme.oid), Append(nil, OctetString, e.iv))
	algorithm := Append(nil, Sequence, Append(nil, OID, oidPBES2), Append(nil, Sequence, kdf, scheme))
	if e, err := parseEncrypted(Append(nil, Sequence, algorithm, Append(nil, OctetString, e.data))); err != nil || e.prf != &prfs[prfSHA1] {
		t.Errorf("no hash: %v", err)
	}
	// The largest scrypt.
	e.scrypt = true
	for _, c := range [][3]int{{1 << 18, 8, 4}, {2, 1 << 13, 1}, {2, 1, 1 << 13}, {1 << 21, 1, 4}, {2, 1, 1}} {
		e.n, e.r, e.p = c[0], c[1], c[2]
		if got, err := parseEncrypted(e.marshal()); err != nil || got.n != e.n || got.r != e.r || got.p != e.p {
			t.Errorf("scrypt %v: %v", c, err)
		}
	}
}
