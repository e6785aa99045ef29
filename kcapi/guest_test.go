//go:build linux && !nokernel

package kcapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/kcapi"
)

// required is the value of KCAPI_REQUIRE: with "1", AF_ALG must be available, and with
// "all", all algorithms that these tests use. Otherwise a test that cannot run is skipped
// with the reason.
var required = os.Getenv("KCAPI_REQUIRE")

func TestMain(m *testing.M) {
	switch child := os.Getenv("KCAPI_CHILD"); child {
	case "1":
		listSockets()
		return
	case "errno", "kill":
		underFilter(child)
		return
	}
	os.Exit(m.Run())
}

// must unwraps the result of an Open function.
func must[T interface{ Close() error }](t testing.TB) func(T, error) T {
	return func(object T, err error) T {
		t.Helper()
		if err != nil {
			var e *kcapi.Error
			if !errors.As(err, &e) {
				t.Fatalf("an error of type %T: %v", err, err)
			}
			switch {
			case required == "all", e.Op != "socket" && e.Op != "bind", e.Op == "socket" && required != "":
				t.Fatal(err)
			}
			t.Skip(err)
		}
		t.Cleanup(func() { object.Close() })
		return object
	}
}

func hash(t testing.TB, name string, opts ...kcapi.Option) *kcapi.Hash {
	t.Helper()
	return must[*kcapi.Hash](t)(kcapi.OpenHash(name, opts...))
}

func mac(t testing.TB, name string, key []byte, opts ...kcapi.Option) *kcapi.Hash {
	t.Helper()
	return must[*kcapi.Hash](t)(kcapi.OpenMAC(name, kcapi.Bytes(key), opts...))
}

func ciph(t testing.TB, name string, key []byte, opts ...kcapi.Option) *kcapi.Cipher {
	t.Helper()
	return must[*kcapi.Cipher](t)(kcapi.OpenCipher(name, kcapi.Bytes(key), opts...))
}

func aead(t testing.TB, name string, key []byte, tag int, opts ...kcapi.Option) *kcapi.AEAD {
	t.Helper()
	return must[*kcapi.AEAD](t)(kcapi.OpenAEAD(name, kcapi.Bytes(key), tag, opts...))
}

// random returns n bytes that are the same in every run.
func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	var s [32]byte
	s[0], s[1] = byte(seed), byte(seed>>8)
	rand.NewChaCha8(s).Read(b)
	return b
}

// sizes contains sizes at which code paths in Linux or in this package change.
func sizes(short bool) []int {
	p := os.Getpagesize()
	list := []int{0, 1, 15, 16, 17, 63, 64, 1420, p - 1, p, p + 1}
	for _, n := range []int{16 * p, 64 << 10, 208 << 10} {
		list = append(list, n-1, n, n+1)
	}
	list = append(list, 128<<10, 1<<20)
	if !short {
		list = append(list, 16<<20)
	}
	return list
}

// variants runs a test without and with a deadline, which use different code.
func variants(t *testing.T, f func(t *testing.T, opts ...kcapi.Option)) {
	t.Run("direct", func(t *testing.T) { f(t) })
	t.Run("timeout", func(t *testing.T) { f(t, kcapi.Timeout(time.Minute)) })
}

func wantReason(t testing.TB, err error, r kcapi.Reason) {
	t.Helper()
	var e *kcapi.Error
	if !errors.As(err, &e) || !errors.Is(err, r) {
		t.Errorf("error %v, want one of %q", err, r)
		return
	}
	if s := err.Error(); !strings.HasPrefix(s, "kcapi: ") || strings.ContainsAny(s, "\n") || len(s) > 200 {
		t.Errorf("odd text: %q", s)
	}
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		if len(got) > 64 || len(want) > 64 {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: %d bytes, want %d, different from byte %d on", what, len(got), len(want), i)
			return
		}
		t.Errorf("%s: %x, want %x", what, got, want)
	}
}

// sockets returns how many descriptors are sockets.
func sockets(t testing.TB) int {
	t.Helper()
	n := 0
	for _, target := range descriptors() {
		if strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

// settled returns sockets after unreachable ones have been closed.
func settled(t testing.TB) int {
	t.Helper()
	n, stable := sockets(t), 0
	for stable < 5 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond)
		if now := sockets(t); now == n {
			stable++
		} else {
			n, stable = now, 0
		}
	}
	return n
}

func descriptors() map[string]string {
	list := map[string]string{}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil {
			list[e.Name()] = target
		}
	}
	return list
}

func listSockets() {
	for fd, target := range descriptors() {
		if strings.HasPrefix(target, "socket:") {
			fmt.Println(fd, target)
		}
	}
	fmt.Println("end")
}
