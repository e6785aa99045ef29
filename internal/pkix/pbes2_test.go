package pkix

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func unhex(s string) []byte { return must(hex.DecodeString(s)) }

// A private key of no algorithm.
var testKey = MarshalPrivate(Append(nil, Sequence, Append(nil, OID, []byte{1, 2, 3})), []byte("thirty-three bytes of private key"))

// toyScrypt is a stand-in for scrypt.
func toyScrypt(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
	sum := sha256.Sum256(append(bytes.Clone(passphrase), salt...))
	return sum[:size], nil
}

// DER with something in it that another program may write, and what is like it and
// must be refused.
func TestEncryptedForms(t *testing.T) {
	key, passphrase := testKey, []byte("p")
	pad := func(b []byte, n int) []byte { return append(bytes.Clone(b), bytes.Repeat([]byte{byte(n)}, n)...) }
	padded := pad(key, 16-len(key)%16)
	// Attributes that end with 0 fill the last block, so that it could be taken for a
	// padding of no bytes.
	all := Read(key)
	body := all.Next(Sequence)
	full := key
	for n := 1; len(full)%16 != 0 || n == 1; n++ {
		full = Append(nil, Sequence, body, Append(nil, Explicit0, make([]byte, n)))
	}
	if _, _, _, ok := ParsePrivate(full); !ok {
		t.Fatal("attributes are not passed over")
	}
	null, size, other := []byte{Null, 0}, []byte{Integer, 1, 32}, []byte{Integer, 1, 16}
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
		"a full NULL":      {8, 16, false, nil, []byte{Null, 1, 0}, nil, nil, padded, false},
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
		e := encrypted{scheme: &schemes[schemeAES256], prf: &prfs[prfSHA256], scrypt: c.scrypt, iterations: 1, salt: make([]byte, c.salt), iv: make([]byte, 16)}
		block := must(e.block(passphrase, toyScrypt))
		data := bytes.Clone(c.info)
		cipher.NewCBCEncrypter(block, e.iv).CryptBlocks(data[:len(data)/16*16], c.info[:len(data)/16*16])
		sequence := func(parts ...[]byte) []byte { return Append(nil, Sequence, parts...) }
		oid, octets := func(b []byte) []byte { return Append(nil, OID, b) }, func(b []byte) []byte { return Append(nil, OctetString, b) }
		kdf := sequence(oid(oidPBKDF2), sequence(octets(e.salt), AppendInt(nil, 1), c.size, sequence(oid(e.prf.oid), c.null), c.more))
		if c.scrypt {
			kdf = sequence(oid(oidScrypt), sequence(octets(e.salt), AppendInt(nil, 2), AppendInt(nil, 1), AppendInt(nil, 1), c.size, c.more))
		}
		der := sequence(sequence(oid(oidPBES2), sequence(kdf, sequence(oid(e.scheme.oid), octets(e.iv[:c.iv]))), c.end), octets(data))
		back, err := Decrypt(der, passphrase, toyScrypt)
		if (err == nil) != c.ok || c.ok && !bytes.Equal(back, key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The cost that a file can demand is limited, and numbers are not truncated.
func TestEncryptedLimits(t *testing.T) {
	mustNotRun := func(_, _ []byte, N, r, p, _ int) ([]byte, error) {
		t.Errorf("scrypt is called with %d, %d, %d", N, r, p)
		return nil, errors.New("called")
	}
	e := encrypted{scheme: &schemes[schemeAES256], prf: &prfs[prfSHA256], salt: make([]byte, 8), iv: make([]byte, 16), data: make([]byte, 144)}
	for _, n := range []int{0, MaxIterations + 1, 1<<31 - 1} {
		e.iterations = n
		if _, err := Decrypt(e.marshal(), []byte("p"), mustNotRun); err == nil || errors.Is(err, ErrPassphrase) {
			t.Errorf("%d iterations: %v", n, err)
		}
	}
	e.scrypt = true
	for _, c := range [][3]int{
		{1 << 22, 1, 1}, {1 << 19, 8, 1}, {1 << 18, 8, 5}, {2, 1 << 21, 1}, {2, 1, 1 << 23}, {2, 1, 1 << 22}, {2, 1<<13 + 1, 1}, {2, 1, 1<<13 + 1}, {2, 91, 91}, {1 << 30, 1 << 30, 16}, {2, 1<<31 - 1, 1<<31 - 1},
		{0, 8, 1}, {1, 8, 1}, {3, 8, 1}, {1<<14 + 2, 8, 1}, {1 << 14, 0, 1}, {1 << 14, 8, 0},
	} {
		e.n, e.r, e.p = c[0], c[1], c[2]
		if _, err := Decrypt(e.marshal(), []byte("p"), mustNotRun); err == nil || strings.Contains(err.Error(), "called") {
			t.Errorf("scrypt %v: %v", c, err)
		}
	}
	// 2^32 + 1 iterations, and 2^64 + 2: not 1 and not 2.
	for _, n := range []string{"0100000001", "010000000000000002"} {
		e.scrypt, e.iterations = false, 1
		der := bytes.Replace(e.marshal(), []byte{2, 1, 1}, Append(nil, Integer, unhex(n)), 1)
		grow := len(n)/2 - 1
		for _, at := range []int{2, 4, 17, 19, 32} { // the lengths of what it is in
			if der[at-1] != 0x30 && at != 2 {
				t.Fatalf("%x: no SEQUENCE before byte %d", der, at)
			}
			der[at] += byte(grow)
		}
		if _, err := Decrypt(der, []byte("p"), nil); err == nil || !strings.Contains(err.Error(), "iterations of PBKDF2, at most") {
			t.Errorf("%x: %v", der, err)
		}
	}
}

// FuzzEncrypted: what is read is within the limits, and written and read again it is the
// same.
func FuzzEncrypted(f *testing.F) {
	for i := range schemes {
		for j := range prfs {
			for _, e := range []encrypted{{iterations: 1000}, {scrypt: true, n: 16, r: 8, p: 1}} {
				e.scheme, e.prf = &schemes[i], &prfs[j]
				e.salt, e.iv, e.data = make([]byte, 8), make([]byte, e.scheme.block), make([]byte, 32)
				f.Add(e.marshal())
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseEncrypted(b)
		if err != nil {
			return
		}
		checkWork(t, e)
		// It may have named the size of the key and NULL for parameters; without
		// them it says the same.
		reparsed, err := parseEncrypted(e.marshal())
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if !bytes.Equal(reparsed.marshal(), e.marshal()) {
			t.Errorf("%x is not what was read", b)
		}
	})
}

// checkWork computes from the parameters that were accepted what they cost, and compares
// it with what the documentation promises. It does not trust products of the code.
func checkWork(t *testing.T, e *encrypted) {
	t.Helper()
	product := func(factors ...int) *big.Int {
		n := big.NewInt(1)
		for _, f := range factors {
			n.Mul(n, big.NewInt(int64(f)))
		}
		return n
	}
	atMost := func(what string, n *big.Int, most int64) {
		t.Helper()
		if n.Cmp(big.NewInt(most)) > 0 {
			t.Errorf("%s: %v, at most %d are promised", what, n, most)
		}
	}
	atMost("bytes of salt", product(len(e.salt)), 1024)
	if !e.scrypt {
		rounds := (e.scheme.size + e.prf.size - 1) / e.prf.size
		atMost("HMACs of PBKDF2", product(e.iterations, rounds), 10_000_000)
		return
	}
	// x/crypto's scrypt has 128 N r bytes for V, 128 p r for B and 256 r for X and Y.
	memory := product(128, e.n, e.r)
	memory.Add(memory, product(128, e.r, e.p)).Add(memory, product(256, e.r))
	atMost("bytes of scrypt", memory, 256<<20+3<<20)
	atMost("blocks mixed by scrypt", product(4, e.n, e.r, e.p), 1<<25) // 2 N times 2 r blocks of 64 bytes, p times
	atMost("HMACs of scrypt", product(4, e.r, e.p), 1<<15)
}

// FuzzWork: whatever numbers a file names, reading it takes no more time and memory than
// is promised. The cost of long computations is calculated. Others run, and their memory
// is counted.
func FuzzWork(f *testing.F) {
	for i := range uint8(5) {
		f.Add(false, uint64(1), uint64(0), uint64(0), uint16(8), uint64(32), i, i+1, uint16(32), uint16(3))
		f.Add(true, uint64(2), uint64(1), uint64(4194304), uint16(8), uint64(32), i, i, uint16(32), uint16(3))
		f.Add(true, uint64(1)<<i<<13, uint64(8), uint64(1)<<i, uint16(1024), uint64(16), i, i, uint16(16), uint16(0))
		f.Add(true, uint64(2), 8191+uint64(i), uint64(1), uint16(1023+uint16(i)), uint64(0), i, i, uint16(48), uint16(0))
		f.Add(true, uint64(1)<<31, uint64(1)<<32, uint64(1)<<33, uint16(8), uint64(0), i, i, uint16(48), uint16(0))
		f.Add(false, 9_999_999+2*uint64(i), uint64(0), uint64(0), uint16(8), uint64(0), i, i, uint16(48), uint16(0))
	}
	f.Fuzz(func(t *testing.T, scrypt bool, n, r, p uint64, salt uint16, keySize uint64, scheme, prf uint8, data, passphrase uint16) {
		number := func(v uint64) []byte {
			var b [32]byte
			binary.BigEndian.PutUint64(b[24:], v)
			return AppendNumber(nil, b)
		}
		sequence := func(parts ...[]byte) []byte { return Append(nil, Sequence, parts...) }
		s, h := schemes[int(scheme)%len(schemes)], prfs[int(prf)%len(prfs)]
		var size []byte
		if keySize != 0 {
			size = number(keySize)
		}
		details := append(Append(nil, OctetString, make([]byte, salt)), number(n)...)
		oid := oidPBKDF2
		if scrypt {
			oid = oidScrypt
			details = slices.Concat(details, number(r), number(p), size)
		} else {
			details = slices.Concat(details, size, sequence(Append(nil, OID, h.oid)))
		}
		der := sequence(sequence(Append(nil, OID, oidPBES2), sequence(
			sequence(Append(nil, OID, oid), sequence(details)),
			sequence(Append(nil, OID, s.oid), Append(nil, OctetString, make([]byte, s.block))))),
			Append(nil, OctetString, make([]byte, data)))
		e, err := parseEncrypted(der)
		if err == nil {
			checkWork(t, e)
		}
		if err == nil && e.iterations > 1000 {
			return
		}
		asked := 0 // bytes of memory of scrypt
		run := func(_, _ []byte, N, r, p, size int) ([]byte, error) {
			asked += 128*N*r + 128*r*p + 256*r
			return make([]byte, size), nil
		}
		words := make([]byte, passphrase)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Decrypt(der, words, run)
		runtime.ReadMemStats(&after)
		// The plaintext, the passphrase and its copies, and hashes and round keys.
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4*len(der)+8*len(words)+64<<10); got > most || asked > 259<<20 {
			t.Errorf("%d bytes allocated, want at most %d; %d by scrypt", got, most, asked)
		}
	})
}
