package sm4

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Mixed returns a Driver with several drivers. Bulk begins at a size that is no multiple
// of anything.
func Mixed(serial, short, bulk, many string) Driver {
	row := func(name string) uint8 {
		return uint8(slices.IndexFunc(table.Drivers(), func(d drivers.Info) bool { return d.Name == name }))
	}
	return Driver{planOf(drivers.NewPlan(row(short), row(bulk), row(serial), row(many), 100))}
}

// eachPlan returns every driver of this machine, and mixed plans that contain every pair.
func eachPlan(t *testing.T) map[string]Driver {
	all := map[string]Driver{}
	for _, a := range Drivers() {
		for _, b := range Drivers() {
			switch {
			case !a.Available() || !b.Available():
			case a.Name == b.Name:
				d, err := On(a.Name)
				if err != nil {
					t.Fatal(err)
				}
				all[a.Name] = d
			default:
				all[a.Name+"+"+b.Name] = Mixed(a.Name, b.Name, a.Name, b.Name)
			}
		}
	}
	return all
}

// A lane that is alone is work for the serial driver, whatever the one for many messages.
func TestLaneAlone(t *testing.T) {
	for name, d := range eachPlan(t) {
		if d.plan.Many()&ownKeys == 0 { // the same round keys
			continue
		}
		c, err := d.New(random(KeySize))
		if err != nil {
			t.Fatal(err)
		}
		p := random(BlockSize)
		want := make([]byte, len(p))
		c.NewCBCEncrypter(p).CryptBlocks(want, p)
		manyKeys(c).wipe()
		m := []CBCMessage{{Cipher: c, IV: p, Dst: make([]byte, len(p)), Src: p}}
		if EncryptCBCMany(m); !slices.Equal(m[0].Dst, want) {
			t.Errorf("%s: uses the driver for many messages", name)
		}
	}
}

// Drivers that say so have the same round keys.
func TestSameKeys(t *testing.T) {
	key := [KeySize]byte(random(KeySize))
	for i, d := range Drivers() {
		first := traits[i].keys
		if first == 0 || int(first) == i || !d.Available() {
			continue
		}
		var got, want roundKeys
		got.expand(uint8(i), &key)
		want.expand(first, &key)
		if !reflect.DeepEqual(&got, &want) {
			t.Errorf("%s: not the round keys of %s", d.Name, Drivers()[first].Name)
		}
	}
}
