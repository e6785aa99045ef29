package sm3_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/sm3"
)

// FuzzDrivers compares every driver with the portable one: in one piece, and in
// pieces whose lengths are the bytes of splits.
func FuzzDrivers(f *testing.F) {
	f.Add([]byte("abc"), []byte{1}, uint16(0))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), []byte{64, 1, 63, 128, 0, 200}, uint16(1000))
	f.Fuzz(func(t *testing.T, p, splits []byte, length uint16) {
		for len(p) > 0 && len(p) < int(length) { // fuzzers like short inputs, kernels have long passes
			p = append(p, p...)
		}
		generic, err := sm3.On("generic")
		if err != nil {
			t.Fatal(err)
		}
		want := generic.Sum(p)
		for _, info := range sm3.Drivers() {
			if !info.Available() {
				continue
			}
			d, err := sm3.On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Sum(p); got != want {
				t.Errorf("%s: Sum of %d bytes: %x, generic %x", info.Name, len(p), got, want)
			}
			h, rest := d.New(), p
			for _, n := range splits {
				n := min(int(n), len(rest))
				h.Write(rest[:n])
				rest = rest[n:]
			}
			h.Write(rest)
			if got := [sm3.Size]byte(h.Sum(nil)); got != want {
				t.Errorf("%s: %d bytes in pieces of %v: %x, generic %x", info.Name, len(p), splits, got, want)
			}

			// The same pieces as messages.
			splits := splits[:min(len(splits), 70)]
			messages, rest := make([]sm3.Message, len(splits)+1), p
			for i, n := range splits {
				n := min(int(n), len(rest))
				messages[i].Data, rest = rest[:n], rest[n:]
			}
			messages[len(splits)].Data = rest
			d.SumMany(messages)
			for i := range messages {
				if m := &messages[i]; m.Sum != generic.Sum(m.Data) {
					t.Errorf("%s: message %d of %d, %d bytes: %x", info.Name, i, len(messages), len(m.Data), m.Sum)
				}
			}

			// The first of them as a key and a password.
			key := messages[0].Data
			mac, macs := d.NewHMAC(key), make([]sm3.HMACMessage, len(messages))
			for i := range macs {
				macs[i] = sm3.HMACMessage{MAC: mac, Data: messages[i].Data}
			}
			d.HMACMany(macs)
			portable := generic.NewHMAC(key)
			for i := range macs {
				m := &macs[i]
				mac.Reset()
				mac.Write(m.Data)
				portable.Reset()
				portable.Write(m.Data)
				if want := portable.Sum(nil); string(m.Sum[:]) != string(want) || string(mac.Sum(nil)) != string(want) {
					t.Errorf("%s: message %d of %d, %d bytes: HMACMany %x, HMAC %x, generic %x", info.Name, i, len(macs), len(m.Data), m.Sum, mac.Sum(nil), want)
				}
			}

			length := len(splits)*16 + int(length)%64
			got1, want1 := make([]byte, length), make([]byte, length)
			d.KDF(got1, p)
			generic.KDF(want1, p)
			if string(got1) != string(want1) {
				t.Errorf("%s: KDF of %d bytes from %d: %x, generic %x", info.Name, length, len(p), got1, want1)
			}
			iterations := 1 + length%7
			d.PBKDF2(got1, key, p, iterations)
			generic.PBKDF2(want1, key, p, iterations)
			if string(got1) != string(want1) {
				t.Errorf("%s: PBKDF2 of %d bytes, %d iterations: %x, generic %x", info.Name, length, iterations, got1, want1)
			}
			keys := make([]sm3.PBKDF2Key, len(messages))
			for i := range keys {
				keys[i] = sm3.PBKDF2Key{Key: make([]byte, 1+length/2), Password: key, Salt: messages[i].Data, Iterations: iterations}
			}
			d.PBKDF2Many(keys)
			for i := range keys {
				want := make([]byte, 1+length/2)
				if generic.PBKDF2(want, key, keys[i].Salt, iterations); string(keys[i].Key) != string(want) {
					t.Errorf("%s: PBKDF2Many, key %d of %d: %x, generic %x", info.Name, i, len(keys), keys[i].Key, want)
				}
			}
			pseudorandom := d.HKDFExtract(key, p)
			d.HKDFExpand(got1, pseudorandom[:], key)
			generic.HKDF(want1, key, p, key)
			if string(got1) != string(want1) {
				t.Errorf("%s: HKDF of %d bytes: %x, generic %x", info.Name, length, got1, want1)
			}
		}
	})
}
