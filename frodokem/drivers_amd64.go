//go:build !purego

package frodokem

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/frodokem/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	aesni   uint8 = iota + 1 // kernels: AESNI, AVX2
	vaes256                  // kernels: VAES256, AESNI, AVX2
	vaes512                  // kernels: VAES512, AVX512, VAES256, AVX2
)

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	aesni: {Name: "aesni-avx2", Priority: 200, Timing: timingAMD64,
		Needs: cpu.AVX2 | cpu.AES | cpu.BMI1 | cpu.BMI2},
	vaes256: {Name: "vaes-avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.AVX2 | cpu.AES | cpu.VAES | cpu.BMI1 | cpu.BMI2},
	vaes512: {Name: "vaes-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.AVX512 | cpu.AVX512VNNI | cpu.VAES | cpu.BMI1 | cpu.BMI2},
}

var table = drivers.Register("frodokem", infos)

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// hashRow has the driver of Keccak that goes with each driver.
var hashRow = [...]uint8{generic: keccak.Generic, aesni: keccak.AVX2, vaes256: keccak.AVX2, vaes512: keccak.AVX512}

var storeFrom = [...]uint8{aesni: 2, vaes256: 2, vaes512: 3}

func hasFinish(row uint8) bool { return row == vaes512 }

//switches:argument *amd64.Work = &k.work
//switches:argument *amd64.Matrix = &k.work.Matrix
//switches:argument *amd64.Pairs = &k.work.Pairs

type kernelScratch struct{ work amd64.Work }

func (k *kernelScratch) wipe(p *params) {
	clear(k.work.Words[:p.n/2])
	clear(k.work.Squares[:])
}

func prepareAESNI(k *kernelScratch, keys *[11][16]byte, n int) {
	k.work.Keys = *keys
	amd64.PrepareAESNI(&k.work.Matrix, n)
}

func prepareVAES512(k *kernelScratch, keys *[11][16]byte, n int) {
	k.work.Keys = *keys
	amd64.PrepareVAES512(&k.work.Matrix, n)
}

func mulSAAESNI(out []uint16, a, k *kernelScratch) {
	amd64.MulSAAESNI(out, &a.work.Matrix, &k.work.Pairs)
}

func mulSAVAES256(out []uint16, a, k *kernelScratch) {
	amd64.MulSAVAES256(out, &a.work.Matrix, &k.work.Pairs)
}

func mulSAVAES512(out []uint16, a, k *kernelScratch) {
	amd64.MulSAMatrixVAES512(out, &a.work.Matrix, &k.work)
}

func mulASVAES512(out []uint16, k *kernelScratch, st []uint16) {
	amd64.ColumnsAVX512(&k.work.Pairs, st)
	amd64.MulASVAES512(out, &k.work, nil, nil, 0, 0)
}

func mulSBAVX2(v *[nbar * nbar]uint16, k *kernelScratch, left, b []uint16) {
	amd64.MulSBAVX2(v, &k.work.Pairs, b)
}

func mulSBAVX512(v *[nbar * nbar]uint16, k *kernelScratch, left, b []uint16) {
	amd64.MulSBAVX512(v, &k.work.Pairs, b)
}
