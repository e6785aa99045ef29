//go:build purego || !amd64

package ghash

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Generic is the index of the portable driver, the only one here.
const Generic uint8 = 0

var table = drivers.New("ghash", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
})

type form = genericKey

type later struct{}

func (k *Key) init(h *[16]byte) { k.form.init(h) }

func (k *Key) update(y *[16]byte, p []byte, reversed bool) { k.form.update(y, p, reversed) }

func (*Key) provide(blocks int) {} // there are no powers
