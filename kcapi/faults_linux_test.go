//go:build linux && !nokernel

package kcapi_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cipherlane/cipherlane/kcapi"
)

// The tests in this file change the system between calls: modules are removed, settings
// tightened, filters installed, descriptors exhausted, keys expire.

// changesSystem skips tests that change the system, except in guests.
func changesSystem(t *testing.T) {
	t.Helper()
	if os.Getenv("RIG") != "1" {
		t.Skip("this changes settings of the system, so it runs in a guest of ci/rig only")
	}
	if os.Getuid() != 0 {
		t.Skip("this is for root")
	}
}

// objects contains one object of each kind, with no idle sockets, so that every call opens
// a new one.
type objects struct {
	hash   *kcapi.Hash
	state  *kcapi.HashState
	cipher *kcapi.Cipher
	aead   *kcapi.AEAD
}

func openObjects(t *testing.T) *objects {
	t.Helper()
	o := &objects{
		hash:   hash(t, "sha256", kcapi.PoolSize(0)),
		cipher: ciph(t, "cbc(aes)", make([]byte, 16), kcapi.PoolSize(0)),
		aead:   aead(t, "gcm(aes)", make([]byte, 16), 16, kcapi.PoolSize(0)),
	}
	o.state = must[*kcapi.HashState](t)(o.hash.NewState())
	return o
}

func (o *objects) Close() {
	for _, c := range []interface{ Close() error }{o.hash, o.state, o.cipher, o.aead} {
		c.Close()
	}
}

// work uses all objects and checks the results.
func (o *objects) work(t *testing.T, stage string) {
	t.Helper()
	text, iv := random(40, 5000), make([]byte, 16)
	block := check(stdaes.NewCipher(iv))
	sum := sha256.Sum256(text)
	got, err := o.hash.Digest(nil, text)
	if err != nil {
		t.Errorf("%s: Digest: %v", stage, err)
	} else {
		same(t, stage+": Digest", got, sum[:])
	}
	if err := o.state.Reset(); err != nil {
		t.Errorf("%s: Reset: %v", stage, err)
	}
	o.state.Write(text[:77])
	if clone, err := o.state.Clone(); err != nil {
		t.Errorf("%s: Clone: %v", stage, err)
	} else {
		clone.Write(text[77:])
		if got, err = clone.Sum(nil); err != nil {
			t.Errorf("%s: Sum: %v", stage, err)
		} else {
			same(t, stage+": Sum", got, sum[:])
		}
		clone.Close()
	}
	out, want := make([]byte, 4096), make([]byte, 4096)
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(want, text[:4096])
	if err := o.cipher.Encrypt(out, text[:4096], iv); err != nil {
		t.Errorf("%s: Encrypt: %v", stage, err)
	} else {
		same(t, stage+": Encrypt", out, want)
	}
	sealed := check(cipher.NewGCM(block)).Seal(nil, iv[:12], text, text[:9])
	if got, err = o.aead.Seal(nil, iv[:12], text, text[:9]); err != nil {
		t.Errorf("%s: Seal: %v", stage, err)
	} else {
		same(t, stage+": Seal", got, sealed)
	}
	sealed[7] ^= 1
	_, err = o.aead.Open(nil, iv[:12], sealed, text[:9])
	wantReason(t, err, kcapi.ErrAuth)
}

