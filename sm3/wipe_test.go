package sm3

import (
	"reflect"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Objects returned to the pools must not contain traces of keys or messages, nor may a
// wiped HMAC.
func TestWipes(t *testing.T) {
	for _, info := range Drivers() {
		if !info.Available() {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			d, err := On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 1000)
			for i := range p {
				p[i] = byte(i%255 + 1)
			}
			const count = 11
			sums, macs, keys := make([]Message, count), make([]HMACMessage, count), make([]PBKDF2Key, count)
			h := d.NewHMAC(p[:20])
			for i := range count {
				sums[i] = Message{Data: p[:90*i]}
				macs[i] = HMACMessage{MAC: h, Data: p[:90*i]}
				keys[i] = PBKDF2Key{make([]byte, 40), p[:i], p[:i], i + 1}
			}
			many := func(what string) {
				t.Helper()
				w := workPool.Get().(*work)
				w.message, w.ended = [maxLanes]int{}, [maxLanes]bool{} // set anew by every call
				w.outer = [maxLanes]bool{}
				if !reflect.DeepEqual(w, &work{memory: new(memory)}) {
					t.Errorf("%s: something is left", what)
				}
			}
			d.SumMany(sums)
			many("SumMany")
			d.HMACMany(macs)
			many("HMACMany")
			for _, n := range []int{640, 700} { // with a counter in one block, and in two
				d.KDF(make([]byte, 700), p[:n])
				many("KDF")
			}
			d.PBKDF2Many(keys)
			w := pbkdf2Pool.Get().(*pbkdf2Work)
			w.left, w.used = [maxLanes]int{}, 0
			if !reflect.DeepEqual(w, &pbkdf2Work{pbkdf2Memory: new(pbkdf2Memory)}) {
				t.Error("PBKDF2Many: something is left")
			}

			h.Write(p[:70])
			h.Wipe()
			if *h != (HMAC{message: digest{plan: drivers.Wiped}}) {
				t.Error("HMAC: something is left")
			}
		})
	}
}
