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
// blocks of crypto/aes an operation takes as long as. Everything is the least of many
// short windows. With -benchtime 1x it measures once.
func BenchmarkFigures(b *testing.B) {
	hash, in := sha3.NewSHAKE128(), make([]byte, 16*168)
	block, err := aes.NewCipher(in[:16])
	if err != nil {
		b.Fatal(err)
	}
	permutation := least(func() { hash.Write(in) })
	encryption := least(func() {
		for range 100 {
			block.Encrypt(in, in)
		}
	})
	permutation.scale(16)
	encryption.scale(100)
	eachBench(b, func(b *testing.B, d Driver, s Set) {
		for _, x := range operations(b, d, s) {
			b.Run(x.name, func(b *testing.B) {
				w := least(func() {
					if err := x.f(); err != nil {
						b.Fatal(err)
					}
				})
				w.scale(x.times)
				b.ReportMetric(0, "ns/op") // of all windows: no figure
				b.ReportMetric(1e9/w.ns, "op/s")
				b.ReportMetric(w.cycles()/1e3, "kcycles")
				b.ReportMetric(w.ns/permutation.ns, "permutations")
				b.ReportMetric(w.ns/encryption.ns, "blocks")
			})
		}
	})
	b.Logf("%.2f GHz; crypto/sha3: %.0f cycles a permutation; crypto/aes: %.1f cycles a block", permutation.ghz, permutation.cycles(), encryption.cycles())
}

// A window is the shortest time of an operation, and the fastest clock meanwhile.
type window struct{ ns, ghz float64 }

func (w window) cycles() float64 { return w.ns * w.ghz }

func (w *window) scale(times int) { w.ns /= float64(times) }

// least times f in windows of some tenths of a millisecond, so that some of them
// are undisturbed.
func least(f func()) window {
	f()
	w := window{ns: math.Inf(1)}
	for range 80 {
		n, start := 0, time.Now()
		var passed time.Duration
		for passed < 300*time.Microsecond {
			f()
			n++
			passed = time.Since(start)
		}
		w.ns = min(w.ns, float64(passed)/float64(n))
		w.ghz = max(w.ghz, clock())
	}
	return w
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
