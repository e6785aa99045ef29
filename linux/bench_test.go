package linux

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/internal/speed"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// A call is an operation of the public API on n bytes, in place where possible. make
// returns it for a key, which uses Linux if Linux is enabled then.
type call struct {
	algorithm, operation string
	keySize              int
	make                 func(key []byte) func(b []byte)
}

var nonce = make([]byte, 16)

func gcmCalls(name string, size int, gcm func(key []byte) cipherWithModes) []call {
	return []call{
		{name, "seal", size, func(key []byte) func([]byte) {
			a := must(gcm(key).NewGCM(12, 16))
			buffer := make([]byte, 1<<20+16)
			return func(b []byte) { a.Seal(buffer[:0], nonce[:12], buffer[:len(b)], nil) }
		}},
		{name, "open", size, func(key []byte) func([]byte) {
			a := must(gcm(key).NewGCM(12, 16))
			sealed, out := map[int][]byte{}, make([]byte, 1<<20)
			return func(b []byte) {
				n := len(b)
				if sealed[n] == nil {
					sealed[n] = a.Seal(nil, nonce[:12], b[:n], nil)
				}
				must(a.Open(out[:0], nonce[:12], sealed[n], nil))
			}
		}},
	}
}

func blockCalls(name string, size int, c func(key []byte) cipherWithModes) []call {
	return append([]call{
		{"cbc(" + name + ")", "encrypt", size, func(key []byte) func([]byte) {
			m := c(key).NewCBCEncrypter(nonce)
			return func(b []byte) { m.CryptBlocks(b, b) }
		}},
		{"cbc(" + name + ")", "decrypt", size, func(key []byte) func([]byte) {
			m := c(key).NewCBCDecrypter(nonce)
			return func(b []byte) { m.CryptBlocks(b, b) }
		}},
		{"ctr(" + name + ")", "encrypt", size, func(key []byte) func([]byte) {
			m := c(key).NewCTR(nonce)
			return func(b []byte) { m.XORKeyStream(b, b) }
		}},
	}, gcmCalls("gcm("+name+")", size, c)...)
}

func calls() []call {
	list := append(blockCalls("aes", 16, subjects[0].new), blockCalls("sm4", 16, subjects[1].new)...)
	for _, decrypt := range []bool{false, true} {
		operation := map[bool]string{false: "encrypt", true: "decrypt"}[decrypt]
		xts := func(x xtsMode) func([]byte) {
			if decrypt {
				return func(b []byte) { x.Decrypt(b, b, 1) }
			}
			return func(b []byte) { x.Encrypt(b, b, 1) }
		}
		list = append(list,
			call{"xts(aes)", operation, 32, func(key []byte) func([]byte) { return xts(must(aes.NewXTS(key))) }},
			call{"xts(sm4)", operation, 32, func(key []byte) func([]byte) { return xts(must(sm4.NewXTS(key))) }})
	}
	return append(list, call{"sm3", "hash", 0, func([]byte) func([]byte) {
		if p := current.Load(); p != nil {
			return func(b []byte) {
				if len(b) < offload.Floor { // like SumSM3
					sm3.Sum(b)
				} else {
					p.sumSM3(b)
				}
			}
		}
		return func(b []byte) { sm3.Sum(b) }
	}})
}

var benchSizes = []int{16, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20}

// BenchmarkLinux compares Linux, for messages from the floor on that always go there,
// with this library. In a guest only the ratios are meaningful:
//
//	ci/guest uml -run '^$' -bench Linux ./linux
func BenchmarkLinux(b *testing.B) {
	if _, err := kcapi.Probe("skcipher", "cbc(aes)"); err != nil {
		b.Skip(err)
	}
	for _, c := range calls() {
		b.Run(c.algorithm+"/"+c.operation, func(b *testing.B) {
			b.Run("linux", func(b *testing.B) {
				p := enable(b, system{}, Any)
				e := p.engines[c.algorithm][c.keySize]
				e.prepare(true)
				if e.state.Load() != ready {
					b.Skip(e.why)
				}
				benchCall(b, c, benchSizes[1:])
			})
			b.Run("software", func(b *testing.B) { benchCall(b, c, benchSizes) })
		})
	}
}

func benchCall(b *testing.B, c call, sizes []int) {
	f := c.make(random(c.keySize))
	buffer := make([]byte, sizes[len(sizes)-1])
	f(buffer) // opens the key
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				f(buffer[:n])
			}
		})
	}
}

var sweep = flag.Duration("sweep", 0, "how long to sweep over the lengths, comparing what users get with linux=any and without")

