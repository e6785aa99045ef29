//go:build purego || !(amd64 || arm || arm64 || loong64 || riscv64)

package sm4

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.Register("sm4", infos)

var traits = [...]trait{generic: genericTrait}

// roundKeys are the round keys in the representation of the driver.
type roundKeys struct{ generic genericKeys }

func (k *roundKeys) portable() *genericKeys             { return &k.generic }
func (k *roundKeys) expand(_ uint8, key *[KeySize]byte) { k.generic.expand(key) }
func (k *roundKeys) wipe()                              { k.generic.wipe() }
