package frodokem

import (
	"crypto/aes"
	"crypto/sha3"
	"math"
	"testing"
	"time"
)

// BenchmarkFigures prints the tables of docs/benchmarks.md: operations per second, and
// figures that do not depend on the clock, which are thousands of cycles, by a chain of
// multiplications between the windows, and how many permutations of crypto/sha3 and
// blocks of crypto/aes an operation takes as long as, which take turns with it.
// Everything is the least of many short windows; -benchtime 1x measures once.
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
				list := least(func() {
					if err := x.f(); err != nil {
						b.Fatal(err)
					}
				}, permutation, encryption)
				w, permutation, encryption := list[0].by(x.times), list[1].by(16), list[2].by(100)
				b.ReportMetric(0, "ns/op") // of all windows: no figure
				b.ReportMetric(1e9/w.ns, "op/s")
				b.ReportMetric(w.cycles()/1e3, "kcycles")
				b.ReportMetric(w.ns/permutation.ns, "permutations")
				b.ReportMetric(w.ns/encryption.ns, "blocks")
			})
		}
	})
}

// A window is the shortest time of an operation, and the fastest clock meanwhile.
type window struct{ ns, ghz float64 }

func (w window) cycles() float64 { return w.ns * w.ghz }

// by is the window of one operation, if it was that of so many.
func (w window) by(times int) window { return window{w.ns / float64(times), w.ghz} }

// least times functions, which take turns, in windows of some tenths of a millisecond,
// so that some of them are undisturbed.
func least(list ...func()) []window {
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

// clock is the frequency of this core in GHz: a multiplication that waits for the one
// before takes three cycles on every CPU that has kernels here.
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

var chainSink uint64 = 3
