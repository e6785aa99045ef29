package sm2

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// specScrypt is RFC 7914.
func specScrypt(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
	b := must(pbkdf2.Key(sha256.New, string(passphrase), salt, 1, p*128*r))
	for i := range p {
		specROMix(b[i*128*r:][:128*r], N, r)
	}
	return pbkdf2.Key(sha256.New, string(passphrase), b, 1, size)
}

func specROMix(b []byte, N, r int) {
	x := make([]uint32, 32*r)
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	var v [][]uint32
	for range N {
		v = append(v, x)
		x = specBlockMix(x)
	}
	for range N {
		j := int(x[32*r-16]) & (N - 1)
		t := make([]uint32, len(x))
		for i := range t {
			t[i] = x[i] ^ v[j][i]
		}
		x = specBlockMix(t)
	}
	for i := range x {
		binary.LittleEndian.PutUint32(b[4*i:], x[i])
	}
}

func specBlockMix(b []uint32) []uint32 {
	n := len(b) / 16
	y := make([]uint32, len(b))
	x := [16]uint32(b[len(b)-16:])
	for i := range n {
		for j := range x {
			x[j] ^= b[16*i+j]
		}
		before := x
		for range 4 {
			for _, q := range [][4]int{{0, 4, 8, 12}, {5, 9, 13, 1}, {10, 14, 2, 6}, {15, 3, 7, 11}, {0, 1, 2, 3}, {5, 6, 7, 4}, {10, 11, 8, 9}, {15, 12, 13, 14}} {
				for k, turn := range []int{7, 9, 13, 18} {
					x[q[(k+1)%4]] ^= bits.RotateLeft32(x[q[k]]+x[q[(k+3)%4]], turn)
				}
			}
		}
		for j := range x {
			x[j] += before[j]
		}
		copy(y[16*(i/2+i%2*n/2):], x[:])
	}
	return y
}

