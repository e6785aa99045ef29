//go:build purego || !(amd64 || arm64 || loong64 || riscv64)

package frodokem

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.Register("frodokem", infos)

var hashRow = [...]uint8{generic: keccak.Generic}
