// Command ssse3 writes the kernels of ChaCha20-Poly1305 for CPUs with SSSE3.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/chachapoly/fused"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/amd64/chachapoly_ssse3_amd64.s

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	fused.Kind{Suffix: "SSSE3", Legacy: true}.Kernels()
	Generate()
}