// Linux does not remove modules that are in use, so open objects continue to work. Without
// the modules, errors give the reason; when they are loaded again, everything works as
// before.
func TestModulesRemoved(t *testing.T) {
	changesSystem(t)
	const folder = "/modules/" // ci/rig puts them there
	list, err := os.ReadFile(folder + "order")
	if err != nil {
		t.Skip("the guest has no modules")
	}
	o := openObjects(t)
	s := mac(t, "cmac(aes)", make([]byte, 16), kcapi.PoolSize(0))
	settled(t)
	remove := func(name string) error { return unix.DeleteModule(name, unix.O_NONBLOCK) }
	reload := func() {
		for _, name := range strings.Fields(string(list)) {
			b, err := os.ReadFile(folder + name)
			if err == nil {
				err = unix.InitModule(b, "")
			}
			if err != nil && err != unix.EEXIST && err != unix.ENODEV {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	defer reload()
	for _, name := range []string{"af_alg", "algif_hash", "algif_skcipher", "algif_aead", "cmac"} {
		if err := remove(name); err != unix.EAGAIN && err != unix.EBUSY {
			t.Errorf("module %s is in use, but removing it says %v", name, err)
		}
	}
	o.work(t, "after a try to remove modules")
	check(s.Digest(nil, nil))

	// gone removes an unused module; Linux may still be closing its last socket.
	gone := func(name string) {
		t.Helper()
		for range 100 {
			if err = remove(name); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("module %s: %v; sockets here: %d", name, err, sockets(t))
	}
	s.Close()
	gone("cmac")
	_, err = kcapi.OpenMAC("cmac(aes)", kcapi.Bytes(make([]byte, 16)))
	wantReason(t, err, kcapi.ErrNoAlgorithm)
	o.work(t, "without a module of another algorithm")
	o.aead.Close()
	gone("algif_aead")
	_, err = kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(make([]byte, 16)), 16)
	wantReason(t, err, kcapi.ErrModuleBlocked) // nothing can load it in the guest
	if _, err := o.hash.Digest(nil, nil); err != nil {
		t.Error(err)
	}
	o.Close()
	for _, name := range []string{"algif_hash", "algif_skcipher", "algif_rng", "af_alg"} {
		gone(name)
	}
	_, err = kcapi.OpenHash("sha256")
	wantReason(t, err, kcapi.ErrModuleBlocked)
	if !errors.Is(err, syscall.EAFNOSUPPORT) {
		t.Error(err)
	}
	reload()
	openObjects(t).work(t, "with the modules again")
	check(mac(t, "cmac(aes)", make([]byte, 16)).Digest(nil, nil))
}

// Since 7.3 Linux has lists of what programs may open, and a setting for them.
func TestTightened(t *testing.T) {
	changesSystem(t)
	const file = "/proc/sys/crypto/af_alg_restrict"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Skip("this Linux has no crypto.af_alg_restrict")
	}
	level := func(n string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(n), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer level(strings.TrimSpace(string(old)))
	level("0")
	o := openObjects(t)
	open := func(name string) error {
		a, err := kcapi.OpenAEAD(name, kcapi.Bytes(make([]byte, 16)), 16)
		if err == nil {
			a.Close()
		}
		return err
	}
	if err := open("gcm(aes)"); err != nil {
		t.Error(err)
	}
	for _, n := range []string{"1", "2"} {
		level(n)
		o.work(t, "opened before level "+n)
		wantReason(t, open("gcm(aes)"), kcapi.ErrNotAllowed)
		wantReason(t, o.aead.SetKey(kcapi.Bytes(random(41, 16))), kcapi.ErrNotAllowed)
		o.work(t, "with the key from before level "+n)
	}
	if e := kcapi.ReadEnvironment(); e.Restrict != 2 || e.AFALG.State != kcapi.Blocked {
		t.Errorf("level %d, AF_ALG %s", e.Restrict, e.Summary())
	}
	level("0")
	openObjects(t).work(t, "at level 0 again")
}

// A filter is installed after objects were opened: their calls are refused, or the process
// is killed; no call hangs or continues with missing data.
func TestFilteredLater(t *testing.T) {
	openObjects(t) // or skip
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range []string{"socket", "setsockopt", "accept4", "sendto", "sendmsg", "recvfrom", "kill accept4", "kill sendmsg"} {
		cmd := exec.Command(self, "-test.run=^TestFilteredChild$", "-test.timeout=1m")
		cmd.Env = append(os.Environ(), "KCAPI_CHILD=later "+child)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Skip(err) // emulators of a CPU cannot
		}
		if bytes.Contains(out, []byte("--- SKIP")) || cmd.ProcessState.ExitCode() == 77 {
			t.Skipf("no filter: %s", out)
		}
		if !strings.HasPrefix(child, "kill ") {
			if err != nil {
				t.Errorf("a filter for %s: %v\n%s", child, err, out)
			}
		} else if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != unix.SIGSYS {
			t.Errorf("a filter for %s: %v\n%s", child, err, out)
		}
	}
}

// TestFilteredChild runs in the child process of TestFilteredLater.
func TestFilteredChild(t *testing.T) {
	child, ok := strings.CutPrefix(os.Getenv("KCAPI_CHILD"), "later ")
	if !ok {
		t.Skip("not a test of its own")
	}
	verdict := uint32(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	name, kill := strings.CutPrefix(child, "kill ")
	if kill {
		verdict = unix.SECCOMP_RET_KILL_PROCESS
	}
	number := map[string]uint32{"socket": unix.SYS_SOCKET, "accept4": unix.SYS_ACCEPT4, "sendto": unix.SYS_SENDTO, "sendmsg": unix.SYS_SENDMSG, "recvfrom": unix.SYS_RECVFROM, "setsockopt": unix.SYS_SETSOCKOPT}[name]
	o := openObjects(t)
	before := settled(t)
	if err := forbid(number, verdict); err != nil {
		fmt.Println(err)
		os.Exit(77)
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.EPERM) {
			t.Errorf("%s under a filter for %s: %v", what, name, err)
		}
	}
	b := make([]byte, 64)
	_, digest := o.hash.Digest(nil, b)
	encrypt := o.cipher.Encrypt(b, b, b[:16])
	_, seal := o.aead.Seal(nil, b[:12], b[:16], nil)
	setKey := o.cipher.SetKey(kcapi.Bytes(b[:16]))
	fresh, open := kcapi.OpenHash("sha256")
	if open == nil {
		fresh.Close()
	}
	switch name {
	case "socket":
		refused("OpenHash", open)
		wantReason(t, open, kcapi.ErrSeccomp)
		refused("SetKey", setKey)
		o.work(t, "with sockets from before")
	case "setsockopt":
		refused("SetKey", setKey)
		o.work(t, "with the key from before")
	case "accept4":
		refused("Digest", digest)
		refused("Encrypt", encrypt)
		refused("Seal", seal)
		refused("OpenHash", open)
	case "sendto":
		refused("Digest", digest)
	case "sendmsg", "recvfrom":
		refused("Encrypt", encrypt)
		refused("Seal", seal)
	}
	if n := settled(t); n != before {
		t.Errorf("a filter for %s: %d sockets, %d before", name, n, before)
	}
}

// forbid installs a filter against one system call.
func forbid(number, verdict uint32) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: number},
		{Code: unix.BPF_RET | unix.BPF_K, K: verdict},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}

