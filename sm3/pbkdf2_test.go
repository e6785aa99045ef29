package sm3_test

import (
	"bytes"
	"crypto/pbkdf2"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/sm3"
)

func decode(digits string) []byte {
	p, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return p
}

// specPBKDF2 is RFC 8018, section 5.2.
func specPBKDF2(n int, password, salt []byte, c int) (key []byte) {
	prf := newSpecHMAC(password)
	for i := uint32(1); len(key) < n; i++ {
		u := binary.BigEndian.AppendUint32(bytes.Clone(salt), i)
		t := make([]byte, 32)
		for range c {
			prf.Reset()
			prf.Write(u)
			u = prf.Sum(nil)
			for k := range t {
				t[k] ^= u[k]
			}
		}
		key = append(key, t...)
	}
	return key[:n]
}

// Known answers of OpenSSL 3.0.19 ("openssl kdf").
var pbkdf2Vectors = []struct {
	password, salt string
	iterations     int
	key            string
}{
	{"password", "salt", 1, "4612f922a1fdcefaf4312fc6f8f3322b489cbf24f2ea361b44c2bd8fa2c6dcb0"},
	{"password", "salt", 2, "fee723a2bc966e11dffb66133f4e8df577383c78ade30e3298edbd3e54ed85b7650006f9e15d3798b131bdb5106d5dddb15c" +
		"00572aea1830e37a534acaa6f917"},
	{"password", "salt", 4096, "b6e8f2074c87432b78f62e5ced980fdff89e86af2f693dab1638e2b3683045dd"},
	{"passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, "3b6282ac8519f059e465abff0ea37b0dbfe6c672a76e6b805312d53900db630732ccc1a88fa5512a"},
	{"password", "salt", 1000, "e8b635a41dfe5aaab7cf828cff6f3608e22cac59ba16edd70e000b293d00bc9118504f57ab46673d" +
		"cee7c541f933ad28733cfa261fd1cc23b6d4975b0181e51ba735abf6ff8ec65adbedff28cd338de3"},
	{string(numbers(1, 100)), string(numbers(1, 150)), 100, "c17678bffb9bfcb2f280a6d98eb55d8ddbedf9fc9e9ed6307e6dbc6e0c3c101ffadeb00371060fc247ff1f818df35c846e25" +
		"2513b5092928b61bcfb31fe0dc6d60325d8eeff4019074bb7392f90da36580d0518badba62e5ab93173c2884e495dea2f174" +
		"60a678c1d89802cadb0092fed04a032e33e2881b2d5007c857ab13cd00b9b154b61f7ce535f3d6de39d76c984cb9a1b88d56" +
		"a7fd58b34bb1d9e3827c"},
}

func TestPBKDF2(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		var keys []sm3.PBKDF2Key
		for _, v := range pbkdf2Vectors {
			key := make([]byte, len(v.key)/2)
			d.PBKDF2(key, []byte(v.password), []byte(v.salt), v.iterations)
			if got := hex.EncodeToString(key); got != v.key {
				t.Errorf("%q, %q, %d: %s, want %s", v.password, v.salt, v.iterations, got, v.key)
			}
			keys = append(keys, sm3.PBKDF2Key{make([]byte, len(key)), []byte(v.password), []byte(v.salt), v.iterations})
		}
		d.PBKDF2Many(keys)
		for i, v := range pbkdf2Vectors {
			if got := hex.EncodeToString(keys[i].Key); got != v.key {
				t.Errorf("together: %q, %q, %d: %s, want %s", v.password, v.salt, v.iterations, got, v.key)
			}
		}

		check := func(n, password, salt, iterations int) {
			t.Helper()
			key, p, s := guard.After(t, n), guard.After(t, password), guard.After(t, salt)
			copy(p, numbers(3, 250))
			copy(s, numbers(5, 250))
			d.PBKDF2(key, p, s, iterations)
			if want := specPBKDF2(n, p, s, iterations); !bytes.Equal(key, want) {
				t.Errorf("%d bytes of %d and %d, %d iterations: %x, want %x", n, password, salt, iterations, key, want)
			}
		}
		for n := range 35 * sm3.Size {
			if n < 70 || n%sm3.Size < 2 || n%sm3.Size == 31 {
				check(n, 8, 8, 2)
			}
		}
		for n := range 140 {
			check(40, n, 8, 2)
			check(40, 8, n, 2)
		}
		check(100, 8, 8, 1)
		conformance.NoAllocs(t, "PBKDF2Many", func() { d.PBKDF2Many(keys[:3]) })
		key := make([]byte, 200)
		conformance.NoAllocs(t, "PBKDF2", func() { d.PBKDF2(key, key[:0], key[:0], 3) })
	})
}

// Keys of all kinds at once, compared with the standard library.
func TestPBKDF2Many(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		r := rand.New(rand.NewPCG(7, 8))
		for count := range 71 {
			for _, most := range []int{1, 2, 30, 150} {
				if most > 2 && count%10 > 1 {
					continue // too slow
				}
				keys := make([]sm3.PBKDF2Key, count)
				for i := range keys {
					keys[i] = sm3.PBKDF2Key{randomBytes(r, r.IntN(80)), randomBytes(r, r.IntN(90)), randomBytes(r, r.IntN(90)), 1 + r.IntN(most)}
				}
				d.PBKDF2Many(keys)
				for i, k := range keys {
					want := []byte{}
					if len(k.Key) > 0 {
						var err error
						if want, err = pbkdf2.Key(sm3.New, string(k.Password), k.Salt, k.Iterations, len(k.Key)); err != nil {
							t.Fatal(err)
						}
					}
					if !bytes.Equal(k.Key, want) {
						t.Errorf("key %d of %d, %d iterations: %x, want %x", i, count, k.Iterations, k.Key, want)
					}
				}
			}
		}
	})
}

func TestPBKDF2Panics(t *testing.T) {
	for _, iterations := range []int{0, -1} {
		key := make([]byte, 32)
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "sm3: ") {
					t.Errorf("%d iterations: panic %v", iterations, p)
				}
			}()
			sm3.PBKDF2Many([]sm3.PBKDF2Key{{key, nil, nil, 1}, {key, nil, nil, iterations}})
		}()
		if !bytes.Equal(key, make([]byte, 32)) {
			t.Error("a key was written before")
		}
	}
}
