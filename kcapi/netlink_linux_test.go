//go:build linux && !nokernel

package kcapi

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// Both interfaces must return the same.
func TestAlgorithmsNetlink(t *testing.T) {
	got, err := AlgorithmsNetlink()
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("an error of type %T: %v", err, err)
		}
		t.Skip(err)
	}
	want, err := Algorithms()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d algorithms, /proc/crypto has %d", len(got), len(want))
	}
	for _, r := range got {
		i := slices.IndexFunc(want, func(w Record) bool { return w.Driver == r.Driver && w.Name == r.Name })
		if i < 0 {
			t.Errorf("%s is not in /proc/crypto", r.Driver)
			continue
		}
		w := want[i]
		if r.Module != w.Module || r.Priority != w.Priority || r.Async != w.Async || r.Internal != w.Internal || r.SelfTest != w.SelfTest {
			t.Errorf("%+v\n/proc/crypto: %+v", r, w)
		}
		if socketType(w.Type) != "" && (r.Type != w.Type || r.BlockSize != w.BlockSize && w.Type != "rng" || r.MaxKeySize != w.MaxKeySize || r.IVSize != w.IVSize ||
			r.DigestSize != w.DigestSize || r.MaxAuthSize != w.MaxAuthSize) {
			t.Errorf("%+v\n/proc/crypto: %+v", r, w)
		}
	}
}

// netlinkMessage returns a message about one algorithm, with attributes.
func netlinkMessage(kind uint16, name string, attributes ...[]byte) []byte {
	b := make([]byte, 16+algSize)
	copy(b[16:], name)
	copy(b[16+64:], name+"-driver")
	copy(b[16+128:], "module")
	binary.NativeEndian.PutUint32(b[16+204:], flagTested|flagAllocates)
	for i, a := range attributes {
		head := make([]byte, 4)
		binary.NativeEndian.PutUint16(head, uint16(4+len(a)))
		binary.NativeEndian.PutUint16(head[2:], uint16([]int{attrPriority, attrHash}[i]))
		b = append(append(b, head...), a...)
	}
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	return b
}

func TestParseNetlink(t *testing.T) {
	four := func(n int32) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(n)) }
	report := append(append(append([]byte("shash"), make([]byte, 59)...), four(64)...), four(32)...)
	one := netlinkMessage(newAlg, "sha256", four(-3), report)
	list, end, errno := parseNetlink(append(slices.Clone(one), one...))
	if len(list) != 2 || end || errno != 0 {
		t.Fatalf("%+v, end %v, %v", list, end, errno)
	}
	r := list[0]
	if r.Name != "sha256" || r.Driver != "sha256-driver" || r.Module != "module" || r.Priority != -3 || r.Type != "shash" ||
		r.BlockSize != 64 || r.DigestSize != 32 || r.SelfTest != "passed" || !r.masked() || r.Async {
		t.Errorf("%+v", r)
	}
	done := netlinkMessage(unix.NLMSG_DONE, "")
	if _, end, errno := parseNetlink(done); !end || errno != 0 {
		t.Error("no end")
	}
	refused := append(netlinkMessage(unix.NLMSG_ERROR, "")[:16], four(-int32(unix.EPERM))...)
	binary.NativeEndian.PutUint32(refused, 20)
	if _, end, errno := parseNetlink(refused); !end || errno != unix.EPERM {
		t.Errorf("end %v, %v", end, errno)
	}
	for n := range one { // truncation must not cause a panic
		parseNetlink(one[:n])
		short := slices.Clone(one[:n])
		if n >= 16 {
			binary.NativeEndian.PutUint32(short, uint32(n))
			if list, _, _ := parseNetlink(short); len(list) != 0 && n < 16+algSize {
				t.Errorf("%d bytes: %+v", n, list)
			}
		}
	}
}

func FuzzParseNetlink(f *testing.F) {
	f.Add(netlinkMessage(newAlg, "sha256", make([]byte, 4), make([]byte, 72)))
	f.Add(netlinkMessage(unix.NLMSG_DONE, ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, _, _ := parseNetlink(b); len(list) > len(b)/16 {
			t.Errorf("%d records of %d bytes", len(list), len(b))
		}
	})
}
