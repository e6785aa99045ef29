//go:build purego || !(amd64 || arm64 || riscv64)

package frodokem

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.Register("frodokem", infos)

var (
	hashRow   = [...]uint8{generic: keccak.Generic}
	storeFrom [1]uint8
)

func hasFinish(uint8) bool { return false }

type kernelScratch struct{}

func (*kernelScratch) wipe(*params) {}

func prepareKernel(uint8, *kernelScratch, *[11][16]byte, int)                     { panic(noKernel) }
func rowsKernel(uint8, []uint16, *kernelScratch, int, int)                        { panic(noKernel) }
func pairsKernel(uint8, *kernelScratch, []uint16)                                 { panic(noKernel) }
func mulSAKernel(uint8, []uint16, *kernelScratch, *kernelScratch)                 { panic(noKernel) }
func addRowsKernel(uint8, []uint16, []uint16, *kernelScratch, int)                { panic(noKernel) }
func addKernel(uint8, []uint16, []uint16)                                         { panic(noKernel) }
func mulASKernel(uint8, []uint16, *kernelScratch, []uint16)                       { panic(noKernel) }
func dotsKernel(uint8, []uint16, []uint16, []uint16)                              { panic(noKernel) }
func mulSBKernel(uint8, *[nbar * nbar]uint16, *kernelScratch, []uint16, []uint16) { panic(noKernel) }
func sampleKernel(uint8, []uint16, []uint16)                                      { panic(noKernel) }
func packKernel(uint8, int, []byte, []uint16)                                     { panic(noKernel) }
func unpackKernel(uint8, int, []uint16, []byte)                                   { panic(noKernel) }
func differenceKernel(uint8, []uint16, []uint16) uint64                           { panic(noKernel) }
func finishKernel(uint8, bool, []uint16, *kernelScratch, *[25]uint64, []byte, int, int) {
	panic(noKernel)
}
