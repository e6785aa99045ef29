//go:build purego || !(amd64 || arm || arm64 || loong64 || mips || mipsle || mips64 || mips64le || riscv64)

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
