package frodokem

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// kernelRows returns the drivers with kernels that this machine can run.
func kernelRows(t *testing.T) map[string]uint8 {
	t.Helper()
	rows := map[string]uint8{}
	for i, d := range Drivers() {
		if i > 0 && d.Available() {
			rows[d.Name] = uint8(i)
		}
	}
	if len(rows) == 0 {
		t.Skip("this CPU can run none")
	}
	return rows
}

// newTestBatch returns a batch of one operation.
func newTestBatch(p *params, row uint8, seed []byte) batch {
	b := newBatch(p, row, false, make([]*operation, 1))
	copy(b.ops[0].seedA[:], seed)
	return b
}

// edge returns n words with inaccessible memory behind or, for side 0, in front of
// them.
func edge(t *testing.T, side, n int) []uint16 {
	b := guard.Before(t, 2*n)
	if side == 1 {
		b = guard.After(t, 2*n)
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// matrices fills words with values that reveal a product that overflows, saturates or
// has the wrong sign.
var matrices = map[string]func(seed uint64, w []uint16){
	"random": func(seed uint64, w []uint16) { words(w, random(seed, 2*len(w))) },
	"noise": func(seed uint64, w []uint16) {
		for i, b := range random(seed, len(w)) {
			w[i] = uint16(int(b)%25 - 12)
		}
	},
	"-32768": func(_ uint64, w []uint16) { fill(w, 0x8000) },
	"32767":  func(_ uint64, w []uint16) { fill(w, 0x7fff) },
	"-1":     func(_ uint64, w []uint16) { fill(w, 0xffff) },
	"-12":    func(_ uint64, w []uint16) { fill(w, 0xfff4) },
	"0":      func(_ uint64, w []uint16) { clear(w) },
}

func fill(w []uint16, x uint16) {
	for i := range w {
		w[i] = x
	}
}

func matrixOf(w []uint16, rows int) specMatrix {
	return slices.Collect(slices.Chunk(w, len(w)/rows))
}

func equalMatrix(t *testing.T, got []uint16, want specMatrix, format string, args ...any) {
	t.Helper()
	if !slices.Equal(got, slices.Concat(want...)) {
		t.Fatalf(format+": wrong", args...)
	}
}

// TestKernels compares the kernels with the reference implementation, with buffers at
// the edge of inaccessible memory.
func TestKernels(t *testing.T) {
	rows := kernelRows(t)
	sets := []Set{FrodoKEM976AES, FrodoKEM976SHAKE, FrodoKEM640AES, FrodoKEM1344SHAKE}
	if testing.Short() {
		sets = sets[:2] // 976 is 30 times 32, and a half
	}
	for _, set := range sets {
		p := set.params()
		size := nbar * p.n
		seed := random(uint64(p.n), seedA)
		a := newSpec(set).gen(seed)
		for side := range 2 {
			secret, in := edge(t, side, size), edge(t, side, size)
			out, c := edge(t, side, size), edge(t, side, nbar*nbar)
			names := []string{"random", "noise", "-32768", "32767", "-1", "-12", "0"}
			if testing.Short() {
				names = names[side : side+3]
			}
			for i, name := range names {
				second := names[(i+1)%len(names)]
				fillBoth := func() {
					matrices[name](1, secret)
					matrices[second](2, in)
				}
				fillBoth()
				sa := matrixOf(secret, nbar).times(a).plus(matrixOf(in, nbar), 1)
				product := a.times(matrixOf(secret, nbar).transpose()).plus(matrixOf(in, p.n), 1)
				sb := matrixOf(secret, nbar).times(matrixOf(in, p.n))
				bs := matrixOf(in, nbar).times(matrixOf(secret, nbar).transpose())
				for driver, row := range rows {
					place := []string{"in front", "behind"}[side]
					what := fmt.Sprintf("%s, %v, %s, %s: ", driver, set, name, place)
					b := newTestBatch(p, row, seed)
					o := b.ops[0]
					o.s, o.b = secret, out
					check := func(kernel string, got []uint16, want specMatrix, f func()) {
						t.Helper()
						fillBoth()
						if guard.Faults(f) {
							t.Fatalf("%s%s touches memory outside its buffers", what, kernel)
						}
						equalMatrix(t, got, want, "%s%s", what, kernel)
						used := slices.Clone(secret)
						if fillBoth(); !slices.Equal(secret, used) {
							t.Fatalf("%s%s changes its input", what, kernel)
						}
					}
					check("S'A", out, sa, func() { copy(out, in); b.mulSA(b.ops) })
					check("S'A, eight times", out, sa, func() {
						ops := newBatch(p, row, false, make([]*operation, lanes)).ops
						ops[0].seedA = o.seedA
						for _, o := range ops {
							o.s = secret
						}
						ops[2] = o
						copy(out, in)
						b.mulSA(ops)
					})
					check("S'B", c, sb, func() {
						clear(c)
						pairsKernel(row, &o.kernel, secret)
						mulSB(row, (*[nbar * nbar]uint16)(c), &o.kernel, secret, in)
					})
					check("A S", out, product, func() { copy(out, in); b.mulAS(o) })
					check("B'S", c, bs, func() { clear(c); dots(row, c, in, secret) })
				}
			}
		}
	}
}

// TestDifference checks that every bit of every word counts, and nothing outside is read.
func TestDifference(t *testing.T) {
	for driver, row := range kernelRows(t) {
		for side := range 2 {
			for _, n := range []int{64, 8 * 976} {
				x, y := edge(t, side, n), edge(t, side, n)
				words(x, random(3, 2*n))
				copy(y, x)
				if guard.Faults(func() { difference(row, x, y) }) || difference(row, x, y) != 0 {
					t.Fatalf("%s: %d equal words differ, or memory outside of them was touched", driver, n)
				}
				for i := range y {
					y[i] ^= 1 << (i % 16)
					d := difference(row, x, y)
					d |= d >> 32
					if uint16(d|d>>16) != 1<<(i%16) {
						t.Fatalf("%s: a difference in word %d of %d is not seen", driver, i, n)
					}
					y[i] = x[i]
				}
			}
		}
	}
}

// TestSmallKernels tests sampling, packing and unpacking, with all values of words.
func TestSmallKernels(t *testing.T) {
	for driver, row := range kernelRows(t) {
		for _, set := range []Set{FrodoKEM640AES, FrodoKEM976AES, FrodoKEM1344AES} {
			p := set.params()
			for side := range 2 {
				for _, n := range []int{64, 8 * p.n, 16 * p.n, 16*p.n + 64, 65536} {
					got, want := edge(t, side, n), make([]uint16, n)
					for i := range got {
						got[i] = uint16(i * 25679)
					}
					copy(want, got)
					samplePortable(generic, want, p.cdf)
					if guard.Faults(func() { sample(row, got, p.cdf) }) || !slices.Equal(got, want) {
						t.Fatalf("%s: %v: %d samples are wrong, or memory outside was touched", driver, set, n)
					}
					if n > 16*p.n+64 {
						continue
					}
					for i := range got {
						got[i] = uint16(i * 25679)
					}
					packed := guard.Before(t, n*p.d/8)
					if side == 1 {
						packed = guard.After(t, n*p.d/8)
					}
					plain, unpacked := make([]byte, len(packed)), edge(t, side, n)
					packPortable(generic, p.d, plain, got)
					unpackPortable(generic, p.d, want, plain)
					if guard.Faults(func() { pack(row, p.d, packed, got) }) {
						t.Fatalf("%s: %v: packing %d touches memory outside its buffers", driver, set, n)
					}
					equal(t, packed, plain, "%s: %v: packing %d", driver, set, n)
					faults := guard.Faults(func() { unpack(row, p.d, unpacked, packed) })
					if faults || !slices.Equal(unpacked, want) {
						t.Fatalf("%s: %v: unpacking %d", driver, set, n)
					}
				}
			}
		}
	}
}

// TestNothingLeftOnTheStack runs the kernels with two secrets and otherwise the same
// input: the stack afterwards must be the same, too.
func TestNothingLeftOnTheStack(t *testing.T) {
	for driver, row := range kernelRows(t) {
		for _, set := range []Set{FrodoKEM976AES, FrodoKEM976SHAKE} {
			p := set.params()
			size := nbar * p.n
			received, packed := make([]uint16, size), make([]byte, p.ciphertext())
			words(received, random(8, 2*size))
			b := newTestBatch(p, row, random(9, seedA))
			o := b.ops[0]
			secret := o.s
			kernels := map[string]func(){
				"S'A": func() { b.mulSA(b.ops) }, "A S": func() { b.mulAS(o) },
				"S'B":        func() { mulSB(row, o.c, &o.kernel, secret, received) },
				"B'S":        func() { b.unpack(o, packed, secret) },
				"sample":     func() { sample(row, secret, p.cdf) },
				"pack":       func() { pack(row, p.d, packed, secret) },
				"difference": func() { difference(row, secret, received) },
			}
			o.rest = bytesOf(o.bc)
			if finishKernel(row, &b, o, 1) {
				for _, key := range []bool{false, true} {
					kernels[fmt.Sprintf("squeezing and a product, %v", key)] = func() {
						copy(unsafe.Slice((*uint16)(unsafe.Pointer(&o.state.A)), 100), secret)
						b.key = key
						finishKernel(row, &b, o, 1)
					}
				}
			}
			for kernel, f := range kernels {
				if underRace && (kernel == "B'S" || strings.HasPrefix(kernel, "squeezing")) {
					continue // they are Go, too
				}
				residue := func(seed uint64) []byte {
					words(secret, random(seed, 2*size))
					clear(o.bc)
					pairsKernel(row, &o.kernel, secret)
					return guard.Residue(f)
				}
				// Addresses and data of interrupts are also secret on the stack, but they do
				// not depend on the secret in every run.
				x, y := residue(1), residue(2)
				follows := make([]bool, len(x))
				for i := range x {
					follows[i] = x[i] != y[i]
				}
				for _, seed := range []uint64{2, 1, 1, 2, 1, 2, 2, 1} {
					want := x
					if seed == 2 {
						want = y
					}
					for i, v := range residue(seed) {
						follows[i] = follows[i] && v == want[i]
					}
				}
				different := 0
				for _, f := range follows {
					if f {
						different++
					}
				}
				if different > 0 {
					t.Errorf("%s, %v, %s: %d bytes on the stack depend on the secret",
						driver, set, kernel, different)
				}
			}
		}
	}
}
