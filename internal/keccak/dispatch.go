package keccak

import "github.com/cipherlane/cipherlane/internal/drivers"

// kernels has the operations for which drivers have kernels. _gen/switches writes the functions
// that call these: switch_<goarch>.go. A driver has kernels for one state, and may have kernels
// for several (wide.go). Blocks are 17 or 21 words of 8 bytes.
type kernels interface {
	// absorbKernel is absorb for at most maxPass bytes.
	absorbKernel(a *[25]uint64, p []byte, words int)

	// squeezeKernel is squeeze for at most maxPass bytes.
	squeezeKernel(a *[25]uint64, p []byte, words int)

	// absorbWideKernel adds the block at each pointer to its state.
	absorbWideKernel(a *[200]uint64, p *[8]*byte, words int)

	// squeezeWideKernel copies a block from each state to its pointer.
	squeezeWideKernel(a *[200]uint64, p *[8]*byte, words int)

	// permuteWideKernel permutes at least the given number of states.
	permuteWideKernel(a *[200]uint64, states int)
}

// Generic is the row of the portable driver in every table.
const Generic uint8 = 0

const noKernel = "keccak: driver without a kernel"

// maxPass is the largest number of bytes per call of a kernel, because the runtime
// cannot stop a goroutine inside assembly.
const maxPass = 64 << 10

// Drivers returns the drivers for this architecture.
func Drivers() []drivers.Info { return table.Drivers() }

// absorb adds whole blocks, at least one, to a state, and permutes it after each.
func absorb(row uint8, a *[25]uint64, p []byte, rate int) {
	if row == Generic {
		absorbGeneric(a, p, rate)
		return
	}
	for len(p) > maxPass {
		n := maxPass / rate * rate
		absorbKernel(row, a, p[:n], rate/8)
		p = p[n:]
	}
	absorbKernel(row, a, p, rate/8)
}

// squeeze copies whole blocks, at least one, from a state, and permutes it after each.
func squeeze(row uint8, a *[25]uint64, p []byte, rate int) {
	if row == Generic {
		squeezeGeneric(a, p, rate)
		return
	}
	for len(p) > maxPass {
		n := maxPass / rate * rate
		squeezeKernel(row, a, p[:n], rate/8)
		p = p[n:]
	}
	squeezeKernel(row, a, p, rate/8)
}

// Sum computes SHAKE with the given rate for one to eight lanes. Corresponding
// parts of all lanes must have the same length, and so must their outputs; no
// output may overlap any memory of other lanes. Sum wipes the states.
func Sum(row uint8, rate int, lanes []Lane) { sum(row, rate, lanes, true, true) }

// Begin is Sum for outputs of whole blocks, at least one, that End continues from the states,
// which must not be nil. Begin also absorbs in, whole blocks, into t. If there is one lane,
// drivers with kernels for several states do both at the same time.
func Begin(row uint8, rate int, lanes []Lane, t *State, in []byte) {
	if width := widthOf(row); width > 1 && len(lanes) == 1 && len(in) > 0 {
		s, out := lanes[0].State, lanes[0].Out
		n := min(len(out), len(in))
		s.absorb(row, rate, &lanes[0].In)
		squeezeAndAbsorbWide(row, width, rate, s, out[:n], t, in[:n])
		s.squeeze(row, rate, out[n:])
		in = in[n:]
	} else {
		sum(row, rate, lanes, true, false)
	}
	if len(in) > 0 {
		absorb(row, &t.A, in, rate)
	}
}

// End fills outputs with the bytes that follow those from Begin, and wipes the states.
func End(row uint8, rate int, lanes []Lane) { sum(row, rate, lanes, false, true) }

// sum absorbs the messages if begin is set, and fills the outputs, which are whole blocks unless
// end is set.
func sum(row uint8, rate int, lanes []Lane, begin, end bool) {
	width := widthOf(row)
	for width > 1 && len(lanes) > 1 {
		n := min(width, len(lanes))
		sumWide(row, width, rate, lanes[:n], begin, end)
		lanes = lanes[n:]
	}
	for i := range lanes {
		sumOne(row, rate, &lanes[i], begin, end)
	}
}

// Rows fills out with the outputs of SHAKE128 for eight messages, one after the other.
// Each message is a number, first, first+1 and so on, as two bytes, followed by the
// 16-byte seed. All of this is public.
func Rows(row uint8, first uint16, seed, out []byte) {
	n := len(out) / MaxLanes
	if width := widthOf(row); width > 1 {
		for k := 0; k < MaxLanes; k += width {
			rowsWide(row, width, first+uint16(k), seed, out[k*n:(k+width)*n], n)
		}
		return
	}
	for k := range MaxLanes {
		rowOne(row, first+uint16(k), seed, out[k*n:(k+1)*n])
	}
}
