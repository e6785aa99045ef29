//go:build !purego

package keccak

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak/internal/amd64"
)

// Indices of the drivers.
const (
	Generic uint8 = iota
	BMI2
	AVX2
	AVX512
)

var table = drivers.New("keccak", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: "independent of secrets"},
	BMI2:    {Name: "bmi2", Priority: 200, Needs: cpu.BMI1 | cpu.BMI2, Timing: timingAMD64},
	AVX2:    {Name: "avx2", Priority: 300, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX2, Timing: timingAMD64},
	AVX512:  {Name: "avx512", Priority: 400, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX512, Timing: timingAMD64},
})

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// absorb adds whole blocks to a state, and permutes it after each.
func absorb(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case Generic:
		absorbGeneric(a, p, rate)
	case BMI2, AVX2, AVX512:
		amd64.AbsorbBMI2(a, &p[0], rate/8, len(p)/rate)
	default:
		panic(noDriver)
	}
}

// squeeze copies whole blocks from a state, and permutes it after each.
func squeeze(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case Generic:
		squeezeGeneric(a, p, rate)
	case BMI2, AVX2, AVX512:
		amd64.SqueezeBMI2(a, &p[0], rate/8, len(p)/rate)
	default:
		panic(noDriver)
	}
}

const noDriver = "keccak: no such driver"

// sumMany is Sum for two lanes or more.
func sumMany(row uint8, rate int, lanes []Lane) {
	switch row {
	case Generic, BMI2:
		for i := range lanes {
			sumOne(row, rate, &lanes[i])
		}
	case AVX2:
		for len(lanes) > 4 {
			sumWide(row, 4, rate, lanes[:4], nil)
			lanes = lanes[4:]
		}
		if len(lanes) == 1 {
			sumOne(row, rate, &lanes[0])
		} else {
			sumWide(row, 4, rate, lanes, nil)
		}
	case AVX512:
		sumWide(row, 8, rate, lanes, nil)
	default:
		panic(noDriver)
	}
}

// beginMany is Begin for as many lanes as there are states. It returns false if the
// driver processes lanes one after the other.
func beginMany(row uint8, rate int, lanes []Lane, states []State) bool {
	switch row {
	case Generic, BMI2:
		return false
	case AVX2:
		if len(lanes) > 4 {
			sumWide(row, 4, rate, lanes[:4], states[:4])
			lanes, states = lanes[4:], states[4:]
		}
		sumWide(row, 4, rate, lanes, states)
	case AVX512:
		sumWide(row, 8, rate, lanes, states)
	default:
		panic(noDriver)
	}
	return true
}

// absorbWide adds the block at each pointer to its state, and permutes at least the
// given number of states.
func absorbWide(row uint8, a *[200]uint64, p *[8]*byte, rate, states int) {
	switch row {
	case AVX2:
		amd64.AbsorbAVX2(a, p, rate/8)
	case AVX512:
		amd64.AbsorbAVX512(a, p, rate/8)
	default:
		panic(noDriver)
	}
	permuteWide(row, a, states)
}

func permuteWide(row uint8, a *[200]uint64, states int) {
	switch {
	case row == AVX2:
		amd64.PermuteAVX2(a)
	case states <= 4:
		amd64.PermuteFourAVX512(a)
	default:
		amd64.PermuteAVX512(a)
	}
}

