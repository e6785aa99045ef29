package cpu

import (
	"cmp"
	"math/bits"
)

// A Uarch is a microarchitecture, or a set of several: which of two drivers is faster
// does not always follow from features. One enumeration serves all architectures, like
// [Set]. It has only those for which there are measurements or a model of the pipeline.
// The zero value is an unknown one.
type Uarch uint32

const (
	Zen3           Uarch = 1 << iota // amd64, without AVX-512
	Zen4                             // amd64, AVX-512 in two halves of 256 bits
	Zen5                             // amd64
	SkylakeServer                    // amd64, with Cascade Lake and Cooper Lake
	IceLakeServer                    // amd64
	SapphireRapids                   // amd64, with Emerald Rapids, and Granite Rapids, for which compilers have the same model
	AlderLake                        // amd64, with Raptor Lake: Golden Cove and Gracemont in one CPU, without AVX-512
	SpacemitX60                      // riscv64: the cores of the SpacemiT K1 and M1
	SiFive7                          // riscv64: SiFive's 7 series, with the X280
	Apple                            // arm64: all of Apple's cores
	Ampere1                          // arm64: AmpereOne and AmpereOne A
	CortexA72                        // arm64, with Cortex-A57
	CortexA55                        // arm64, with Cortex-A34, A35, A53, A510 and A520, which execute in order

	endUarch
)

var uarchNames = [...]string{"zen3", "zen4", "zen5", "skylake-server", "icelake-server", "sapphirerapids", "alderlake", "spacemit-x60", "sifive-7", "apple", "ampere1", "cortex-a72", "cortex-a55"}

var uarch = detectUarch()

// Microarchitecture returns the microarchitecture of this CPU, or 0 if it is not one of
// the enumeration. Like [Features], it is detected once, and 0 with the build tag purego.
func Microarchitecture() Uarch { return uarch }

// String returns the names separated by spaces, or "unknown" for the zero value.
func (u Uarch) String() string {
	list := ""
	for b := u & (endUarch - 1); b != 0; b &= b - 1 {
		if list != "" {
			list += " "
		}
		list += uarchNames[bits.TrailingZeros32(uint32(b))]
	}
	return cmp.Or(list, "unknown")
}