// TestSweep prints, for all lengths, how much longer calls take because Linux is
// enabled, where the usual measurement decides when to use it. The control is another
// key without Linux, which shows the noise of the machine.
//
//	ci/guest -timeout 10m uml -run Sweep -v ./linux -sweep 60s
func TestSweep(t *testing.T) {
	if *sweep == 0 {
		t.Skip("-sweep says how long")
	}
	var lengths []int
	for n := 16; n <= 256<<10; n *= 2 {
		lengths = append(lengths, n)
	}
	use(newProvider(Any, system{}))
	defer use(nil)
	Prepare()
	for _, u := range Status() {
		fmt.Printf("# %v\n", u)
	}
	var groups [][]speed.Case
	buffer := make([]byte, 1<<20)
	var froms []int
	for _, c := range calls() {
		key := random(c.keySize)
		hybrid := c.make(key)
		for range 50 {
			hybrid(buffer[:1<<20]) // so that the key is open, if Linux is used
		}
		p := swap(nil)
		software, control := c.make(key), c.make(key)
		swap(p)
		u := useOf(p, c.algorithm, c.keySize, map[string]int{"decrypt": 1, "open": 1}[c.operation])
		for _, n := range lengths {
			run := func(f func([]byte)) func(int) {
				return func(count int) {
					for range count {
						f(buffer[:n])
					}
				}
			}
			groups = append(groups, []speed.Case{
				{Algorithm: c.algorithm, Operation: c.operation, Driver: "hybrid", Bytes: n, Run: run(hybrid)},
				{Algorithm: c.algorithm, Operation: c.operation, Driver: "software", Bytes: n, Run: run(software)},
				{Algorithm: c.algorithm, Operation: c.operation, Driver: "control", Bytes: n, Run: run(control)},
			})
			froms = append(froms, u.From)
		}
	}
	runtime.GC()
	results, err := speed.Measure(context.Background(), groups, *sweep, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%-10s %-8s %8s %8s %12s %12s %8s %8s\n", "algorithm", "", "from", "bytes", "hybrid ns", "software ns", "ratio", "control")
	worst, slower, unclear := 0.0, 0, 0
	for i, r := range results {
		// The best of many short slices: other load on the machine can only add time.
		ours, soft := slices.Min(r[0].Slices), slices.Min(r[1].Slices)
		ratio, control := ours/soft, slices.Min(r[2].Slices)/soft
		mark := ""
		if ratio > 1.03 {
			slower++
			mark = " *"
		}
		if control > 1.03 || control < 1/1.03 {
			unclear++
		}
		worst = max(worst, ratio)
		fmt.Printf("%-10s %-8s %8d %8d %12.1f %12.1f %8.3f %8.3f%s\n", r[0].Algorithm, r[0].Operation, froms[i], r[0].Bytes, ours, soft, ratio, control, mark)
	}
	fmt.Printf("%d of %d over 1.03, the worst %.3f; %d where two keys without Linux differ as much; after %v\n", slower, len(results), worst, unclear, *sweep)
}

var table = flag.Duration("table", 0, "how long to measure for a table of what always goes to Linux, against software")

// TestTable prints the times of Linux, for messages that always go there, and of this
// library. They are the best of many short runs, which a busy host distorts less than a
// mean. In a guest only the ratios are meaningful:
//
//	ci/guest uml -run Table -v ./linux -table 30s
func TestTable(t *testing.T) {
	if *table == 0 {
		t.Skip("-table says how long")
	}
	var groups [][]speed.Case
	var memory [][2]float64
	buffer := make([]byte, 1<<20)
	for _, c := range calls() {
		p := newProvider(Any, system{})
		p.crossovers = alwaysUse
		swap(p)
		e := p.engines[c.algorithm][c.keySize]
		e.prepare(true)
		key := random(c.keySize)
		linux := c.make(key)
		linux(buffer[:1024])
		swap(nil)
		if e.state.Load() != ready {
			fmt.Printf("%s: %s\n", c.algorithm, e.why)
			continue
		}
		software := c.make(key)
		for _, n := range benchSizes {
			if n > piece && e.algorithm.name[:3] != "cbc" && e.algorithm.name[:3] != "ctr" {
				continue // cannot be split
			}
			group := []speed.Case{{Driver: "software"}}
			fs := []func([]byte){software}
			if n >= 512 {
				group = append(group, speed.Case{Driver: e.driver})
				fs = append(fs, linux)
			}
			for i, f := range fs {
				group[i].Algorithm, group[i].Operation, group[i].Bytes = c.algorithm, c.operation, n
				group[i].Run = func(count int) {
					for range count {
						f(buffer[:n])
					}
				}
				memory = append(memory, perCall(func() { f(buffer[:n]) }))
			}
			groups = append(groups, group)
		}
	}
	results, err := speed.Measure(context.Background(), groups, *table, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("| algorithm | operation | driver | bytes | ns/op | MB/s | B/op | allocs/op | against software |")
	fmt.Println("|---|---|---|--:|--:|--:|--:|--:|--:|")
	i := 0
	for _, group := range results {
		soft := slices.Min(group[0].Slices)
		for _, r := range group {
			ns := slices.Min(r.Slices)
			fmt.Printf("| %s | %s | %s | %d | %.0f | %.1f | %.0f | %.0f | %.3g |\n",
				r.Algorithm, r.Operation, r.Driver, r.Bytes, ns, float64(r.Bytes)*1e3/ns, memory[i][0], memory[i][1], soft/ns)
			i++
		}
	}
}

// perCall returns the bytes and the number of allocations of a call.
func perCall(f func()) [2]float64 {
	const calls = 20
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		f()
	}
	runtime.ReadMemStats(&after)
	return [2]float64{float64((after.TotalAlloc - before.TotalAlloc) / calls), float64((after.Mallocs - before.Mallocs) / calls)}
}
