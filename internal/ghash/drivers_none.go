//go:build purego || !(amd64 || arm || arm64 || riscv64 || mips || mipsle || mips64 || mips64le)

package ghash

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.New("ghash", infos)

// Powers is empty: no kernel needs any.
type Powers struct{}

type keyMemory = genericKey

func (k *Key) powers() *Powers { return nil }

const firstPowers = 0

func hasExtend(uint8) bool { return false }

// multiplies says that kernels of GCM multiply a state that is pending.
func multiplies(uint8) bool { return false }