// RFC 7914, section 12.
func TestSpecScrypt(t *testing.T) {
	want := unhex("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
	if got := must(specScrypt([]byte("password"), []byte("NaCl"), 1024, 8, 16, 64)); !bytes.Equal(got, want) {
		t.Errorf("%x", got)
	}
}

// Keys that other programs encrypted.
func TestEncryptedVectors(t *testing.T) {
	var tests []struct{ Source, Comment, Passphrase, Der, Public, Result string }
	if err := json.Unmarshal(must(os.ReadFile("testdata/sm2_encrypted.json")), &tests); err != nil {
		t.Fatal(err)
	}
	for _, v := range tests {
		name := v.Source + ", " + v.Comment
		k, err := ParseEncryptedPrivateKey(unhex(v.Der), []byte(v.Passphrase), &KeyEncryption{Scrypt: specScrypt})
		if v.Result == "invalid" {
			if !errors.Is(err, errKeyScheme) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(k.PublicKey().Bytes(), unhex(v.Public)) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(v.Comment, "scrypt") {
			if _, err := ParseEncryptedPrivateKey(unhex(v.Der), []byte(v.Passphrase), nil); !errors.Is(err, errNoScrypt) {
				t.Errorf("%s, without scrypt: %v", name, err)
			}
			continue
		}
		for _, other := range []string{"", "correct hors", v.Passphrase + " ", v.Passphrase + "\n"} {
			if _, err := ParseEncryptedPrivateKey(unhex(v.Der), []byte(other), nil); !errors.Is(err, ErrPassphrase) {
				t.Errorf("%s, with %q: %v", name, other, err)
			}
		}
	}
	if len(tests) < 8 {
		t.Errorf("%d tests", len(tests))
	}
}

func TestEncrypted(t *testing.T) {
	k := newKey(automatic(), annexKey)
	passphrase := []byte("a passphrase")
	cheap := func(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
		return specScrypt(passphrase, salt, 2, 1, 1, size)
	}
	for _, how := range []KeyEncryption{
		{Iterations: 1}, {Iterations: 2, SM3: true}, {Iterations: 3, SM4: true}, {Iterations: 128, SM4: true, SM3: true},
		{Scrypt: cheap}, {Scrypt: cheap, SM4: true},
	} {
		der := must(MarshalEncryptedPrivateKey(k, passphrase, &how))
		if back, err := ParseEncryptedPrivateKey(der, passphrase, &how); err != nil || !back.Equal(k) {
			t.Errorf("%+v: %v", how, err)
		}
		if bytes.Equal(der, must(MarshalEncryptedPrivateKey(k, passphrase, &how))) {
			t.Errorf("%+v: twice the same", how)
		}
		// No byte can be missing, and a changed one gives an error or, in the IV, at
		// most another form of what is there.
		for i := range der {
			if _, err := ParseEncryptedPrivateKey(der[:i], passphrase, &how); err == nil {
				t.Errorf("%+v: cut to %d bytes it is read", how, i)
			}
			changed := bytes.Clone(der)
			changed[i] ^= 0x10
			if back, err := ParseEncryptedPrivateKey(changed, passphrase, &how); err == nil && !back.Equal(k) {
				t.Errorf("%+v: with byte %d changed it is another key", how, i)
			}
		}
		if _, err := ParseEncryptedPrivateKey(append(der, 0), passphrase, &how); err == nil {
			t.Errorf("%+v: with a byte more it is read", how)
		}
		// Wrong passphrases: some of them give right padding.
		for i := range 1000 {
			if how.Scrypt != nil || how.Iterations > 3 {
				break
			}
			if _, err := ParseEncryptedPrivateKey(der, []byte{byte(i), byte(i >> 8)}, &how); !errors.Is(err, ErrPassphrase) {
				t.Errorf("%+v: passphrase %d: %v", how, i, err)
			}
		}
	}
	if der, err := MarshalEncryptedPrivateKey(k, passphrase, nil); err != nil {
		t.Error(err)
	} else if e := must(parseEncrypted(der)); e.iterations != DefaultIterations || e.sm3 || e.sm4 || e.scrypt {
		t.Errorf("by default %+v", e)
	}
	for _, n := range []int{-1, MaxIterations + 1} {
		if _, err := MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Iterations: n}); err == nil {
			t.Errorf("%d iterations", n)
		}
	}
	if _, err := MarshalEncryptedPrivateKey(k, nil, nil); err == nil {
		t.Error("without a passphrase")
	}
	failing := func([]byte, []byte, int, int, int, int) ([]byte, error) { return nil, errors.New("no memory") }
	if _, err := MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Scrypt: failing}); err == nil {
		t.Error("scrypt that fails")
	}
	long := func(_, _ []byte, _, _, _, size int) ([]byte, error) { return make([]byte, 2*size), nil }
	if _, err := MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Scrypt: long}); err == nil {
		t.Error("scrypt that returns a longer key")
	}
	k.Wipe()
	if _, err := MarshalEncryptedPrivateKey(k, passphrase, nil); err == nil {
		t.Error("a wiped key")
	}
}

// A key of another algorithm was decrypted: the passphrase is not what is wrong.
func TestEncryptedOther(t *testing.T) {
	e := encrypted{iterations: 1, salt: make([]byte, 8), iv: make([]byte, 16)}
	block := must(e.block([]byte("p"), new(KeyEncryption)))
	info := bytes.Replace(MarshalPKCS8PrivateKey(newKey(automatic(), annexKey)), oidCurve, append([]byte{0x2a, 0x86}, oidCurve[2:]...), 1)
	pad := 16 - len(info)%16
	info = append(info, bytes.Repeat([]byte{byte(pad)}, pad)...)
	e.data = make([]byte, len(info))
	block.NewCBCEncrypter(e.iv).CryptBlocks(e.data, info)
	if _, err := ParseEncryptedPrivateKey(e.marshal(), []byte("p"), nil); !errors.Is(err, errPrivateDER) {
		t.Error(err)
	}
}

