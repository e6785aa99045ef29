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
	aesni uint8 = iota + 1
	vaes256
	vaes512
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

// storeFrom has the number of products with the same A from which on a driver generates
// rows of A with AES and stores them, rather than generating A anew for each product. If it
// is 0, there are no kernels that generate and multiply.
var storeFrom = [...]uint8{aesni: 2, vaes256: 2, vaes512: 3}

// hasFinish reports whether a driver has a finishKernel.
func hasFinish(row uint8) bool { return row == vaes512 }

// kernelScratch is the working memory of the kernels for one operation.
type kernelScratch struct{ work amd64.Work }

func (k *kernelScratch) wipe(p *params) {
	clear(k.work.Words[:p.n/2])
	clear(k.work.Squares[:])
}

// prepareKernel derives from the round keys what the kernels generate A from.
func prepareKernel(row uint8, k *kernelScratch, keys *[11][16]byte, n int) {
	k.work.Keys = *keys
	switch row {
	case aesni, vaes256:
		amd64.PrepareAESNI(&k.work.Matrix, n)
	case vaes512:
		amd64.PrepareVAES512(&k.work.Matrix, n)
	default:
		panic(noKernel)
	}
}

// rowsKernel generates 16 rows of A with AES.
func rowsKernel(row uint8, rows []uint16, k *kernelScratch, first, n int) {
	switch row {
	case aesni:
		amd64.ManyRowsAESNI(rows, &k.work.Matrix, first, n)
	case vaes256, vaes512:
		amd64.ManyRowsVAES256(rows, &k.work.Matrix, first, n)
	default:
		panic(noKernel)
	}
}

// pairsKernel stores S' in the layout of the other kernels.
func pairsKernel(row uint8, k *kernelScratch, left []uint16) {
	switch row {
	case aesni, vaes256:
		amd64.PairsAVX2(&k.work.Pairs, left)
	case vaes512:
		amd64.PairsAVX512(&k.work.Pairs, left)
	default:
		panic(noKernel)
	}
}

// mulSAKernel adds S'A to out. It takes A from a, and S' from k.
func mulSAKernel(row uint8, out []uint16, a, k *kernelScratch) {
	switch row {
	case aesni:
		amd64.MulSAAESNI(out, &a.work.Matrix, &k.work.Pairs)
	case vaes256:
		amd64.MulSAVAES256(out, &a.work.Matrix, &k.work.Pairs)
	case vaes512:
		amd64.MulSAMatrixVAES512(out, &a.work.Matrix, &k.work)
	default:
		panic(noKernel)
	}
}

// addRowsKernel adds to out the products of 16 rows of A with S'.
func addRowsKernel(row uint8, out, rows []uint16, k *kernelScratch, first int) {
	switch row {
	case aesni, vaes256:
		amd64.ManyRowsSAAVX2(out, rows, &k.work.Pairs, first)
	case vaes512:
		amd64.RowsSAAVX512(out, rows, &k.work.Pairs, first)
	default:
		panic(noKernel)
	}
}

// finishKernel replaces S' by S'A or, for a key, S^T by A S. At the same time it
// squeezes blocks from the state to out.
func finishKernel(row uint8, key bool, left []uint16, k *kernelScratch, state *[25]uint64, out []byte, words, blocks int) {
	switch row {
	case vaes512:
		amd64.ReplaceVAES512(key, left, &k.work, state, &out[0], words, blocks)
	default: // aesni, vaes256
		panic(noKernel)
	}
}

// addKernel adds words to those of out.
func addKernel(row uint8, out, x []uint16) {
	switch row {
	case vaes512:
		amd64.AddAVX512(out, x)
	default: // aesni, vaes256
		panic(noKernel)
	}
}

// mulASKernel adds A S to out; right is S^T.
func mulASKernel(row uint8, out []uint16, k *kernelScratch, right []uint16) {
	switch row {
	case aesni:
		amd64.MulASAESNI(out, &k.work.Matrix, right)
	case vaes256:
		amd64.MulASVAES256(out, &k.work.Matrix, right)
	case vaes512:
		amd64.ColumnsAVX512(&k.work.Pairs, right)
		amd64.MulASVAES512(out, &k.work, nil, nil, 0, 0)
	default:
		panic(noKernel)
	}
}

// dotsKernel adds to out the products of the rows of x with the eight rows of st.
func dotsKernel(row uint8, out, x, st []uint16) {
	switch row {
	case aesni, vaes256:
		amd64.DotsAVX2(out, x, st)
	case vaes512:
		amd64.DotsAVX512(out, x, st)
	default:
		panic(noKernel)
	}
}

// mulSBKernel adds S'B to v. It takes S' from k or left.
func mulSBKernel(row uint8, v *[nbar * nbar]uint16, k *kernelScratch, left, b []uint16) {
	switch row {
	case aesni, vaes256:
		amd64.MulSBAVX2(v, &k.work.Pairs, b)
	case vaes512:
		amd64.MulSBAVX512(v, &k.work.Pairs, b)
	default:
		panic(noKernel)
	}
}

func sampleKernel(row uint8, s, cdf []uint16) {
	switch row {
	case aesni, vaes256:
		amd64.SampleAVX2(s, cdf)
	case vaes512:
		amd64.SampleAVX512(s, cdf)
	default:
		panic(noKernel)
	}
}

func packKernel(row uint8, d int, out []byte, v []uint16) {
	switch row {
	case aesni, vaes256, vaes512:
		amd64.PackAVX2(d, out, v)
	default:
		panic(noKernel)
	}
}

func unpackKernel(row uint8, d int, v []uint16, in []byte) {
	switch row {
	case aesni, vaes256, vaes512:
		amd64.UnpackAVX2(d, v, in)
	default:
		panic(noKernel)
	}
}

// differenceKernel returns bits of which each 16 are the bitwise or of x[i] ^ y[i] for
// some i.
func differenceKernel(row uint8, x, y []uint16) uint64 {
	switch row {
	case aesni, vaes256, vaes512:
		return amd64.DifferenceAVX2(x, y)
	default:
		panic(noKernel)
	}
}
