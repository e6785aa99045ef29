//go:build purego || !((386 && 386.sse2) || amd64 || arm || arm64 || loong64 || mips || mipsle || mips64 || mips64le || riscv64)

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var ahead = [...]uint8{generic: 1}
