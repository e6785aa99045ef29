// Package conformance contains the tests that every driver of an algorithm must
// pass, with one suite per kind of algorithm: [Hash], [MAC], [Block], [BlockMode],
// [Stream], [AEAD], [KEM], [Signer]. It imports no algorithm. The external test
// package of an algorithm specifies the subject and the reference:
//
//	func TestCTR(t *testing.T) {
//		conformance.EachDriver(t, "sm4", func(t *testing.T, name string) {
//			driver, err := sm4.On(name)
//			…
//			conformance.Stream(t, conformance.StreamCase{…})
//		})
//	}
//
// A suite compares its subject with a reference, normally a plain transcription
// of the standard, for all lengths up to a little over 4096 bytes and for some
// around and beyond 64 KiB, where callers of assembly split their input. It then
// checks the other promises of the interface: which buffers may overlap, what
// panics, what is left unchanged, what may run concurrently, that nothing is
// allocated and that no memory outside the buffers is accessed (package guard).
//
// A suite is a list of checks, and each check is a subtest. For every check, the
// tests of this package contain at least one broken implementation that it must
// reject.
//
// With -short the suites use every length up to 272, then only those around the
// multiples of 64 and, from a kilobyte on, of 448, so that they remain useful under
// an emulator that is forty times slower. They measure allocations, and therefore
// must not run in parallel with other tests of the same package.
package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// A check tests one property of an implementation. It takes a testing.TB, not a
// *testing.T, so that the tests of this package can observe it fail.
type check struct {
	name string
	run  func(t testing.TB)
}

func run(t *testing.T, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// prefixed prepends a name to the names of checks, as if they were subtests of a
// test with that name.
func prefixed(name string, checks []check) []check {
	for i := range checks {
		checks[i].name = name + "/" + checks[i].name
	}
	return checks
}

// maxLength is the length up to which every length is tested: 257 blocks of 16
// bytes, one more than any kernel processes in parallel.
const maxLength = 257 * 16

// lengths returns the input lengths for a check of all lengths: 0 to maxLength in
// steps of unit.
func lengths(unit int) []int {
	if !testing.Short() {
		return multiples(unit, span(0, maxLength))
	}
	// The multiples of 448 are those of 64 with each remainder of 512.
	return multiples(unit, span(0, 272), nearMultiples(64, 272, 1104), nearMultiples(448, 1104, maxLength), nearMultiples(4096, 4096, maxLength))
}

// fewLengths returns lengths for checks of the position of data in memory. They
// cover all remainders of a kernel that processes up to a kilobyte at once.
func fewLengths(unit int) []int {
	if !testing.Short() {
		return multiples(unit, span(0, 1104), nearMultiples(512, 1104, maxLength))
	}
	return multiples(unit, span(0, 80), nearMultiples(64, 80, 1104))
}

// longLengths returns lengths around and beyond 64 KiB, where callers of assembly
// split their input.
func longLengths(unit int) []int {
	const cut = 64 << 10
	n := 1<<20 + 3*unit
	if testing.Short() {
		n = 2*cut + 3*unit
	}
	return []int{cut - unit, cut, cut + unit, n}
}

func span(from, to int) []int {
	var list []int
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}

func nearMultiples(step, from, to int) []int {
	var list []int
	for n := from / step * step; n <= to; n += step {
		list = append(list, n-16, n-1, n, n+1, n+16)
	}
	return list
}

func multiples(unit int, lists ...[]int) []int {
	list := slices.DeleteFunc(slices.Concat(lists...), func(n int) bool { return n%unit != 0 || n > maxLength })
	slices.Sort(list)
	return slices.Compact(list)
}

// A random generates the same bytes and numbers in every run of the same test.
type random struct {
	*rand.Rand
	source *rand.ChaCha8
}

func newRandom(t testing.TB) random {
	var seed [32]byte
	for i, c := range []byte(t.Name()) {
		seed[i%len(seed)] += c
	}
	source := rand.NewChaCha8(seed)
	return random{rand.New(source), source}
}

func (r random) bytes(n int) []byte {
	p := make([]byte, n)
	r.fill(p)
	return p
}

func (r random) fill(p []byte) { r.source.Read(p) }

// pieces splits n into random multiples of unit: some empty or tiny, some about two
// blocks, some long.
func (r random) pieces(n, unit int) []int {
	var list []int
	for n > 0 {
		limit := []int{3, 40, 700}[r.IntN(3)]
		p := min(n, r.IntN(limit/unit+2)*unit)
		list = append(list, p)
		n -= p
	}
	return list
}

// equal ends the test if got is not want. The message contains the first
// difference.
func equal(t testing.TB, got, want []byte, format string, args ...any) {
	if bytes.Equal(got, want) {
		return
	}
	t.Helper()
	t.Fatal(difference(got, want, fmt.Sprintf(format, args...)))
}

func difference(got, want []byte, what string) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%s: got %d bytes, want %d", what, len(got), len(want))
	}
	i := 0
	for i < len(want)-1 && got[i] == want[i] {
		i++
	}
	end := min(i+16, len(want))
	return fmt.Sprintf("%s: wrong from byte %d of %d on: got %x, want %x", what, i, len(want), got[i:end], want[i:end])
}

