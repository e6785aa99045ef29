//go:build linux && !nokernel

package kcapi

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// skip handles an algorithm that could not be opened; see required.
func skip(t *testing.T, err error) {
	t.Helper()
	var e *Error
	switch required := os.Getenv("KCAPI_REQUIRE"); {
	case required == "all", !errors.As(err, &e), e.Op != "socket" && e.Op != "bind", e.Op == "socket" && required != "":
		t.Fatal(err)
	}
	t.Skip(err)
}

func openOr(t *testing.T, typ, name string, key []byte, tag int) (*object, *transform, *op) {
	t.Helper()
	k := Key{}
	if key != nil {
		k = Bytes(key)
	}
	b, err := newObject(typ, name, k, tag, nil)
	if err != nil {
		skip(t, err)
	}
	t.Cleanup(b.close)
	tr, o, err := b.get()
	if err != nil {
		t.Fatal(err)
	}
	return b, tr, o
}

// withTimeout fails the test if f does not return: no call may wait for data.
func withTimeout(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s hangs", what)
	}
}

func TestCloseOnExec(t *testing.T) {
	b, tr, o := openOr(t, "hash", "sha256", nil, 0)
	clone, errno := accept(o.fd)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer closeSocket(clone)
	for _, fd := range []int{tr.fd, o.fd, clone} {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %#x, %v", fd, flags, err)
		}
	}
	tr.put(o, true)
	_ = b
}

// Without MSG_DONTWAIT each of these would wait forever.
func TestNothingWaits(t *testing.T) {
	_, tr, o := openOr(t, "skcipher", "cbc(aes)", make([]byte, 16), 0)
	withTimeout(t, "receiving what was not sent", func() {
		m := message{receives: true, out: make([]byte, 16)}
		if _, call, errno := m.run(o.fd); errno != unix.EAGAIN || call != "receive" {
			t.Errorf("%s: %v", call, errno)
		}
	})
	tr.put(o, false)

	_, o2 := tr.mustGet(t)
	withTimeout(t, "an output larger than the message", func() {
		m := message{sends: true, control: true, encrypt: true, iv: make([]byte, 16), in: make([]byte, 64), receives: true, out: make([]byte, 4096)}
		if n, _, errno := m.run(o2.fd); n != 64 || errno != 0 {
			t.Errorf("%d bytes, %v", n, errno)
		}
	})
	withTimeout(t, "more than the socket's buffer", func() {
		m := message{sends: true, control: true, encrypt: true, iv: make([]byte, 16), in: make([]byte, 8<<20), receives: true, out: make([]byte, 8<<20)}
		n, call, errno := m.run(o2.fd)
		if errno != unix.EMSGSIZE && errno != unix.EAGAIN || call != "send" {
			t.Errorf("%d bytes, %s: %v", n, call, errno)
		}
	})
	tr.put(o2, false)
	if len(tr.idle) != 0 {
		t.Error("a dirty socket is in the pool")
	}
}

func (t *transform) mustGet(tb testing.TB) (*transform, *op) {
	o, call, errno := t.get()
	if o == nil || errno != 0 {
		tb.Fatal(call, errno)
	}
	return t, o
}

// The bound holds for any alignment of buffers and any size of data. If a message is too
// large, Linux may return the right number of bytes with wrong contents.
func TestCapacity(t *testing.T) {
	key, nonce := make([]byte, 16), make([]byte, 12)
	_, tr, o := openOr(t, "aead", "gcm(aes)", key, 16)
	block, _ := aes.NewCipher(key)
	ref, _ := cipher.NewGCM(block)
	limit := o.limit
	if page := os.Getpagesize(); limit <= 64<<10 || limit%page != 0 {
		t.Logf("limit %d", limit)
	}
	run := func(total, data, offset int) bool {
		ad, text := make([]byte, data), make([]byte, total-16-data)
		m := message{
			sends: true, control: true, aead: true, encrypt: true, iv: nonce, data: ad, in: text, receives: true,
			head: make([]byte, offset+data)[offset:],
			out:  make([]byte, offset+len(text)+16)[offset:],
		}
		n, call, errno := m.run(o.fd)
		right := errno == 0 && n == total && bytes.Equal(m.out, ref.Seal(nil, nonce, text, ad))
		if !right {
			t.Logf("%d bytes, %d of them data, offset %d: %s %v, %d bytes", total, data, offset, call, errno, n)
			tr.put(o, false)
			_, o = tr.mustGet(t)
		}
		return right
	}
	page := os.Getpagesize()
	for _, total := range []int{limit, limit - 1, limit - 15, limit - 17, limit - page} {
		for _, data := range []int{0, 1, 17, 4096, 65537, total - 16} {
			for _, offset := range []int{0, 1, 16, 4095, 2048} {
				if !run(total, data, offset) {
					t.Errorf("wrong within the bound")
				}
			}
		}
	}
	largerWorks := run(limit+1, 0, 1)
	t.Logf("bound %d; a message of %d bytes is right: %v", limit, limit+1, largerWorks)
	tr.put(o, true)
}

