package sm3_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/sm3"
)

// Every driver that this machine has with a secret message. Valgrind knows no
// AVX-512: a driver with any has the code of the others for one message.
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
