//go:build purego || !(amd64 || arm64 || loong64 || riscv64)

package sm2

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
}

var table = drivers.Register("sm2", infos)