// The bound holds for socket buffers of any number of pages, with runs that begin
// anywhere.
func TestCapacityOfSizes(t *testing.T) {
	if os.Getenv("RIG") != "1" || os.Getuid() != 0 {
		t.Skip("this changes settings of the system, so it runs as root in a guest of ci/rig only")
	}
	page := os.Getpagesize()
	const folder = "/proc/sys/net/core/"
	for _, name := range []string{"wmem_default", "rmem_default"} {
		old, err := os.ReadFile(folder + name)
		if err != nil {
			t.Skip(err)
		}
		defer os.WriteFile(folder+name, old, 0)
	}
	block, _ := aes.NewCipher(make([]byte, 16))
	iv := make([]byte, 16)
	for pages := 2; pages <= 52; pages++ {
		for _, name := range []string{"wmem_default", "rmem_default"} {
			if err := os.WriteFile(folder+name, []byte(strconv.Itoa(pages*page+17)), 0); err != nil {
				t.Skip(err)
			}
		}
		_, tr, o := openOr(t, "skcipher", "ctr(aes)", make([]byte, 16), 0)
		if o.limit < (pages-1)*page || o.limit > pages*page {
			t.Errorf("%d pages: limit %d", pages, o.limit)
		}
		text, want := make([]byte, o.limit), make([]byte, o.limit)
		cipher.NewCTR(block, iv).XORKeyStream(want, text)
		space := make([]byte, 4*page+len(text))
		for _, offset := range []int{0, 1, 16, page / 2, page - 1} {
			for _, head := range []int{0, 1, page, len(text) / 2, len(text) - 1} {
				m := message{
					sends: true, control: true, encrypt: true, iv: iv, data: text[:head], in: text[head:], receives: true,
					head: space[offset:][:head], out: space[offset+head+page-1:][:len(text)-head],
				}
				n, call, errno := m.run(o.fd)
				if errno != 0 || n != len(text) || !bytes.Equal(append(bytes.Clone(m.head), m.out...), want) {
					t.Fatalf("%d pages, %d bytes, %d of them in front, offset %d: %s %v, %d bytes", pages, len(text), head, offset, call, errno, n)
				}
			}
		}
		tr.put(o, true)
	}
}

// A pitfall: receiving zero bytes succeeds without verifying anything.
func TestEmptyForgery(t *testing.T) {
	_, tr, o := openOr(t, "aead", "gcm(aes)", make([]byte, 16), 16)
	for range 3 {
		m := message{sends: true, control: true, aead: true, iv: make([]byte, 12), in: make([]byte, 16), receives: true}
		if n, call, errno := m.run(o.fd); errno != unix.EBADMSG {
			t.Errorf("%d bytes, %s: %v", n, call, errno)
		}
	}
	tr.put(o, true)
}

func TestClassification(t *testing.T) {
	for _, c := range []struct {
		call  string
		errno unix.Errno
		want  Reason
	}{
		{"socket", unix.EMFILE, ErrResources},
		{"socket", unix.EIO, ErrFailed},
		{"bind", unix.ELIBBAD, ErrSelfTest},
		{"bind", unix.ETIMEDOUT, ErrTimeout},
		{"set key", unix.EINVAL, ErrKey},
		{"set key", unix.EKEYEXPIRED, ErrKey},
		{"set key", unix.ENOPROTOOPT, ErrNotCompiledIn},
		{"set tag size", unix.EINVAL, ErrSize},
		{"accept", unix.ENFILE, ErrResources},
		{"receive", unix.EBADMSG, ErrAuth},
		{"receive", unix.EINVAL, ErrSize},
		{"receive", unix.ENOKEY, ErrKey},
		{"receive", unix.EIO, ErrFailed},
		{"send", unix.EAGAIN, ErrTimeout},
		{"send", unix.EMSGSIZE, ErrTooLarge},
	} {
		if got, _ := classify("aead", "gcm(aes)", c.call, c.errno); got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.call, c.errno, got, c.want)
		}
	}
}