// misuse checks that f panics with a message that contains reason and does not
// change buffer.
func misuse(t testing.TB, reason string, buffer []byte, what string, f func()) {
	t.Helper()
	before := bytes.Clone(buffer)
	defer func() {
		t.Helper()
		e := recover()
		if message, ok := e.(string); !ok || !strings.Contains(message, reason) {
			t.Errorf("%s: got panic %v, want one that says %q", what, e, reason)
		}
		if !bytes.Equal(buffer, before) {
			t.Errorf("%s: panics, but only after it wrote", what)
		}
	}()
	f()
}

// inBounds checks that f does not access inaccessible memory.
func inBounds(t testing.TB, f func(), format string, args ...any) {
	if guard.Faults(f) {
		t.Helper()
		t.Fatalf("touches memory outside its buffers: %s", fmt.Sprintf(format, args...))
	}
}

// edges is a pair of buffers, with inaccessible memory before the first and after
// the second.
type edges [2][]byte

var sides = [2]string{"in front", "behind"}

func newEdges(t testing.TB, n int) edges {
	return edges{guard.Before(t, n), guard.After(t, n)}
}

// at returns n bytes adjacent to the inaccessible memory.
func (e edges) at(side, n int) []byte {
	if side == 0 {
		return e[0][:n:n]
	}
	return guard.Tail(e[1], n)
}

// put returns a copy of p at the edge.
func (e edges) put(side int, p []byte) []byte {
	b := e.at(side, len(p))
	copy(b, p)
	return b
}

// offsets calls f for all relevant offsets of two buffers from a multiple of 64:
// one of them aligned, or both with the same offset.
func offsets(f func(a, b int)) {
	for i := range 64 {
		f(i, 0)
		f(0, i)
		f(i, i)
	}
}

// aligned returns n bytes that start at a multiple of 64.
func aligned(n int) []byte {
	b := make([]byte, n+63)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & 63
	return b[skip : skip+n : skip+n]
}

// concurrently calls f in several goroutines at once, with their numbers.
func concurrently(f func(i int)) {
	var group sync.WaitGroup
	start := make(chan struct{}) // keeps one from ending before another starts
	for i := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()

			<-start
			f(i)
		}()
	}
	close(start)
	group.Wait()
}

// NoAllocs checks that f, once warmed up, does not allocate. The suites use it
// through interfaces; packages use it for their concrete types and with buffers
// on the stack. It does nothing under the race detector, which makes sync.Pool
// drop objects at random.
func NoAllocs(t testing.TB, what string, f func()) {
	t.Helper()
	if raceDetector() {
		return
	}
	if n := testing.AllocsPerRun(20, f); n != 0 {
		t.Errorf("%s: %v allocations per call, want none", what, n)
	}
}

var raceDetector = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
})
