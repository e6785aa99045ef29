//go:build linux && !nokernel

package linux

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/kcapi"
)

func TestMain(m *testing.M) {
	if os.Getenv("LINUX_CHILD") == "1" {
		fmt.Println("inherited:", sockets())
		return
	}
	os.Exit(m.Run())
}

// sockets returns how many descriptors are sockets.
func sockets() int {
	n := 0
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

func settled(t *testing.T, want int) {
	t.Helper()
	for start := time.Now(); sockets() != want; time.Sleep(2 * time.Millisecond) {
		runtime.GC()
		if time.Since(start) > 5*time.Second {
			t.Fatalf("%d sockets are open, want %d", sockets(), want)
		}
	}
}

// LINUX_ENGINE is the driver that [Engine] must select for cbc(aes), or "none".
func TestEngine(t *testing.T) {
	want := os.Getenv("LINUX_ENGINE")
	if want == "" {
		t.Skip("LINUX_ENGINE does not say what this machine has")
	}
	p := newProvider(Engine, system{})
	p.timeout = time.Minute // emulated machines on a busy host are slow
	use(p)
	defer use(nil)
	Prepare()
	for _, u := range Status() {
		t.Log(u)
		switch {
		case u.Algorithm == "cbc(aes)" && want != "none":
			if u.Driver != want || !u.Engine || u.Model.A+u.Model.B == 0 || u.Failures != 0 {
				t.Errorf("%+v", u)
			}
		case u.State != Unused || u.Why == "" || want == "none" && u.Driver != "":
			t.Errorf("%+v", u)
		}
	}
	if n := sockets(); n != 0 {
		t.Errorf("%d sockets are open", n)
	}
	if want == "none" {
		return
	}
	// Use the engine, although it is slower.
	p = enable(t, system{}, Engine)
	p.timeout = time.Minute
	for _, j := range jobs(t) {
		if j.name == "cbc(aes)" {
			e := j.engine(p)
			e.prepare(true)
			calls := e.calls()
			j.run(t)
			if e.calls() == calls || e.failures.Load() != 0 {
				t.Errorf("%v: %d calls, %d failures: %s", e, e.calls(), e.failures.Load(), e.why)
			}
		}
	}
}

// After Wipe, and after garbage collection, no sockets are left open, and child processes
// do not inherit any.
func TestSockets(t *testing.T) {
	if _, err := kcapi.Probe("skcipher", "cbc(aes)"); err != nil {
		t.Skip(err)
	}
	p := enable(t, system{}, Any)
	p.ready(t, "cbc(aes)", 16)
	settled(t, 0)
	b, iv := make([]byte, 4096), make([]byte, 16)
	work := func() *aes.Cipher {
		c := must(aes.New(random(16)))
		c.NewCBCEncrypter(iv).CryptBlocks(b, b)
		c.NewCBCDecrypter(iv).CryptBlocks(b, b)
		return c
	}
	c := work()
	if sockets() < 2 {
		t.Fatal("nothing is open")
	}
	cmd := exec.Command(must(os.Executable()))
	cmd.Env = append(slices.Clone(os.Environ()), "LINUX_CHILD=1", "CIPHERLANE=")
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "inherited: 0" {
		t.Errorf("%v: %s", err, out)
	}
	c.Wipe()
	settled(t, 0)
	for range 200 {
		work()
	}
	settled(t, 0)
	for range 50 {
		work().Wipe()
	}
	if n := sockets(); n > 0 {
		settled(t, 0)
	}
}
