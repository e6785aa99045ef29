// Command amd64 writes the GHASH kernels of internal/ghash/internal/amd64.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -isa pclmulqdq -out ../../../internal/ghash/internal/amd64/ghash_pclmulqdq_amd64.s
//go:generate go run . -isa vpclmulqdq256 -out ../../../internal/ghash/internal/amd64/ghash_vpclmulqdq256_amd64.s
//go:generate go run . -isa vpclmulqdq512 -out ../../../internal/ghash/internal/amd64/ghash_vpclmulqdq512_amd64.s

func main() {
	isa := flag.String("isa", "", "instruction `set`")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *isa {
	case "pclmulqdq":
		pclmulqdq()
	case "vpclmulqdq256":
		vpclmulqdq256()
	case "vpclmulqdq512":
		vpclmulqdq512()
	default:
		panic("unknown instruction set " + *isa)
	}
	Generate()
}