// DER with something in it that another program may write, and what is like it and
// must be refused.
func TestEncryptedForms(t *testing.T) {
	k, passphrase := newKey(automatic(), annexKey), []byte("p")
	scrypt := func(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
		return specScrypt(passphrase, salt, 2, 1, 1, size)
	}
	key := MarshalPKCS8PrivateKey(k)
	pad := func(b []byte, n int) []byte { return append(bytes.Clone(b), bytes.Repeat([]byte{byte(n)}, n)...) }
	padded := pad(key, 16-len(key)%16)
	// Attributes that end with 0 fill the last block, so that it could be taken for a
	// padding of no bytes.
	all := reader{rest: key}
	body := all.next(tagSequence)
	full := key
	for n := 1; len(full)%16 != 0 || n == 1; n++ {
		full = appendDER(nil, tagSequence, body, appendDER(nil, tagExplicit0, make([]byte, n)))
	}
	must(ParsePKCS8PrivateKey(full))
	null, size, other := []byte{tagNull, 0}, []byte{tagInteger, 1, 32}, []byte{tagInteger, 1, 16}
	for name, c := range map[string]struct {
		salt, iv              int
		scrypt                bool
		size, null, more, end []byte // of the key; behind the name of the hash; behind all parameters
		info                  []byte
		ok                    bool
	}{
		"as it is":         {8, 16, false, nil, null, nil, nil, padded, true},
		"a size":           {8, 16, false, size, null, nil, nil, padded, true},
		"another size":     {8, 16, false, other, null, nil, nil, padded, false},
		"no NULL":          {8, 16, false, nil, nil, nil, nil, padded, true},
		"a full NULL":      {8, 16, false, nil, []byte{tagNull, 1, 0}, nil, nil, padded, false},
		"two NULLs":        {8, 16, false, nil, append(null, null...), nil, nil, padded, false},
		"scrypt":           {8, 16, true, nil, nil, nil, nil, padded, true},
		"scrypt, size":     {8, 16, true, size, nil, nil, nil, padded, true},
		"scrypt, another":  {8, 16, true, other, nil, nil, nil, padded, false},
		"scrypt, NULL":     {8, 16, true, nil, nil, null, nil, padded, false},
		"more in the KDF":  {8, 16, false, nil, null, null, nil, padded, false},
		"more at the end":  {8, 16, false, nil, null, nil, null, padded, false},
		"much salt":        {maxSalt, 16, false, nil, null, nil, nil, padded, true},
		"no salt":          {0, 16, false, nil, null, nil, nil, padded, false},
		"too much salt":    {maxSalt + 1, 16, false, nil, null, nil, nil, padded, false},
		"a short IV":       {8, 15, false, nil, null, nil, nil, padded, false},
		"half a block":     {8, 16, false, nil, null, nil, nil, padded[:len(padded)-8], false},
		"no block":         {8, 16, false, nil, null, nil, nil, nil, false},
		"padding too long": {8, 16, false, nil, null, nil, nil, pad(key, 32-len(key)%16), false},
		"no padding":       {8, 16, false, nil, null, nil, nil, full, false},
		"something behind": {8, 16, false, nil, null, nil, nil, pad(append(bytes.Clone(key), 0), 15-len(key)%16), false},
		"uneven padding":   {8, 16, false, nil, null, nil, nil, slices.Concat(key, []byte{9}, padded[len(key)+1:]), false},
	} {
		e := encrypted{scrypt: c.scrypt, iterations: 1, salt: make([]byte, c.salt), iv: make([]byte, 16)}
		block := must(e.block(passphrase, &KeyEncryption{Scrypt: scrypt}))
		data := bytes.Clone(c.info)
		block.NewCBCEncrypter(e.iv).CryptBlocks(data[:len(data)/16*16], c.info[:len(data)/16*16])
		sequence := func(parts ...[]byte) []byte { return appendDER(nil, tagSequence, parts...) }
		oid, octets := func(b []byte) []byte { return appendDER(nil, tagOID, b) }, func(b []byte) []byte { return appendDER(nil, tagOctetString, b) }
		kdf := sequence(oid(oidPBKDF2), sequence(octets(e.salt), appendSmall(nil, 1), c.size, sequence(oid(oidHMACSHA256), c.null), c.more))
		if c.scrypt {
			kdf = sequence(oid(oidScrypt), sequence(octets(e.salt), appendSmall(nil, 2), appendSmall(nil, 1), appendSmall(nil, 1), c.size, c.more))
		}
		der := sequence(sequence(oid(oidPBES2), sequence(kdf, sequence(oid(oidAES256CBC), octets(e.iv[:c.iv]))), c.end), octets(data))
		back, err := ParseEncryptedPrivateKey(der, passphrase, &KeyEncryption{Scrypt: scrypt})
		if (err == nil) != c.ok || c.ok && !back.Equal(k) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What somebody else asks for is limited, and numbers are not cut.
func TestEncryptedLimits(t *testing.T) {
	never := &KeyEncryption{Scrypt: func(_, _ []byte, N, r, p, _ int) ([]byte, error) {
		t.Errorf("scrypt is called with %d, %d, %d", N, r, p)
		return nil, errors.New("called")
	}}
	e := encrypted{salt: make([]byte, 8), iv: make([]byte, 16), data: make([]byte, 144)}
	for _, n := range []int{0, MaxIterations + 1, 1<<31 - 1} {
		e.iterations = n
		if _, err := ParseEncryptedPrivateKey(e.marshal(), []byte("p"), never); err == nil || errors.Is(err, ErrPassphrase) {
			t.Errorf("%d iterations: %v", n, err)
		}
	}
	e.scrypt = true
	for _, c := range [][3]int{
		{1 << 22, 1, 1}, {1 << 19, 8, 1}, {1 << 18, 8, 5}, {2, 1 << 21, 1}, {2, 1, 1 << 23}, {2, 1, 1 << 22}, {2, 1<<13 + 1, 1}, {2, 1, 1<<13 + 1}, {1 << 31, 1 << 31, 4}, {2, 1<<31 - 1, 1<<31 - 1},
		{0, 8, 1}, {1, 8, 1}, {3, 8, 1}, {1<<14 + 2, 8, 1}, {1 << 14, 0, 1}, {1 << 14, 8, 0},
	} {
		e.n, e.r, e.p = c[0], c[1], c[2]
		if _, err := ParseEncryptedPrivateKey(e.marshal(), []byte("p"), never); err == nil || strings.Contains(err.Error(), "called") {
			t.Errorf("scrypt %v: %v", c, err)
		}
	}
	// 2^32 + 1 iterations, and 2^64 + 2: not 1 and not 2.
	for _, n := range []string{"0100000001", "010000000000000002"} {
		e.scrypt, e.iterations = false, 1
		der := bytes.Replace(e.marshal(), []byte{2, 1, 1}, appendDER(nil, tagInteger, unhex(n)), 1)
		grow := len(n)/2 - 1
		for _, at := range []int{2, 4, 17, 19, 32} { // the lengths of what it is in
			if der[at-1] != 0x30 && at != 2 {
				t.Fatalf("%x: no SEQUENCE before byte %d", der, at)
			}
			der[at] += byte(grow)
		}
		if _, err := ParseEncryptedPrivateKey(der, []byte("p"), nil); err == nil || !strings.Contains(err.Error(), "iterations of PBKDF2, at most") {
			t.Errorf("%x: %v", der, err)
		}
	}
}

func TestEncryptedFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		if _, err := MarshalEncryptedPrivateKey(new(PrivateKey), []byte("p"), nil); !errors.Is(err, errFIPS) {
			t.Error(err)
		}
		if _, err := ParseEncryptedPrivateKey(nil, []byte("p"), nil); !errors.Is(err, errFIPS) {
			t.Error(err)
		}
	})
}

func FuzzEncrypted(f *testing.F) {
	for _, e := range []encrypted{{iterations: 1000}, {iterations: 70000, sm3: true, sm4: true}, {scrypt: true, n: 16, r: 8, p: 1}} {
		e.salt, e.iv, e.data = make([]byte, 8), make([]byte, 16), make([]byte, 32)
		f.Add(e.marshal())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseEncrypted(b)
		if err != nil {
			return
		}
		if e.iterations > MaxIterations || e.n*e.r > maxScryptMemory || e.n*e.r*e.p > maxScryptWork {
			t.Errorf("%x: too much work", b)
		}
		// It may have named the size of the key and NULL for parameters; without
		// them it says the same.
		again, err := parseEncrypted(e.marshal())
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if !bytes.Equal(again.marshal(), e.marshal()) {
			t.Errorf("%x is not what was read", b)
		}
	})
}
