package sm3_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/sm3"
)

// Every driver of this machine with a secret message. Valgrind does not support AVX-512,
// but for one message the driver avx512 uses the same code as others.
func TestSecretSum(t *testing.T) {
	for _, info := range sm3.Drivers() {
		if !info.Available() {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			d, err := sm3.On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 1, 55, 56, 64, 119, 1000} {
				message := make([]byte, n)
				for i := range message {
					message[i] = byte(i * 7)
				}
				spec := newSpec()
				spec.Write(message)
				want := [sm3.Size]byte(spec.Sum(nil))
				if n > 0 {
					ctgrind.Secret(message)
				}
				got := d.Sum(message)
				h := d.New()
				h.Write(message)
				written := h.Sum(nil)
				ctgrind.Public(got[:])
				ctgrind.Public(written)
				messages := make([]sm3.Message, 9)
				for i := range messages {
					messages[i].Data = message
				}
				d.SumMany(messages)
				key := make([]byte, 300)
				d.KDF(key, message)
				for i := range messages {
					sum := &messages[i].Sum
					ctgrind.Public(sum[:])
					if *sum != want {
						t.Errorf("%d bytes: SumMany %x, want %x", n, *sum, want)
					}
				}
				ctgrind.Public(key)
				if got != want || [sm3.Size]byte(written) != want {
					t.Errorf("%d bytes: Sum %x, Write %x, want %x", n, got, written, want)
				}
			}
		})
	}
}

// Every driver with a secret as the key of HMAC, the password of PBKDF2 and the secret
// of HKDF.
func TestSecretHMAC(t *testing.T) {
	for _, info := range sm3.Drivers() {
		if !info.Available() {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			d, err := sm3.On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{1, 32, 64, 65, 200} {
				key, message := numbers(1, n), numbers(7, 100)
				want := [sm3.Size]byte(specMAC(key, message))
				wantKey := specPBKDF2(300, key, message[:8], 3)
				_, wantDerived := specHKDF(100, key, message, nil)
				ctgrind.Secret(key)
				h := d.NewHMAC(key)
				h.Write(message)
				tag := h.Sum(nil)
				messages := make([]sm3.HMACMessage, 9)
				for i := range messages {
					messages[i] = sm3.HMACMessage{MAC: h, Data: message}
				}
				d.HMACMany(messages)
				long, short := make([]byte, 300), make([]byte, 32)
				d.PBKDF2(long, key, message[:8], 3)
				d.PBKDF2(short, key, message[:8], 3)
				derived := make([]byte, 100)
				d.HKDF(derived, key, message, nil)
				extracted, expanded := d.HKDFExtract(key, message), make([]byte, 100)
				d.HKDFExpand(expanded, extracted[:], nil)
				keys := make([]sm3.PBKDF2Key, 9)
				for i := range keys {
					keys[i] = sm3.PBKDF2Key{Key: make([]byte, 300), Password: key, Salt: message[:8], Iterations: 3}
				}
				d.PBKDF2Many(keys)
				for i := range keys {
					ctgrind.Public(keys[i].Key)
				}
				for _, p := range [][]byte{key, tag, long, short, derived, expanded} {
					ctgrind.Public(p)
				}
				for i := range messages {
					sum := &messages[i].Sum
					ctgrind.Public(sum[:])
					if *sum != want {
						t.Errorf("key of %d bytes: HMACMany %x, want %x", n, *sum, want)
					}
				}
				if string(derived) != string(wantDerived) || string(expanded) != string(wantDerived) {
					t.Errorf("key of %d bytes: HKDF %x and %x, want %x", n, derived, expanded, wantDerived)
				}
				if string(keys[8].Key) != string(wantKey) {
					t.Errorf("key of %d bytes: PBKDF2Many %x, want %x", n, keys[8].Key, wantKey)
				}
				if [sm3.Size]byte(tag) != want || string(long) != string(wantKey) || string(short) != string(wantKey[:32]) {
					t.Errorf("key of %d bytes: HMAC %x, want %x; PBKDF2 %x and %x, want %x", n, tag, want, short, long, wantKey)
				}
			}
		})
	}
}

func specMAC(key, message []byte) []byte {
	m := newSpecHMAC(key)
	m.Write(message)
	return m.Sum(nil)
}
