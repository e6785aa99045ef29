//go:build purego || !(amd64 || arm || arm64 || loong64 || mips || mipsle || mips64 || mips64le || ppc64le || riscv64)

package aescore

import (
	"slices"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Rows returns the table of drivers, for package aes.
func Rows() []drivers.Info { return slices.Clone(infos) }

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var traits = [...]Traits{generic: genericTraits}

// Keys are the round keys in the representation of the driver.
type Keys struct{ generic genericKeys }

func (k *Keys) portable() *genericKeys { return &k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) { k.generic.expand(key) }

// Wipe overwrites the round keys.
func (k *Keys) Wipe() { k.generic.wipe() }

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int { return k.generic.rounds }
