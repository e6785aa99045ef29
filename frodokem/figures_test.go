package frodokem

import (
	"crypto/aes"
	"crypto/sha3"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// BenchmarkFigures prints the figures of docs/machines: operations per second, and
// figures that do not depend on the clock rate. These are thousands of cycles, measured
// by a chain of multiplications between the windows, and the time of an operation as a
// number of permutations of crypto/sha3 and of blocks of crypto/aes, which run alternately
// with it. All times are the least of many short windows; -benchtime 1x measures once.
func BenchmarkFigures(b *testing.B) {
	hash, in := sha3.NewSHAKE128(), make([]byte, 16*168)
	block, err := aes.NewCipher(in[:16])
	if err != nil {
		b.Fatal(err)
	}
	permutation := func() { hash.Write(in) } // 16 of them
	encryption := func() {
		for range 100 {
			block.Encrypt(in, in)
		}
	}
	eachBench(b, func(b *testing.B, d Driver, s Set) {
		for _, x := range operations(b, d, s) {
			b.Run(x.name, func(b *testing.B) {
				list := shortest(func() {
					if err := x.f(); err != nil {
						b.Fatal(err)
					}
				}, permutation, encryption)
				w, permutation, encryption := list[0].single(x.times), list[1].single(16), list[2].single(100)
				b.ReportMetric(0, "ns/op") // the time of all windows is meaningless
				b.ReportMetric(1e9/w.ns, "op/s")
				b.ReportMetric(w.cycles()/1e3, "kcycles")
				b.ReportMetric(w.ns/permutation.ns, "permutations")
				b.ReportMetric(w.ns/encryption.ns, "blocks")
			})
		}
	})
}

// A window contains the shortest time of an operation, and the fastest clock meanwhile.
type window struct{ ns, ghz float64 }

func (w window) cycles() float64 { return w.ns * w.ghz }

// single divides the time of a window by the number of operations in it.
func (w window) single(times int) window { return window{w.ns / float64(times), w.ghz} }

// shortest times functions, which run alternately, in windows of a few tenths of a
// millisecond, so that some windows are undisturbed.
func shortest(list ...func()) []window {
	out := make([]window, len(list))
	for i, f := range list {
		f()
		out[i].ns = math.Inf(1)
	}
	ghz := 0.0
	for range 80 {
		for i, f := range list {
			n, start := 0, time.Now()
			var passed time.Duration
			for passed < 250*time.Microsecond {
				f()
				n++
				passed = time.Since(start)
			}
			out[i].ns = min(out[i].ns, float64(passed)/float64(n))
			ghz = max(ghz, clock())
		}
	}
	for i := range out {
		out[i].ghz = ghz
	}
	return out
}

// clock returns the frequency of this core in GHz. A multiplication that depends on the
// previous one takes three cycles on every CPU that has kernels here.
func clock() float64 {
	const chain = 8000
	start := time.Now()
	x := chainSink | 1
	for range chain / 8 {
		x *= x
		x *= x
		x *= x
		x *= x
		x *= x
		x *= x
		x *= x
		x *= x
	}
	chainSink = x
	return 3 * chain / float64(time.Since(start))
}

var chainSink uint = 3

// BenchmarkBlocks measures encapsulation with A generated one AES block at a time, by
// crypto/aes, and with the driver's parallel AES; everything else is the same. The second
// half runs in another process, where crypto/aes uses no AES instructions and the driver
// is the portable one.
func BenchmarkBlocks(b *testing.B) {
	const noAES = "cpu.aes=off"
	name, driver := "with AES instructions", automatic()
	lacksAES := strings.Contains(os.Getenv("GODEBUG"), noAES)
	if lacksAES {
		name, driver = "without", Driver{generic}
	}
	for _, s := range []Set{FrodoKEM640AES, FrodoKEM976AES, FrodoKEM1344AES} {
		b.Run(fmt.Sprint(name, "/", s), func(b *testing.B) {
			p, dk := s.params(), newKey(b, driver, s, 1)
			randomness := random(2, p.shared+p.salt)
			ss, ct := make([]byte, p.shared), make([]byte, p.ciphertext())
			ss1, ct1 := make([]byte, p.shared), make([]byte, p.ciphertext())
			list := shortest(func() { encapsulateWith(&dk.ek, ss, ct, randomness) },
				func() { encapsulateOneBlock(&dk.ek, ss1, ct1, randomness) })
			equal(b, ss1, ss, "%v: shared key", s)
			equal(b, ct1, ct, "%v: ciphertext", s)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e9/list[1].ns, "one-block-op/s")
			b.ReportMetric(1e9/list[0].ns, "parallel-op/s")
			b.ReportMetric(list[1].ns/list[0].ns, "times")
		})
	}
	if lacksAES {
		return
	}
	process := exec.Command(os.Args[0],
		"-test.run=^$", "-test.bench=^BenchmarkBlocks$", "-test.benchtime=1x")
	process.Env = append(os.Environ(), "GODEBUG="+noAES)
	process.Stdout, process.Stderr = os.Stdout, os.Stderr
	if err := process.Run(); err != nil {
		b.Fatal(err)
	}
}

