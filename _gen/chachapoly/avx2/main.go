// Command avx2 writes the kernels of ChaCha20-Poly1305 for CPUs with AVX2 and BMI2.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/chachapoly/fused"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/amd64/chachapoly_avx2_amd64.s

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	fused.Kind{Suffix: "AVX2", Mulx: true}.Kernels()
	Generate()
}