// Without free descriptors, every call that needs one reports that, nothing leaks, and
// calls that have sockets continue to work.
func TestNoDescriptorLeft(t *testing.T) {
	o := openObjects(t)
	pooled := hash(t, "sha256", kcapi.PoolSize(1))
	check(pooled.Digest(nil, nil))
	before := settled(t)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	low := unix.Rlimit{Cur: 3, Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Skip(err)
	}
	b, key := make([]byte, 64), kcapi.Bytes(make([]byte, 16))
	errs := map[string]error{}
	note := func(what string, err error) { errs[what] = err }
	for range 3 {
		_, err := o.hash.Digest(nil, b)
		note("Digest", err)
		_, err = o.state.Clone()
		note("Clone", err)
		_, err = o.hash.NewState()
		note("NewState", err)
		note("Encrypt", o.cipher.Encrypt(b, b, b[:16]))
		note("SetKey", o.cipher.SetKey(key))
		_, err = o.aead.Seal(nil, b[:12], b, nil)
		note("Seal", err)
		_, err = o.aead.Open(nil, b[:12], b, nil)
		note("Open", err)
		_, err = kcapi.OpenCipher("cbc(aes)", key)
		note("OpenCipher", err)
		_, err = kcapi.OpenAEAD("gcm(aes)", key, 16)
		note("OpenAEAD", err)
		_, err = kcapi.OpenRNG("stdrng")
		note("OpenRNG", err)
	}
	_, stock := pooled.Digest(nil, b)
	unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
	for what, err := range errs {
		if !errors.Is(err, kcapi.ErrResources) || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if stock != nil {
		t.Errorf("with a socket in stock: %v", stock)
	}
	o.work(t, "afterwards")
	if n := settled(t); n != before {
		t.Errorf("%d sockets, %d before", n, before)
	}
}

// Child processes started while other goroutines open sockets do not inherit any.
func TestForkInUse(t *testing.T) {
	hash(t, "sha256") // or skip
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := random(42, 3000)
	want := sha256.Sum256(text)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()

			for !stop.Load() {
				h, err := kcapi.OpenHash("sha256")
				if err != nil {
					t.Error(err)
					return
				}
				s, err := h.NewState()
				if err == nil {
					s.Write(text)
					var got []byte
					if got, err = s.Sum(nil); err == nil && !bytes.Equal(got, want[:]) {
						t.Error("wrong while a program starts")
					}
					s.Close()
				}
				if err != nil {
					t.Error(err)
				}
				h.Close()
			}
		}()
	}
	for range 20 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "KCAPI_CHILD=1")
		if out, err := cmd.CombinedOutput(); string(out) != "end\n" || err != nil {
			t.Errorf("sockets in a child: %q, %v", out, err)
			break
		}
	}
	stop.Store(true)
	wg.Wait()
}

