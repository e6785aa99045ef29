//go:build purego || !(amd64 || arm || arm64 || loong64 || riscv64)

package sm3

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)
