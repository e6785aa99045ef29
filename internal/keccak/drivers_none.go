//go:build purego || !(amd64 || arm64 || loong64 || riscv64)

package keccak

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.New("keccak", infos)

var widths = [...]uint8{Generic: 1}
