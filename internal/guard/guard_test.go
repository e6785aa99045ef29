package guard

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// at returns the byte i bytes behind the start of b, which need not be in b.
func at(b []byte, i int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

var sink byte

func TestTouchingTheGuardFaults(t *testing.T) {
	if !Enforced {
		t.Skip("this system has no guard pages")
	}
	page := os.Getpagesize()
	for _, n := range []int{0, 1, 15, 64, page - 1, page, page + 1, 3*page + 5} {
		after, before := After(t, n), Before(t, n)
		for _, c := range []struct {
			what  string
			p     *byte
			fault bool
		}{
			{"the byte behind After", at(after, n), true},
			{"a page behind After", at(after, n+page-1), true},
			{"the byte in front of Before", at(before, -1), true},
			{"a page in front of Before", at(before, -page), true},
			{"the first byte of Before's pages", at(before, 0), false},
			{"the last byte of After's pages", at(after, n-1), false},
		} {
			if got := Faults(func() { sink = *c.p }); got != c.fault {
				t.Errorf("%d bytes: reading %s: fault %v, want %v", n, c.what, got, c.fault)
			}
			if got := Faults(func() { *c.p = 1 }); got != c.fault {
				t.Errorf("%d bytes: writing %s: fault %v, want %v", n, c.what, got, c.fault)
			}
		}
	}
}

// TestAssemblyFaults makes assembly of the standard library access the guard page.
func TestAssemblyFaults(t *testing.T) {
	if !Enforced {
		t.Skip("this system has no guard pages")
	}
	const n = 64
	longBuf := make([]byte, 2*n)
	after := After(t, n)
	if Faults(func() { subtle.XORBytes(longBuf[:n], longBuf[:n], after) }) {
		t.Error("fault inside the buffer")
	}
	if !Faults(func() { subtle.XORBytes(longBuf, longBuf, unsafe.Slice(unsafe.SliceData(after), 2*n)) }) {
		t.Error("no fault outside the buffer")
	}
}

func TestSlices(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 100000} {
		for _, b := range [][]byte{After(t, n), Before(t, n)} {
			if len(b) != n || cap(b) != n {
				t.Errorf("want %d bytes and no spare capacity, got %d and %d", n, len(b), cap(b))
			}
			for i := range b {
				b[i] = byte(i)
			}
		}
	}
}

func TestTail(t *testing.T) {
	b := After(t, 4)
	copy(b, "tail")
	for n := range len(b) + 1 {
		got := Tail(b, n)
		if string(got) != string(b[len(b)-n:]) || unsafe.SliceData(got) != at(b, len(b)-n) {
			t.Errorf("Tail(b, %d) = %v", n, got)
		}
	}
}

func TestOtherPanicsPass(t *testing.T) {
	for what, f := range map[string]func(){
		"a string":       func() { panic("other") },
		"an index error": func() { sink = After(t, 3)[len(t.Name())] },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not pass", what)
				}
			}()
			Faults(f)
		}()
	}
	var p *byte
	if !Faults(func() { sink = *p }) {
		t.Error("the nil pointer does not count")
	}
}

// leave puts secret on the stack, deep enough not to be hidden by others, and
// wipes it if told so.
//
//go:noinline
func leave(secret byte, wipe bool) {
	var a [2000]byte
	for i := range a {
		a[i] = secret
	}
	sink = a[1000]
	if wipe {
		clear(a[:])
	}
}

func TestLeft(t *testing.T) {
	var secret byte
	set := func(seed byte) { secret = seed }
	for _, wipe := range []bool{false, true} {
		n := Left(set, func() { leave(secret, wipe) })
		if wipe && n > 100 || !wipe && n < 1900 {
			t.Errorf("wipe %v: %d bytes of 2000 are left", wipe, n)
		}
	}
	if n := Left(set, func() { leave(7, false) }); n != 0 {
		t.Errorf("%d bytes of no secret are left", n)
	}
}

func TestLeaves(t *testing.T) {
	for _, wipe := range []bool{false, true} {
		many := func(stack []byte) bool { return bytes.Count(stack, []byte{0xa7}) > 1000 }
		if Leaves(func() { leave(0xa7, wipe) }, many) == wipe {
			t.Errorf("wipe %v: found %v", wipe, wipe)
		}
	}
	calls := 0 // what is there in all cases but one does not count
	if Leaves(func() { calls++; leave(0xa7, calls == attempts) }, func(stack []byte) bool { return bytes.Count(stack, []byte{0xa7}) > 1000 }) || calls != attempts {
		t.Errorf("found, after %d calls", calls)
	}
}

// spin keeps a secret in registers until the runtime would have interrupted it.
//
//go:noinline
//go:norace
func spin(secret uint64) {
	for range uint64(1) << 25 {
		secret = bits.RotateLeft64(secret, 64) ^ zero
	}
	sink = byte(secret)
}

var zero uint64

// TestUninterrupted lets the runtime ask a loop to stop. If that interrupted the loop, its
// registers would be on the stack.
func TestUninterrupted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the runtime interrupts code on this system")
	}
	const secret = 0xa7c359e1b0d24f86
	for range 3 {
		var began sync.WaitGroup
		began.Add(1)
		done := make(chan struct{})
		go func() {
			began.Wait()
			runtime.GC() // stops all goroutines
			close(done)
		}()
		stack := Residue(func() { began.Done(); spin(secret) })
		if bytes.Contains(stack, binary.NativeEndian.AppendUint64(nil, secret)) {
			t.Error("the loop was interrupted")
		}
		<-done
	}
}

func TestResidue(t *testing.T) {
	for _, wipe := range []bool{false, true} {
		most := 0
		for range 3 {
			n := bytes.Count(Residue(func() { leave(0xa7, wipe) }), []byte{0xa7})
			most = max(most, n)
		}
		if wipe && most > 100 || !wipe && most < 1900 {
			t.Errorf("wipe %v: %d bytes of 2000 are left", wipe, most)
		}
	}
}