// Keys in the keyring that cannot be used are refused.
func TestKeyringRefuses(t *testing.T) {
	ciph(t, "cbc(aes)", make([]byte, 16)) // or skip
	runtime.LockOSThread()                // threads that are there already do not see a new keyring of the process
	defer runtime.UnlockOSThread()
	id, err := unix.AddKey("user", "kcapi test of refusals", random(43, 16), unix.KEY_SPEC_PROCESS_KEYRING)
	if err == unix.ENOSYS && required != "all" {
		t.Skip("this Linux has no keyrings (CONFIG_KEYS)")
	}
	if err != nil {
		t.Fatal(err)
	}
	open := func(id int) error {
		c, err := kcapi.OpenCipher("cbc(aes)", kcapi.Serial(int32(id)))
		if err == nil {
			c.Close()
		}
		return err
	}
	err = open(id)
	if errors.Is(err, kcapi.ErrNotCompiledIn) && required != "all" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := settled(t)
	if _, err := unix.KeyctlInt(unix.KEYCTL_SET_TIMEOUT, id, 1, 0, 0); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if err = open(id); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantReason(t, err, kcapi.ErrKey)
	if !errors.Is(err, syscall.EKEYEXPIRED) {
		t.Errorf("a key that has expired: %v", err)
	}
	for size, want := range map[int]error{1: syscall.EINVAL, 15: syscall.EINVAL, 33: syscall.EINVAL} {
		id, err := unix.AddKey("user", fmt.Sprint("kcapi test of size ", size), make([]byte, size), unix.KEY_SPEC_PROCESS_KEYRING)
		if err != nil {
			t.Fatal(err)
		}
		err = open(id)
		wantReason(t, err, kcapi.ErrKey)
		if !errors.Is(err, want) {
			t.Errorf("a key of %d bytes: %v", size, err)
		}
	}
	for _, id := range []int{-1, 0, 1, 1 << 30} {
		wantReason(t, open(id), kcapi.ErrKey)
	}
	id, err = unix.AddKey("user", "kcapi test of permissions", random(43, 16), unix.KEY_SPEC_PROCESS_KEYRING)
	if err == nil {
		err = unix.KeyctlSetperm(id, 0x37000000) // its possessor may do everything except search it
	}
	if err != nil {
		t.Fatal(err)
	}
	err = open(id)
	wantReason(t, err, kcapi.ErrKey)
	if !errors.Is(err, syscall.EACCES) {
		t.Errorf("a key that must not be searched: %v", err)
	}
	if n := settled(t); n != before {
		t.Errorf("%d sockets, %d before", n, before)
	}
}

// Messages of 16 MiB, one for each kind of object, also with -short.
func TestLong(t *testing.T) {
	text, key, iv := random(44, 16<<20), random(45, 16), random(46, 16)
	t.Run("hash", func(t *testing.T) {
		want := sha256.Sum256(text)
		got, err := hash(t, "sha256").Digest(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "digest", got, want[:])
	})
	t.Run("cipher", func(t *testing.T) {
		c := ciph(t, "cbc(aes)", key)
		got, want := make([]byte, len(text)), make([]byte, len(text))
		cipher.NewCBCEncrypter(check(stdaes.NewCipher(key)), iv).CryptBlocks(want, text)
		if err := c.Encrypt(got, text, iv); err != nil {
			t.Fatal(err)
		}
		same(t, "encrypted", got, want)
		if err := c.Decrypt(got, got, iv); err != nil {
			t.Fatal(err)
		}
		same(t, "decrypted in place", got, text)
	})
	t.Run("aead", func(t *testing.T) {
		a := aead(t, "gcm(aes)", key, 16)
		_, err := a.Seal(nil, iv[:12], text, nil)
		wantReason(t, err, kcapi.ErrTooLarge)
		_, err = a.Open(nil, iv[:12], text, nil)
		wantReason(t, err, kcapi.ErrTooLarge)
	})
}
