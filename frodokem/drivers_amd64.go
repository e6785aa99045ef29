//go:build !purego

package frodokem

import (
	"github.com/cipherlane/cipherlane/frodokem/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	ssse3     uint8 = iota + 1
	aesni           // kernels: AESNI, SSSE3
	aesniAVX2       // kernels: AESNIAVX2, AESNI, AVX2
	vaes256         // kernels: VAES256, AESNI, AVX2
	vaes512         // kernels: VAES512, AVX512, AVX2
)

// Priorities: docs/frodokem.md, How fast it is, and docs/benchmarks.md, FrodoKEM.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	ssse3:   {Name: "ssse3", Priority: 130, Needs: cpu.SSSE3, Timing: timingAMD64},
	aesni:   {Name: "aesni", Priority: 160, Needs: cpu.SSSE3 | cpu.AES, Timing: timingAMD64},
	aesniAVX2: {Name: "aesni-avx2", Priority: 200, Timing: timingAMD64,
		Needs: cpu.AVX2 | cpu.AES | cpu.BMI1 | cpu.BMI2},
	vaes256: {Name: "vaes-avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.AVX2 | cpu.AES | cpu.VAES | cpu.BMI1 | cpu.BMI2},
	vaes512: {Name: "vaes-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.AVX512 | cpu.AVX512VNNI | cpu.VAES | cpu.BMI1 | cpu.BMI2},
}

var table = drivers.Register("frodokem", infos)

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// hashRow has the driver of Keccak that goes with each driver. CPUs that are without AVX2 are
// without BMI2, too.
var hashRow = [...]uint8{
	generic: keccak.Generic, ssse3: keccak.Generic, aesni: keccak.Generic,
	aesniAVX2: keccak.AVX2, vaes256: keccak.AVX2, vaes512: keccak.AVX512,
}

//switches:argument *amd64.Matrix = &k.work.Matrix
//switches:argument *amd64.Pairs = &k.work.Pairs

// It is faster to store rows of A for three products.
//
//switches:if b.aes && products < 3: finishVAES512

type kernelScratch struct{ work amd64.Work }

func (k *kernelScratch) wipe(p *params) {
	clear(k.work.Words[:p.n/2])
	clear(k.work.Squares[:])
}

func prepareSSSE3(k *kernelScratch, keys *[11][16]byte, n int) {
	k.work.Keys = *keys
	amd64.PrepareSSSE3(&k.work.Matrix, n)
}

func prepareAESNI(k *kernelScratch, keys *[11][16]byte, n int) {
	k.work.Keys = *keys
	amd64.PrepareAESNI(&k.work.Matrix, n)
}

func prepareVAES512(k *kernelScratch, keys *[11][16]byte, n int) {
	k.work.Keys = *keys
	amd64.PrepareVAES512(&k.work.Matrix, n)
}

func rowsVAES512(rows []uint16, k *kernelScratch, first, n int) {
	amd64.RowsVAES256(rows, &k.work.Matrix, first, n)
}

// finishVAES512 squeezes in integer registers while it multiplies in vector registers.
func finishVAES512(b *batch, o *operation) {
	b.prepare(o)
	w, words, blocks := &o.kernel.work, b.rate/8, (len(o.rest)-1)/b.rate
	// The kernels use only the layout derived from S, so S is free for the product.
	if b.key {
		amd64.ColumnsAVX512(&w.Pairs, o.s)
		clear(o.s)
		amd64.MulASSqueezeVAES512(o.s, w, &o.state.A, &o.rest[0], words, blocks)
	} else {
		amd64.PairsAVX512(&w.Pairs, o.s)
		clear(o.s)
		amd64.MulSASqueezeVAES512(o.s, w, &o.state.A, &o.rest[0], words, blocks)
	}
	o.state.Last(o.rest[blocks*b.rate:])
	o.state.Wipe()
	amd64.SampleAVX512(o.bc, b.cdf)
	amd64.AddAVX512(o.b, o.s)
}

func mulSBSSSE3(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16) {
	amd64.MulSBSSSE3(v, &k.work.Pairs, b)
}

func mulSBAVX2(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16) {
	amd64.MulSBAVX2(v, &k.work.Pairs, b)
}

func mulSBAVX512(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16) {
	amd64.MulSBAVX512(v, &k.work.Pairs, b)
}