// sumWide processes up to width lanes, four or eight, in parallel. Missing lanes are
// copies of the first, with their output in a buffer. For two lanes, this is still
// faster than one after the other. If there are states to set, the output must be
// whole blocks.
func sumWide(row uint8, width, rate int, lanes []Lane, states []State) {
	var (
		state [207]uint64
		block [8][Rate128]byte // blocks that span several parts, then the last blocks
		p     [8]*byte
		lane  [8]*Lane // never sliced, or the lanes would escape
	)
	// Loads and stores of 64 bytes are faster if they do not cross cache lines.
	// (If the stack moves, they only get slower.)
	a := (*[200]uint64)(state[-uintptr(unsafe.Pointer(&state))%64/8:])
	blocks := block[:width]
	for k := range lane {
		lane[k] = &lanes[0]
		if k < len(lanes) {
			lane[k] = &lanes[k]
		}
	}
	at := 0 // position in the block being assembled
	for part := range lanes[0].In {
		for from, n := 0, len(lanes[0].In[part]); from < n; {
			if at == 0 && n-from >= rate {
				for k, l := range lane {
					p[k] = &l.In[part][from]
				}
				absorbWide(row, a, &p, rate, len(lanes))
				from += rate
				continue
			}
			m := min(rate-at, n-from)
			for k := range blocks {
				copy(blocks[k][at:], lane[k].In[part][from:from+m])
			}
			at += m
			from += m
			if at == rate {
				for k := range blocks {
					p[k] = &blocks[k][0]
				}
				absorbWide(row, a, &p, rate, len(lanes))
				at = 0
			}
		}
	}
	for k := range blocks {
		b := blocks[k][:rate]
		clear(b[at:])
		b[at] = 0x1f
		b[rate-1] ^= 0x80
		p[k] = &b[0]
	}
	absorbWide(row, a, &p, rate, len(lanes))
	for from, n := 0, len(lanes[0].Out); ; {
		m := min(rate, n-from)
		for k := range blocks {
			if p[k] = &blocks[k][0]; m == rate && k < len(lanes) {
				p[k] = &lane[k].Out[from]
			}
		}
		switch row {
		case AVX2:
			amd64.SqueezeAVX2(a, &p, rate/8)
		case AVX512:
			amd64.SqueezeAVX512(a, &p, rate/8)
		default:
			panic(noDriver)
		}
		if m < rate {
			for k := range lanes {
				copy(lanes[k].Out[from:], blocks[k][:m])
			}
		}
		if from += m; from == n && states == nil {
			break
		}
		permuteWide(row, a, len(lanes))
		if from == n {
			for k := range states {
				for i := range states[k].A {
					states[k].A[i] = a[width*i+k]
				}
			}
			break
		}
	}
	clear(state[:])
	clear(block[:])
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&block)
}

// pair is SqueezeAndAbsorb for equally long out and in, with one multi-state permutation
// for both. It returns false if the driver has none.
func pair(row uint8, rate int, s *State, out []byte, t *State, in []byte) bool {
	var width int
	switch row {
	case Generic, BMI2:
		return false
	case AVX2:
		width = 4
	case AVX512:
		width = 8
	default:
		panic(noDriver)
	}
	var state [207]uint64
	a := (*[200]uint64)(state[-uintptr(unsafe.Pointer(&state))%64/8:]) // as in sumWide
	for i := range s.A {
		a[width*i], a[width*i+1] = s.A[i], t.A[i]
	}
	for ; len(out) > 0; out, in = out[rate:], in[rate:] {
		for i := range rate / 8 {
			binary.LittleEndian.PutUint64(out[8*i:], a[width*i])
			a[width*i+1] ^= binary.LittleEndian.Uint64(in[8*i:])
		}
		permuteWide(row, a, 2)
	}
	for i := range s.A {
		s.A[i], t.A[i] = a[width*i], a[width*i+1]
	}
	clear(state[:])
	runtime.KeepAlive(&state)
	return true
}

// rowsMany is Rows with a multi-state permutation. It returns false if the driver has
// none.
func rowsMany(row uint8, first uint16, seed, out []byte) bool {
	n := len(out) / MaxLanes
	switch row {
	case Generic, BMI2:
		return false
	case AVX2:
		rowsWide(row, 4, first, seed, out[:4*n], n)
		rowsWide(row, 4, first+4, seed, out[4*n:], n)
	case AVX512:
		rowsWide(row, 8, first, seed, out, n)
	default:
		panic(noDriver)
	}
	return true
}

// rowsWide generates width rows of n bytes. Each message is shorter than a block, and is
// written to its state together with its padding.
func rowsWide(row uint8, width int, first uint16, seed, out []byte, n int) {
	var (
		state [207]uint64
		last  [8][Rate128]byte
		p     [8]*byte
	)
	a := (*[200]uint64)(state[-uintptr(unsafe.Pointer(&state))%64/8:]) // as in sumWide
	x, y := binary.LittleEndian.Uint64(seed), binary.LittleEndian.Uint64(seed[8:])
	for k := range width {
		a[k] = uint64(first+uint16(k)) | x<<16
		a[width+k] = x>>48 | y<<16
		a[2*width+k] = y>>48 | 0x1f<<16
		a[(Rate128/8-1)*width+k] = 0x80 << 56
	}
	for from := 0; from < n; from += Rate128 {
		permuteWide(row, a, width)
		whole := n-from >= Rate128
		for k := range width {
			if p[k] = &last[k][0]; whole {
				p[k] = &out[k*n+from]
			}
		}
		if row == AVX2 {
			amd64.SqueezeAVX2(a, &p, Rate128/8)
		} else {
			amd64.SqueezeAVX512(a, &p, Rate128/8)
		}
		if !whole {
			for k := range width {
				copy(out[k*n+from:(k+1)*n], last[k][:])
			}
		}
	}
}
