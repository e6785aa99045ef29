package peers

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"encoding/hex"
	"fmt"
	"testing"

	gmsm3 "github.com/emmansun/gmsm/sm3"

	"github.com/cipherlane/cipherlane/sm3"
)

// The standard library's constructions over gmsm's SM3.
func TestSM3WithKeys(t *testing.T) {
	for _, d := range sm3.Drivers() {
		if !d.Available() {
			continue
		}
		driver, err := sm3.On(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		var messages []sm3.HMACMessage
		var want [][]byte
		for i, n := range lengths() {
			key, p := random(i%150), random(n)
			m := hmac.New(gmsm3.New, key)
			m.Write(p)
			want = append(want, m.Sum(nil))
			messages = append(messages, sm3.HMACMessage{MAC: driver.NewHMAC(key), Data: p})
		}
		driver.HMACMany(messages)
		for i, m := range messages {
			m.MAC.Write(m.Data)
			if !bytes.Equal(m.Sum[:], want[i]) || !bytes.Equal(m.MAC.Sum(nil), want[i]) {
				t.Fatalf("%s: %d bytes: tags differ", d.Name, len(m.Data))
			}
		}
		var keys []sm3.PBKDF2Key
		for n := 1; n < 400; n += 3 {
			keys = append(keys, sm3.PBKDF2Key{Key: make([]byte, n), Password: random(n % 90), Salt: random(n % 70), Iterations: 1 + n%50})
		}
		driver.PBKDF2Many(keys)
		for _, k := range keys {
			want, err := pbkdf2.Key(gmsm3.New, string(k.Password), k.Salt, k.Iterations, len(k.Key))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(k.Key, want) {
				t.Fatalf("%s: PBKDF2 of %d bytes, %d iterations: keys differ", d.Name, len(k.Key), k.Iterations)
			}
			secret, salt, info, key := random(len(k.Key)%100), k.Salt, k.Password, make([]byte, len(k.Key))
			if want, err = hkdf.Key(gmsm3.New, secret, salt, string(info), len(key)); err != nil {
				t.Fatal(err)
			}
			if driver.HKDF(key, secret, salt, info); !bytes.Equal(key, want) {
				t.Fatalf("%s: HKDF of %d bytes: keys differ", d.Name, len(key))
			}
		}
	}
}

func TestSM3OpenSSL(t *testing.T) {
	kdf := func(name string, n int, options ...string) []byte {
		args := []string{"kdf", "-keylen", fmt.Sprint(n), "-binary", "-kdfopt", "digest:SM3"}
		for _, o := range options {
			args = append(args, "-kdfopt", o)
		}
		return openssl(t, nil, append(args, name)...)
	}
	for _, n := range []int{1, 16, 32, 33, 100, 700, 2000} {
		a, b, c := random(1+n%90), random(8+n%70), random(1+n%50)
		key, iterations := make([]byte, n), 1+n%40
		sm3.PBKDF2(key, a, b, iterations)
		if want := kdf("PBKDF2", n, "hexpass:"+hex.EncodeToString(a), "hexsalt:"+hex.EncodeToString(b), fmt.Sprintf("iter:%d", iterations), "pkcs5:1"); !bytes.Equal(key, want) {
			t.Errorf("PBKDF2 of %d bytes: %x, openssl %x", n, key, want)
		}
		sm3.HKDF(key, a, b, c)
		if want := kdf("HKDF", n, "hexkey:"+hex.EncodeToString(a), "hexsalt:"+hex.EncodeToString(b), "hexinfo:"+hex.EncodeToString(c)); !bytes.Equal(key, want) {
			t.Errorf("HKDF of %d bytes: %x, openssl %x", n, key, want)
		}
		p := random(n)
		h := sm3.NewHMAC(a)
		h.Write(p)
		if got, want := h.Sum(nil), openssl(t, p, "mac", "-digest", "SM3", "-macopt", "hexkey:"+hex.EncodeToString(a), "-binary", "HMAC"); !bytes.Equal(got, want) {
			t.Errorf("HMAC of %d bytes: %x, openssl %x", n, got, want)
		}
	}
}
