// Command riscv64 writes the ChaCha20-Poly1305 kernels for RISC-V.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/riscv64/chachapoly_riscv64.s -declarations ../../../internal/chachapoly/internal/riscv64/chachapoly_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	scalar(file)
	poly(file)
	prepare(file)
	zbb(file)
	vectors(file, false)
	vectors(file, true)
	xor(file)
	file.Write(*out, *declarations)
}