// encapsulateOneBlock performs an encapsulation with A from crypto/aes, a block at a time.
// The rows are multiplied by the driver's kernel for stored rows.
func encapsulateOneBlock(ek *EncapsulationKey, ss, ct, randomness []byte) {
	b := newBatch(ek.set.params(), ek.row, false, make([]*operation, 1))
	o, n := b.ops[0], b.n
	copy(o.random[:], randomness)
	in := [3][]byte{ek.hash[:b.shared], randomness}
	b.hash([]keccak.Lane{{In: in, Out: o.hashed[:b.seedSE+b.shared]}})
	b.noise(nil)
	b.squeeze()

	block, err := aes.NewCipher(ek.bytes[:seedA])
	if err != nil {
		panic(err)
	}
	a := make([]uint16, stripe*n)
	add := addStored(&b, o)
	for i := 0; i < n; i += stripe {
		rows := bytesOf(a)
		clear(rows)
		for j := range stripe {
			for k := 0; k < n; k += 8 {
				x := rows[2*(j*n+k):][:16]
				binary.LittleEndian.PutUint16(x, uint16(i+j))
				binary.LittleEndian.PutUint16(x[2:], uint16(k))
				block.Encrypt(x, x)
			}
		}
		fromLittleEndian(a)
		add(a, i)
	}
	add(nil, n)

	mulSB(b.row, o.c, &o.kernel, o.s, ek.b)
	b.pack(o, ct)
	b.hash([]keccak.Lane{{In: [3][]byte{ct, o.k}, Out: ss}})
	b.end()
}

// addStored returns a function that adds products of 16 rows of A. Its last call is with nil rows:
// the portable driver then subtracts the offsets.
func addStored(b *batch, o *operation) func(rows []uint16, first int) {
	if b.row != generic {
		pairsKernel(b.row, &o.kernel, o.s)
		return func(rows []uint16, first int) {
			if rows != nil {
				addRowsKernel(b.row, o.b, rows, &o.kernel, first)
			}
		}
	}
	n, columns, sums := b.n, o.portable.columns[:b.n], o.portable.sums[:nbar/2*b.n]
	clear(columns)
	clear(sums)
	return func(rows []uint16, first int) {
		for k := 0; k < len(rows)/n; k += 4 {
			four := rows[k*n : (k+4)*n]
			addColumns(columns, four)
			addRows(sums, four, o.s, first+k)
		}
		if rows != nil {
			return
		}
		for j := range n {
			for m := range nbar / 2 {
				o.b[2*m*n+j] += uint16(sums[nbar/2*j+m]) - offset*columns[j]
				o.b[(2*m+1)*n+j] += uint16(sums[nbar/2*j+m]>>32) - offset*columns[j]
			}
		}
	}
}
