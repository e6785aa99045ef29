package sm3

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// TestMixedPlans runs the functions for many inputs with every pair of drivers, one for
// single inputs and one for many.
func TestMixedPlans(t *testing.T) {
	rows := Drivers()
	data := make([]byte, 700)
	for i := range data {
		data[i] = byte(i * 5)
	}
	portable := Driver{}
	for one := range rows {
		for many := range rows {
			if !rows[one].Available() || !rows[many].Available() {
				continue
			}
			d := Driver{drivers.NewPlan(uint8(one), uint8(one), uint8(one), uint8(many), 0)}
			mac := d.NewHMAC(data[:20])
			for _, count := range []int{1, 2, 3, 5, 9, 17, 40} {
				messages, macs := make([]Message, count), make([]HMACMessage, count)
				keys, want := make([]PBKDF2Key, count), make([]byte, 33)
				for i := range messages {
					messages[i].Data = data[:i*17]
					macs[i] = HMACMessage{MAC: mac, Data: data[:i*17]}
					keys[i] = PBKDF2Key{make([]byte, 33), data[:i], data[:7], 2 + i%3}
				}
				d.SumMany(messages)
				d.HMACMany(macs)
				d.PBKDF2Many(keys)
				for i := range messages {
					h := portable.NewHMAC(data[:20])
					h.Write(data[:i*17])
					if messages[i].Sum != portable.Sum(data[:i*17]) || !bytes.Equal(macs[i].Sum[:], h.Sum(nil)) {
						t.Fatalf("%s, for many %s: wrong digest %d of %d", rows[one].Name, rows[many].Name, i, count)
					}
					portable.PBKDF2(want, data[:i], data[:7], 2+i%3)
					if !bytes.Equal(keys[i].Key, want) {
						t.Fatalf("%s, for many %s: wrong key %d of %d", rows[one].Name, rows[many].Name, i, count)
					}
				}
				got, want := make([]byte, count*Size+5), make([]byte, count*Size+5)
				for _, n := range []int{0, 33, 60, 200} {
					d.KDF(got, data[:n])
					portable.KDF(want, data[:n])
					if !bytes.Equal(got, want) {
						t.Fatalf("%s, for many %s: KDF of %d bytes to %d", rows[one].Name, rows[many].Name, n, len(got))
					}
				}
			}
		}
	}
}

// TestWidths: a driver for single inputs that is not the one for many is a faster one.
func TestWidths(t *testing.T) {
	w := widths{{17, 32}, {3, 16}}
	same, other := drivers.Uniform(0), drivers.NewPlan(0, 0, 0, 1, 0)
	for count, want := range map[int][2]int{0: {1, 1}, 2: {1, 1}, 3: {16, 1}, 7: {16, 1}, 8: {16, 16}, 16: {16, 16}, 17: {32, 32}, 40: {32, 32}} {
		if a, b := w.lanesFor(same, count), w.lanesFor(other, count); a != want[0] || b != want[1] {
			t.Errorf("%d inputs: %d and %d lanes, want %v", count, a, b, want)
		}
	}
}

// TestRule: with AVX-512, many messages are for avx512 wherever another driver is the best
// for one.
func TestRule(t *testing.T) {
	for i, info := range Drivers() {
		if plan := table.Default(); info.Name == "avx512" && info.Available() && int(plan.Many()) != i {
			t.Errorf("many messages go to %s", Drivers()[plan.Many()].Name)
		}
	}
}

// TestNoKernel: a row that no driver has reaches a panic.
func TestNoKernel(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	blocks(wiped, new([8]uint32), make([]byte, BlockSize))
}