// The reason why there is no AF_ALG depends on the machine.
func TestNoAFALG(t *testing.T) {
	switch got, _ := classify("aead", "gcm(aes)", "socket", unix.EAFNOSUPPORT); got {
	case ErrNoAFALG, ErrNotCompiledIn, ErrModuleBlocked, ErrNotAllowed:
	default:
		t.Errorf("got %q", got)
	}
}

// Nothing is opened before a program requests it.
func TestNothingAtStart(t *testing.T) {
	if os.Getenv("KCAPI_CHILD") == "start" {
		entries, _ := os.ReadDir("/proc/self/fd")
		for _, e := range entries {
			target, _ := os.Readlink("/proc/self/fd/" + e.Name())
			if strings.HasPrefix(target, "socket:") {
				t.Error(target)
			}
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestNothingAtStart$")
	cmd.Env = append(os.Environ(), "KCAPI_CHILD=start")
	if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, unix.ENOEXEC) {
		t.Errorf("%v: %s", err, out)
	}
}

// Nothing is encrypted without a nonce or IV, for which Linux would use zeros or that of
// the previous message on the same socket. That must also hold if /proc/crypto cannot be
// read, and it is not known whether one is needed.
func TestNoNonce(t *testing.T) {
	key := Bytes(make([]byte, 16))
	_, tr, o := openOr(t, "aead", "gcm(aes)", make([]byte, 16), 16) // skips where there is none
	tr.put(o, true)
	a, err := OpenAEAD("gcm(aes)", key, 16, PoolSize(1))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.object.facts = facts{}
	if _, err := a.Seal(nil, make([]byte, 12), make([]byte, 20), nil); err != nil {
		t.Fatal(err)
	}
	if out, err := a.Seal(nil, nil, make([]byte, 20), nil); err == nil {
		t.Errorf("gcm(aes) without a nonce: %x", out)
	}
	for _, name := range []string{"cbc(aes)", "ctr(aes)"} {
		c, err := OpenCipher(name, key, PoolSize(1))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.object.facts = facts{}
		out := make([]byte, 32)
		if err := c.Encrypt(out, out, make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		if err := c.Encrypt(out, out, nil); err == nil {
			t.Errorf("%s without an IV: %x", name, out)
		}
	}
}

// Go's scheduler sees every system call that may take a while.
func TestQuick(t *testing.T) {
	run := func(name string, n int, opts ...Option) bool {
		t.Helper()
		b, err := newObject("skcipher", name, Bytes(make([]byte, 16)), 0, opts)
		if err != nil {
			skip(t, err)
		}
		defer b.close()
		tr, o, err := b.get()
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, n)
		m := message{sends: true, control: true, encrypt: true, iv: make([]byte, 16), in: p, receives: true, out: p}
		if _, call, errno := o.do(&m, b.deadline()); errno != 0 {
			t.Fatal(call, errno)
		}
		tr.put(o, true)
		return m.quick
	}
	for _, r := range ReadEnvironment().Algorithms {
		if r.Name == "cbc(aes)" && r.Type == "skcipher" && !r.Internal && !r.masked() && run(r.Driver, 16) != !r.Async {
			t.Errorf("%s, asynchronous: %v", r.Driver, r.Async)
		}
	}
	name := "cbc(aes)"
	if f := lookUp("skcipher", name); f.sync {
		if !run(name, quickMost) || run(name, quickMost+16) || run(name, 16, Timeout(time.Minute)) {
			t.Error("it is not the short calls of synchronous drivers")
		}
	}
	// cryptd turns another driver into an asynchronous one.
	if b, err := newObject("skcipher", "cryptd("+lookUp("skcipher", name).driver+")", Bytes(make([]byte, 16)), 0, nil); err == nil {
		if b.facts.sync || b.current.Load().quick {
			t.Errorf("%s is taken for synchronous", b.name)
		}
		b.close()
	} else {
		t.Log(err)
	}
}
