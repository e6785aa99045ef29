//go:build linux && !nokernel

package kcapi

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The environment according to files must agree with the results of opening sockets.
func TestProbe(t *testing.T) {
	e := ReadEnvironment()
	r, err := Probe("hash", "sha256")
	t.Logf("AF_ALG: %s; hash: %+v; sha256: %s %d, %v", e.Summary(), e.Types["hash"], r.Driver, r.Priority, err)
	if err != nil && os.Getenv("KCAPI_REQUIRE") == "1" && e.Allowed("sha256") {
		t.Error(err)
	}
	if e.AFALG.State == Ready && e.Types["hash"].State == Ready && e.Allowed("sha256") && e.Seccomp != SeccompFilter && err != nil {
		t.Errorf("AF_ALG is %s, but %v", e.Summary(), err)
	}
	if (e.AFALG.State == Absent || e.AFALG.State == Blocked) && err == nil {
		t.Errorf("AF_ALG is %s, but it works", e.Summary())
	}
	if e.AFALG.State == Absent && !errors.Is(err, ErrNotCompiledIn) && !errors.Is(err, ErrSeccomp) {
		t.Error(err)
	}
	if err == nil {
		if r.Name != "sha256" {
			t.Errorf("the driver is %+v", r)
		}
		if e := ReadEnvironment(); e.AFALG.State != Ready {
			t.Errorf("AF_ALG is %s, but it works", e.Summary())
		}
		_, err := Probe("hash", "no such hash")
		if !errors.Is(err, ErrNoAlgorithm) && !errors.Is(err, ErrNotAllowed) {
			t.Error(err)
		}
	}
	for _, name := range []string{"", strings.Repeat("x", 128), "a\x00b"} {
		if _, err := Probe("hash", name); !errors.Is(err, ErrNoAlgorithm) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// queued is a name that makes Linux instantiate an asynchronous driver. The driver stays
// registered, with the highest priority for its algorithm, so it is used in guests only.
const queued = "cryptd(ctr(sm4-generic))"

var inGuest = os.Getenv("RIG") == "1"

// The reference count of a driver in use is higher than before, which shows the driver
// that Linux has selected.
func TestWinnerIsTaken(t *testing.T) {
	for _, a := range [][2]string{
		{"hash", "sha256"}, {"hash", "hmac(sha256)"}, {"hash", "sm3"}, {"skcipher", "cbc(aes)"}, {"skcipher", "ctr(sm4)"}, {"skcipher", "xts(aes)"},
		{"aead", "gcm(aes)"}, {"aead", "ccm(aes)"}, {"rng", "stdrng"}, {"skcipher", queued}, {"skcipher", "ctr(sm4)"},
	} {
		if a[1] == queued && !inGuest {
			continue
		}
		if _, err := Probe(a[0], a[1]); err != nil { // instantiates templates
			t.Log(err)
			continue
		}
		want, found := Winner(a[0], a[1])
		fd, errno := newSocket()
		if errno != 0 {
			t.Fatal(errno)
		}
		errno = bind(fd, a[0], a[1])
		list, err := Algorithms()
		closeSocket(fd)
		if errno != 0 || err != nil {
			t.Fatal(errno, err)
		}
		now := find(list, want.Driver)
		if !found || now.RefCount <= want.RefCount {
			t.Errorf("%s: %s %d has %d references, before %d", a[1], want.Driver, want.Priority, now.RefCount, want.RefCount)
		}
	}
}

// Since 7.2, asynchronous drivers exist but cannot be opened.
func TestMasked(t *testing.T) {
	e := ReadEnvironment()
	if !e.HidesEngines {
		t.Skipf("Linux %s hides nothing", e.Release)
	}
	if !inGuest {
		t.Skip("only in a guest")
	}
	if _, err := Probe("skcipher", "ctr(sm4)"); err != nil {
		t.Skip(err)
	}
	_, err := Probe("skcipher", queued)
	if !errors.Is(err, ErrMasked) && !errors.Is(err, ErrNoAlgorithm) {
		t.Errorf("%v", err)
	}
	if r, ok := Winner("skcipher", "ctr(sm4)"); !ok || r.Async {
		t.Errorf("the winner is %+v", r)
	}
}

// ReadEnvironment opens no sockets, starts nothing and leaves no descriptors open.
func TestEnvironmentIsPassive(t *testing.T) {
	const child = "KCAPI_ENVIRONMENT"
	if os.Getenv(child) == "1" {
		// From here on, opening any socket kills the process.
		filter := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 2, K: unix.SYS_SOCKET},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: unix.SYS_EXECVE},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS},
		}
		program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Skip(err)
		}
		if err := install(&program); err != 0 {
			t.Skip(err)
		}
		e := ReadEnvironment()
		if !e.Supported || e.Release == "" {
			t.Errorf("%+v", e)
		}
		if e.Seccomp != SeccompFilter || !e.NoNewPrivs {
			t.Errorf("the filter is not seen: %v, %v", e.Seccomp, e.NoNewPrivs)
		}
		for range 100 {
			ReadEnvironment()
		}
		if entries, _ := os.ReadDir("/proc/self/fd"); len(entries) > 20 {
			t.Errorf("%d descriptors are open", len(entries))
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironmentIsPassive$", "-test.v")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOCOVERDIR=") }), child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
}

// A filter that refuses sockets is distinguished from a Linux without AF_ALG.
func TestProbeFiltered(t *testing.T) {
	const child = "KCAPI_FILTERED"
	if os.Getenv(child) == "1" {
		filter := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: unix.SYS_SOCKET},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		}
		program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Skip(err)
		}
		if err := install(&program); err != 0 {
			t.Skip(err)
		}
		_, err := Probe("hash", "sha256")
		if !errors.Is(err, ErrSeccomp) || !errors.Is(err, unix.EPERM) || !strings.Contains(err.Error(), "seccomp filter") {
			t.Error(err)
		}
		oneCall := runtime.GOARCH == "386" || runtime.GOARCH == "s390x" // for all operations on sockets
		if _, err := AlgorithmsNetlink(); !errors.Is(err, ErrSeccomp) && !oneCall {
			t.Error(err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestProbeFiltered$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
}

// install installs a filter for all threads of this process.
func install(program *unix.SockFprog) syscall.Errno {
	const setModeFilter, allThreads = 1, 1
	_, _, errno := syscall.Syscall(unix.SYS_SECCOMP, setModeFilter, allThreads, uintptr(unsafe.Pointer(program)))
	return errno
}
