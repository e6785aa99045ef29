//go:build linux && !nokernel

package kcapi_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cipherlane/cipherlane/kcapi"
)

func TestHashState(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		text := random(20, 300<<10)
		for _, c := range hashes() {
			t.Run(c.name, func(t *testing.T) {
				h := c.open(t, opts...)
				s := must[*kcapi.HashState](t)(h.NewState())
				sum := func(what string, s *kcapi.HashState, want []byte) {
					t.Helper()
					got, err := s.Sum([]byte("x"))
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					same(t, what, got, append([]byte("x"), c.digest(want)...))
				}
				write := func(s *kcapi.HashState, p []byte) {
					t.Helper()
					if n, err := s.Write(p); n != len(p) || err != nil {
						t.Fatalf("Write: %d, %v", n, err)
					}
				}
				sum("nothing", s, nil)
				at := 0
				for _, n := range []int{0, 1, 62, 1, 64, 65, 4096, 65536, 70001, 3} {
					write(s, text[at:at+n])
					at += n
					sum("a part", s, text[:at])
					sum("the same again", s, text[:at])
				}
				clone := must[*kcapi.HashState](t)(s.Clone())
				write(s, []byte("one"))
				write(clone, []byte("two"))
				sum("the original", s, append(bytes.Clone(text[:at]), "one"...))
				sum("the clone", clone, append(bytes.Clone(text[:at]), "two"...))
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				write(clone, []byte("and"))
				sum("the clone after Close of the original", clone, append(bytes.Clone(text[:at]), "twoand"...))
				for range 2 {
					if err := clone.Reset(); err != nil {
						t.Fatal(err)
					}
					sum("nothing after Reset", clone, nil)
				}
				write(clone, []byte("abc"))
				sum("after Reset", clone, []byte("abc"))
				empty := must[*kcapi.HashState](t)(must[*kcapi.HashState](t)(h.NewState()).Clone())
				write(empty, []byte("abc"))
				sum("clone of nothing", empty, []byte("abc"))

				h.Close()
				write(clone, []byte("def"))
				sum("after Close of the Hash", clone, []byte("abcdef"))
				_, err := h.NewState()
				wantReason(t, err, kcapi.ErrClosed)
				_, err = s.Write(nil)
				wantReason(t, err, kcapi.ErrClosed)
				_, err = s.Sum(nil)
				wantReason(t, err, kcapi.ErrClosed)
				_, err = s.Clone()
				wantReason(t, err, kcapi.ErrClosed)
				wantReason(t, s.Reset(), kcapi.ErrClosed)
			})
		}
	})
}

func TestReadFrom(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		h := hash(t, "sha256", opts...)
		text := random(21, 3<<20+17)
		file := t.TempDir() + "/file"
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		open := func(offset int64) *os.File {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			f.Seek(offset, io.SeekStart)
			return f
		}
		pipe := func(text []byte) *os.File {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close() })
			go func() {
				w.Write(text)
				w.Close()
			}()
			return r
		}
		socket := func(network string, text []byte) net.Conn {
			l, err := net.Listen(network, t.TempDir()+"/socket")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			w := check(net.Dial(network, l.Addr().String()))
			r := check(l.Accept())
			done := make(chan struct{})
			t.Cleanup(func() {
				r.Close()
				<-done
			})
			go func() {
				for part := range slices.Chunk(text, 50000) { // with pauses, so that the pipe is empty for a while
					if _, err := w.Write(part); err != nil {
						break
					}
					time.Sleep(time.Millisecond)
				}
				w.Close()
				close(done)
			}()
			return r
		}
		// A blocking pipe, as standard input often is.
		blocking := func(text []byte) *os.File {
			r := pipe(text)
			fd := check(unix.FcntlInt(r.Fd(), unix.F_DUPFD_CLOEXEC, 0)) // Fd makes it blocking
			f := os.NewFile(uintptr(fd), "pipe")
			t.Cleanup(func() { f.Close() })
			return f
		}
		empty, _ := os.Open(os.DevNull)
		for _, c := range []struct {
			what string
			r    io.Reader
			want []byte
		}{
			{"a file", open(0), text},
			{"a file from the middle", open(100001), text[100001:]},
			{"a file from the end", open(int64(len(text))), nil},
			{"a file from behind the end", open(int64(len(text)) + 5), nil},
			{"a pipe", pipe(text[:1<<20]), text[:1<<20]},
			{"an empty pipe", pipe(nil), nil},
			{"a part of a file", io.LimitReader(open(0), 100000), text[:100000]},
			{"a part of a file from the middle", io.LimitReader(open(999), 2<<20+5), text[999:][:2<<20+5]},
			{"a small part of a file", io.LimitReader(open(0), 10), text[:10]},
			{"no part of a file", io.LimitReader(open(0), 0), nil},
			{"less than a part of a file", io.LimitReader(open(1<<20), 1<<40), text[1<<20:]},
			{"a part of a pipe", io.LimitReader(pipe(text[:1<<20]), 100001), text[:100001]},
			{"a pipe that blocks", blocking(text[:1<<20]), text[:1<<20]},
			{"a connection", socket("unix", text), text},
			{"a part of a connection", io.LimitReader(socket("unix", text), 1<<20+1), text[:1<<20+1]},
			{"packets", io.LimitReader(socket("unixpacket", text[:200000]), 200000), text[:200000]},
			{"what does more than a connection", slow{socket("unix", text[:100000]).(*net.UnixConn)}, text[:100000]},
			{"memory", struct{ io.Reader }{bytes.NewReader(text)}, text},
			{"nothing", empty, nil},
		} {
			s := must[*kcapi.HashState](t)(h.NewState())
			s.Write([]byte("before"))
			n, err := s.ReadFrom(c.r)
			if n != int64(len(c.want)) || err != nil {
				t.Errorf("%s: ReadFrom: %d, %v", c.what, n, err)
			}
			// The state must continue: Linux may treat the end of a file as the end of
			// the message.
			s.Write([]byte("after"))
			want := sha256.Sum256(append(append([]byte("before"), c.want...), "after"...))
			got, err := s.Sum(nil)
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			same(t, c.what, got, want[:])
			s.Close()
		}
		limited := &io.LimitedReader{R: open(0), N: 1 << 20}
		if s := must[*kcapi.HashState](t)(h.NewState()); check(s.ReadFrom(limited)) != 1<<20 || limited.N != 0 {
			t.Errorf("%d bytes are left of a part of a file", limited.N)
		}
		if at := check(limited.R.(*os.File).Seek(0, io.SeekCurrent)); at != 1<<20 {
			t.Errorf("the file is at %d", at)
		}
		expired := socket("unix", text[:1000])
		expired.SetReadDeadline(time.Now().Add(-time.Second))
		if _, err := must[*kcapi.HashState](t)(h.NewState()).ReadFrom(expired); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a connection whose time is over: %v", err)
		}
		f := open(0)
		f.Close()
		s := must[*kcapi.HashState](t)(h.NewState())
		if _, err := s.ReadFrom(f); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a closed file: %v", err)
		}
		if n, err := io.Copy(s, open(0)); n != int64(len(text)) || err != nil {
			t.Errorf("io.Copy: %d, %v", n, err)
		}
		want := sha256.Sum256(text)
		got, _ := s.Sum(nil)
		same(t, "io.Copy", got, want[:])
	})
}

// A slow connection has a Read method of its own, which must be called.
type slow struct{ *net.UnixConn }

func (p slow) Read(b []byte) (int, error) { return p.UnixConn.Read(b[:min(len(b), 777)]) }

// Wrong sizes and overlapping buffers.
func TestBadInput(t *testing.T) {
	iv, text := make([]byte, 16), make([]byte, 64)
	key := func(n int) kcapi.Key { return kcapi.Bytes(make([]byte, n)) }
	c := ciph(t, "cbc(aes)", make([]byte, 16))
	g := aead(t, "gcm(aes)", make([]byte, 16), 16)
	for _, n := range []int{0, 1, 15, 17, 33, 1 << 20} {
		_, err := kcapi.OpenCipher("cbc(aes)", key(n))
		if n < 1<<20 { // otherwise Linux may have too little memory
			wantReason(t, err, kcapi.ErrKey)
		}
		if err == nil {
			t.Errorf("key of %d bytes taken", n)
		}
		_, err = kcapi.OpenAEAD("gcm(aes)", key(n), 16)
		if n < 1<<20 {
			wantReason(t, err, kcapi.ErrKey)
		}
	}
	for _, n := range []int{-1, 0, 1, 3, 5, 11, 17, 100000} {
		_, err := kcapi.OpenAEAD("gcm(aes)", key(16), n)
		wantReason(t, err, kcapi.ErrSize)
	}
	for _, n := range []int{0, 1, 15, 17, 64, 65, 100000} {
		wantReason(t, c.Encrypt(text, text, make([]byte, n)), kcapi.ErrSize)
		wantReason(t, c.DecryptChain(text, text, make([]byte, n)), kcapi.ErrSize)
	}
	wantReason(t, c.Encrypt(text[:32], text, iv), kcapi.ErrSize)
	wantReason(t, c.Encrypt(text[:63], text[:63], iv), kcapi.ErrSize)
	wantReason(t, c.Encrypt(text[1:33], text[:32], iv), kcapi.ErrOverlap)
	if err := c.Encrypt(nil, nil, iv); err != nil {
		t.Errorf("an empty message: %v", err)
	}
	if err := c.Encrypt(text, text, iv); err != nil {
		t.Errorf("after errors: %v", err)
	}

	_, err := kcapi.OpenCipher("cbc(aes)", kcapi.Key{})
	if err == nil {
		u := must[*kcapi.Cipher](t)(kcapi.OpenCipher("cbc(aes)", kcapi.Key{}))
		wantReason(t, u.Encrypt(text, text, iv), kcapi.ErrKey)
	}
	_, err = kcapi.OpenHash("hmac(sha256)")
	wantReason(t, err, kcapi.ErrKey)
	_, err = kcapi.OpenMAC("sha256", key(16))
	wantReason(t, err, kcapi.ErrKey)

	for _, n := range []int{0, 11, 13, 16, 100000} {
		_, err := g.Seal(nil, make([]byte, n), text, nil)
		wantReason(t, err, kcapi.ErrSize)
		_, err = g.Open(nil, make([]byte, n), text, nil)
		wantReason(t, err, kcapi.ErrSize)
	}
	for n := range 16 {
		_, err := g.Open(nil, iv[:12], text[:n], nil)
		wantReason(t, err, kcapi.ErrAuth)
	}
	_, err = g.Seal(text[1:1], iv[:12], text[:10], nil)
	wantReason(t, err, kcapi.ErrOverlap)
	_, err = g.Open(text[1:1], iv[:12], text[:30], nil)
	wantReason(t, err, kcapi.ErrOverlap)

	m := aead(t, "ccm(aes)", make([]byte, 16), 16)
	for _, n := range []int{0, 6, 14, 16} {
		_, err := m.Seal(nil, make([]byte, n), text, nil)
		wantReason(t, err, kcapi.ErrSize)
	}
	_, err = m.Seal(nil, make([]byte, 13), make([]byte, 65535), nil)
	if err != nil {
		t.Error(err)
	}
	_, err = m.Seal(nil, make([]byte, 13), make([]byte, 65536), nil)
	wantReason(t, err, kcapi.ErrTooLarge) // the length field has two bytes
	_, err = m.Open(nil, make([]byte, 13), make([]byte, 65536+16), nil)
	wantReason(t, err, kcapi.ErrTooLarge)
	_, err = kcapi.OpenAEAD("ccm(aes)", key(16), 5)
	wantReason(t, err, kcapi.ErrSize)

	for _, name := range []string{"", "nosuch", "cbc(nosuch)", "sha256\x00", strings.Repeat("x", 100), strings.Repeat("x", 128), strings.Repeat("(", 127), "aes", "\xff"} {
		_, err := kcapi.OpenHash(name)
		wantReason(t, err, kcapi.ErrNoAlgorithm)
		_, err = kcapi.OpenCipher(name, key(16))
		wantReason(t, err, kcapi.ErrNoAlgorithm)
	}
}

func TestClosed(t *testing.T) {
	var objects []interface{ Close() error }
	h := hash(t, "sha256")
	c := ciph(t, "cbc(aes)", make([]byte, 16))
	a := aead(t, "gcm(aes)", make([]byte, 16), 16)
	objects = append(objects, h, c, a)
	for _, o := range objects {
		for range 2 {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	b := make([]byte, 64)
	_, err := h.Digest(nil, b)
	wantReason(t, err, kcapi.ErrClosed)
	wantReason(t, c.Encrypt(b, b, b[:16]), kcapi.ErrClosed)
	wantReason(t, c.SetKey(kcapi.Bytes(b[:16])), kcapi.ErrClosed)
	_, err = a.Seal(nil, b[:12], b, nil)
	wantReason(t, err, kcapi.ErrClosed)
	_, err = a.Open(nil, b[:12], b, nil)
	wantReason(t, err, kcapi.ErrClosed)
}

// Closing an object during calls makes them return ErrClosed or lets them finish.
func TestCloseInUse(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		hash(t, "sha256") // or skip
		before := settled(t)
		text := random(22, 5000)
		want := sha256.Sum256(text)
		for round := range 50 {
			h, err := kcapi.OpenHash("sha256", append(opts, kcapi.PoolSize(round%4))...)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Add(1)
				go func() {
					defer wg.Done()

					for {
						got, err := h.Digest(nil, text)
						if err != nil {
							wantReason(t, err, kcapi.ErrClosed)
							return
						}
						same(t, "digest", got, want[:])
					}
				}()
			}
			time.Sleep(time.Duration(round) * 20 * time.Microsecond)
			h.Close()
			wg.Wait()
		}
		if n := sockets(t); n != before {
			t.Errorf("%d sockets, %d before", n, before)
		}
	})
}

func TestNothingLeaks(t *testing.T) {
	hash(t, "sha256").Close()
	ciph(t, "cbc(aes)", make([]byte, 16)).Close()
	aead(t, "gcm(aes)", make([]byte, 16), 16).Close()
	before := settled(t)
	b := make([]byte, 64)
	cycles := 10000
	if testing.Short() {
		cycles = 400 // every socket that stays is counted; under User Mode Linux 2000 take half a minute
	}
	for i := range cycles {
		switch i % 4 {
		case 0:
			h := check(kcapi.OpenHash("sha256"))
			check(h.Digest(nil, b))
			h.Close()
		case 1:
			c := check(kcapi.OpenCipher("cbc(aes)", kcapi.Bytes(b[:16])))
			if err := c.Encrypt(b, b, b[:16]); err != nil {
				t.Fatal(err)
			}
			c.Encrypt(b[:17], b[:17], b[:16])
			c.Close()
		case 2:
			a := check(kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(b[:16]), 16))
			a.Open(nil, b[:12], b, nil)
			a.Close()
			kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(b[:15]), 16)
			kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(b[:16]), 17)
			kcapi.OpenHash("nosuch")
		case 3:
			h := check(kcapi.OpenMAC("hmac(sha256)", kcapi.Bytes(b[:16])))
			s := check(h.NewState())
			s.Write(b)
			c := check(s.Clone())
			check(c.Sum(nil))
			c.Close()
			s.Close()
			h.Close()
		}
	}
	if n := sockets(t); n != before {
		t.Errorf("%d sockets after %d cycles, %d before", n, cycles, before)
	}

	// Unreachable objects are closed by the garbage collector.
	for range 100 {
		h := check(kcapi.OpenHash("sha256"))
		s := check(h.NewState())
		check(s.Clone())
		check(kcapi.OpenCipher("cbc(aes)", kcapi.Bytes(b[:16])))
		check(kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(b[:16]), 16))
	}
	for range 100 {
		if runtime.GC(); sockets(t) == before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := sockets(t); n != before {
		t.Errorf("%d sockets after collection, %d before", n, before)
	}
}

// An object is not collected during its last call.
func TestLastCall(t *testing.T) {
	hash(t, "sha256")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()

		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for range 300 {
		if _, err := check(kcapi.OpenHash("sha256")).Digest(nil, []byte("x")); err != nil {
			t.Error(err)
		}
		if _, err := check(check(kcapi.OpenHash("sha256")).NewState()).Sum(nil); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestExec(t *testing.T) {
	before := settled(t)
	h := hash(t, "sha256")
	state := must[*kcapi.HashState](t)(h.NewState())
	clone := must[*kcapi.HashState](t)(state.Clone())
	ciph(t, "cbc(aes)", make([]byte, 16))
	defer func() { // the garbage collector closes unreachable objects
		runtime.KeepAlive(state)
		runtime.KeepAlive(clone)
	}()
	if n := sockets(t) - before; n != 5 { // two bound ones, three for operations
		t.Errorf("%d more sockets, want 5", n)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "KCAPI_CHILD=1")
	out, err := cmd.CombinedOutput()
	if string(out) != "end\n" || err != nil {
		t.Errorf("sockets in a child: %q, %v", out, err)
	}
}

// Concurrent calls on one object.
func TestConcurrent(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		key, text, data := random(23, 16), random(24, 4096), random(25, 100)
		h := hash(t, "sha256", opts...)
		c := ciph(t, "cbc(aes)", key, opts...)
		a := aead(t, "gcm(aes)", key, 16, opts...)
		block := check(stdaes.NewCipher(key))
		ref := check(cipher.NewGCM(block))
		before := settled(t)
		total := int64(1000000)
		if len(opts) > 0 {
			total = 4000
		} else if testing.Short() {
			total = 20000
		}
		var done atomic.Int64
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()

				dst, want := make([]byte, 0, 5000), make([]byte, 5000)
				iv := make([]byte, 16)
				for done.Add(1) <= total && !t.Failed() {
					iv[0]++
					n := (int(iv[0])*16 + g*256) % 4096
					switch iv[0] % 4 {
					case 0:
						got, err := h.Digest(dst, text[:n])
						sum := sha256.Sum256(text[:n])
						if err != nil || !bytes.Equal(got, sum[:]) {
							t.Errorf("digest: %v", err)
						}
					case 1:
						err := c.Encrypt(dst[:n], text[:n], iv)
						cipher.NewCBCEncrypter(block, iv).CryptBlocks(want[:n], text[:n])
						if err != nil || !bytes.Equal(dst[:n], want[:n]) {
							t.Errorf("cbc: %v", err)
						}
					case 2:
						got, err := a.Seal(dst, iv[:12], text[:n], data)
						if err != nil || !bytes.Equal(got, ref.Seal(want[:0], iv[:12], text[:n], data)) {
							t.Errorf("seal: %v", err)
						}
					case 3:
						sealed := ref.Seal(want[:0], iv[:12], text[:n], data)
						got, err := a.Open(dst, iv[:12], sealed, data)
						if err != nil || !bytes.Equal(got, text[:n]) {
							t.Errorf("open: %v", err)
						}
						sealed[n] ^= 1
						if _, err := a.Open(dst, iv[:12], sealed, data); !errors.Is(err, kcapi.ErrAuth) {
							t.Errorf("forged: %v", err)
						}
					}
				}
			}()
		}
		wg.Wait()
		if n, most := sockets(t), before+3*8; n > most {
			t.Errorf("%d sockets, at most %d can be in pools", n, most)
		}
		h.Close()
		c.Close()
		a.Close()
	})
}

func TestSetKey(t *testing.T) {
	iv, text := random(26, 16), random(27, 1024)
	var keys, want [2][]byte
	for i := range keys {
		keys[i], want[i] = random(uint64(28+i), 16*(i+1)), make([]byte, len(text))
		cipher.NewCBCEncrypter(check(stdaes.NewCipher(keys[i])), iv).CryptBlocks(want[i], text)
	}
	c := ciph(t, "cbc(aes)", keys[0])
	before := settled(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()

			dst := make([]byte, len(text))
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := c.Encrypt(dst, text, iv); err != nil {
					t.Errorf("during a change of keys: %v", err)
				} else if !bytes.Equal(dst, want[0]) && !bytes.Equal(dst, want[1]) {
					t.Error("bytes of neither key")
				}
			}
		}()
	}
	for i := range 200 {
		if err := c.SetKey(kcapi.Bytes(keys[i%2])); err != nil {
			t.Fatal(err)
		}
	}
	wantReason(t, c.SetKey(kcapi.Bytes(keys[0][:15])), kcapi.ErrKey)
	close(stop)
	wg.Wait()
	dst := make([]byte, len(text))
	if err := c.Encrypt(dst, text, iv); err != nil {
		t.Fatal(err)
	}
	same(t, "after the last change", dst, want[1])
	if n := sockets(t); n > before+runtime.GOMAXPROCS(0) {
		t.Errorf("%d sockets, %d before", n, before)
	}

	m := mac(t, "hmac(sha256)", keys[0])
	s := must[*kcapi.HashState](t)(m.NewState())
	old := check(m.Digest(nil, text))
	if err := m.SetKey(kcapi.Bytes(keys[1])); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(check(m.Digest(nil, text)), old) {
		t.Error("the MAC has kept its key")
	}
	s.Reset()
	s.Write(text)
	same(t, "a state of the old key", check(s.Sum(nil)), old)
}

func TestKeyring(t *testing.T) {
	ciph(t, "cbc(aes)", make([]byte, 16)) // or skip
	runtime.LockOSThread()                // threads that are there already do not see a new keyring of the process
	defer runtime.UnlockOSThread()
	key, iv, text := random(30, 32), random(31, 16), random(32, 1024)
	id, err := unix.AddKey("user", "kcapi test", key, unix.KEY_SPEC_PROCESS_KEYRING)
	if err == unix.ENOSYS && required != "all" {
		t.Skip("this Linux has no keyrings (CONFIG_KEYS)")
	}
	if err != nil {
		t.Fatalf("add_key: %v", err)
	}
	c, err := kcapi.OpenCipher("cbc(aes)", kcapi.Serial(int32(id)))
	if errors.Is(err, kcapi.ErrNotCompiledIn) && required != "all" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	check := func(what string) {
		t.Helper()
		want, dst := make([]byte, len(text)), make([]byte, len(text))
		block, _ := stdaes.NewCipher(key)
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(want, text)
		if err := c.Encrypt(dst, text, iv); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		same(t, what, dst, want)
	}
	check("by serial")
	if a, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Serial(int32(id)), 16); err == nil {
		a.Close()
	} else if !errors.Is(err, kcapi.ErrNotAllowed) {
		t.Error(err)
	}
	if _, err := unix.KeyctlInt(unix.KEYCTL_REVOKE, id, 0, 0, 0); err != nil {
		t.Fatalf("revoke: %v", err)
	}
	_, err = kcapi.OpenCipher("cbc(aes)", kcapi.Serial(int32(id)))
	wantReason(t, err, kcapi.ErrKey)
	if !errors.Is(err, syscall.EKEYREVOKED) {
		t.Errorf("a revoked key: %v", err)
	}
	wantReason(t, c.SetKey(kcapi.Serial(int32(id))), kcapi.ErrKey)
	check("after the key was revoked")
	_, err = kcapi.OpenCipher("cbc(aes)", kcapi.Serial(0x7ffffff0))
	wantReason(t, err, kcapi.ErrKey)
	_, err = kcapi.OpenMAC("hmac(sha256)", kcapi.Serial(0))
	wantReason(t, err, kcapi.ErrKey)
}

func TestRNG(t *testing.T) {
	for _, name := range []string{"stdrng", "ansi_cprng", "jitterentropy_rng"} {
		t.Run(name, func(t *testing.T) {
			if _, err := kcapi.Probe("rng", name); name == "ansi_cprng" && errors.Is(err, kcapi.ErrNoAlgorithm) {
				t.Skip("newer versions of Linux have it no more")
			}
			r := must[*kcapi.RNG](t)(kcapi.OpenRNG(name))
			for _, n := range []int{0, 1, 127, 128, 129, 1000} {
				b := make([]byte, n)
				if got, err := r.Read(b); got != n || err != nil {
					t.Fatalf("Read(%d): %d, %v", n, got, err)
				}
				if n > 100 && bytes.Count(b, []byte{0}) > n/8 {
					t.Errorf("%d bytes: too many zeros", n)
				}
			}
			r.Close()
			_, err := r.Read(make([]byte, 1))
			wantReason(t, err, kcapi.ErrClosed)
		})
	}
}

func TestTimeout(t *testing.T) {
	hash(t, "sha256")
	before, goroutines := settled(t), runtime.NumGoroutine()
	text := random(33, 16<<20)
	h := hash(t, "sha256", kcapi.Timeout(time.Millisecond))
	start := time.Now()
	_, err := h.Digest(nil, text)
	wantReason(t, err, kcapi.ErrTimeout)
	if d := time.Since(start); d > time.Second {
		t.Errorf("gave up after %v", d)
	}
	s := must[*kcapi.HashState](t)(h.NewState())
	_, err = s.Write(text)
	wantReason(t, err, kcapi.ErrTimeout)
	_, err = s.Sum(nil)
	wantReason(t, err, kcapi.ErrFailed)

	h.Close()
	wantReason(t, s.Reset(), kcapi.ErrClosed)
	s.Close()
	for range 100 { // abandoned calls finish
		if sockets(t) == before && runtime.NumGoroutine() == goroutines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d sockets and %d goroutines, %d and %d before", sockets(t), runtime.NumGoroutine(), before, goroutines)
}

func TestDriver(t *testing.T) {
	h := hash(t, "sha256")
	name := h.Driver()
	if name == "" {
		t.Skip("/proc/crypto does not tell")
	}
	d := hash(t, name)
	if d.Driver() != name {
		t.Errorf("driver %q says %q", name, d.Driver())
	}
	want := sha256.Sum256([]byte("abc"))
	same(t, name, check(d.Digest(nil, []byte("abc"))), want[:])

	// The mode is also known for names of drivers.
	c := ciph(t, "cbc(aes)", make([]byte, 16))
	d2 := ciph(t, c.Driver(), make([]byte, 16))
	b := make([]byte, 128<<10)
	if err := d2.Encrypt(b, b, make([]byte, 16)); err != nil {
		t.Error(err)
	}
}

// Linux keeps what bind has instantiated: opening unknown names must leave nothing behind.
func TestUnknownNamesLeaveNothing(t *testing.T) {
	hash(t, "sha256")
	before, err := os.ReadFile("/proc/crypto")
	if err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"nosuch", "nosuch(aes)", "cbc(nosuch)"} {
		_, err := kcapi.OpenCipher(name, kcapi.Bytes(make([]byte, 16)))
		if !errors.Is(err, kcapi.ErrNotAllowed) {
			wantReason(t, err, kcapi.ErrNoAlgorithm)
		}
	}
	after, _ := os.ReadFile("/proc/crypto")
	if a, b := bytes.Count(before, []byte("\nname")), bytes.Count(after, []byte("\nname")); a != b {
		t.Errorf("%d algorithms, %d before", b, a)
	}
}

func TestDescriptorsExhausted(t *testing.T) {
	h := hash(t, "sha256", kcapi.PoolSize(0))
	var old, low unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	low = unix.Rlimit{Cur: 3, Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Skip(err)
	}
	_, err1 := h.Digest(nil, nil)
	_, err2 := kcapi.OpenHash("sha256")
	unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
	wantReason(t, err1, kcapi.ErrResources)
	wantReason(t, err2, kcapi.ErrResources)
	if !errors.Is(err1, syscall.EMFILE) {
		t.Errorf("%v", err1)
	}
	if _, err := h.Digest(nil, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The system's buffers shrink while objects are open: messages that no longer fit are
// refused, or split into smaller pieces.
func TestBuffersShrink(t *testing.T) {
	if os.Getenv("RIG") != "1" {
		t.Skip("this changes settings of the system, so it runs in a guest of ci/rig only")
	}
	key, text := make([]byte, 16), random(34, 100<<10)
	a := aead(t, "gcm(aes)", key, 16, kcapi.PoolSize(0))
	c := ciph(t, "cbc(aes)", key, kcapi.PoolSize(0))
	const folder = "/proc/sys/net/core/"
	for _, name := range []string{"wmem_default", "rmem_default"} {
		old, err := os.ReadFile(folder + name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(folder+name, []byte("40960"), 0); err != nil {
			t.Skip(err)
		}
		defer os.WriteFile(folder+name, old, 0)
	}
	_, err := a.Seal(nil, make([]byte, 12), text, nil)
	wantReason(t, err, kcapi.ErrTooLarge)
	if _, err = a.Seal(nil, make([]byte, 12), text[:20000], nil); err != nil {
		t.Error(err)
	}
	got, want := make([]byte, len(text)), make([]byte, len(text))
	if err := c.Encrypt(got, text, make([]byte, 16)); err != nil {
		t.Error(err)
	}
	cipher.NewCBCEncrypter(check(stdaes.NewCipher(key)), make([]byte, 16)).CryptBlocks(want, text)
	same(t, "in shorter pieces", got, want)
}

func TestAllocations(t *testing.T) {
	for _, v := range []struct {
		name string
		opts []kcapi.Option
	}{{"direct", nil}, {"timeout", []kcapi.Option{kcapi.Timeout(time.Minute)}}} {
		t.Run(v.name, func(t *testing.T) {
			h := hash(t, "sha256", v.opts...)
			s := must[*kcapi.HashState](t)(h.NewState())
			c := ciph(t, "cbc(aes)", make([]byte, 16), v.opts...)
			a := aead(t, "gcm(aes)", make([]byte, 16), 16, v.opts...)
			var failed error
			note := func(err error) {
				if err != nil {
					failed = err
				}
			}
			for name, f := range map[string]func(){
				"Digest": func() {
					var text, sum [100]byte
					_, err := h.Digest(sum[:0], text[:])
					note(err)
				},
				"Write": func() {
					var text [100]byte
					_, err := s.Write(text[:])
					note(err)
				},
				"Encrypt": func() {
					var text, out [112]byte
					var iv [16]byte
					note(c.Encrypt(out[:], text[:], iv[:]))
				},
				"DecryptChain": func() {
					var text [112]byte
					var iv [16]byte
					note(c.DecryptChain(text[:], text[:], iv[:]))
				},
				"Seal, Open and a forgery": func() {
					var text, out [200]byte
					var nonce [12]byte
					sealed, err := a.Seal(out[:0], nonce[:], text[:100], text[100:150])
					note(err)
					_, err = a.Open(sealed[:0], nonce[:], sealed, text[100:150])
					note(err)
					if _, err = a.Open(out[:0], nonce[:], text[:120], text[150:]); err == nil {
						note(errors.New("forgery accepted"))
					}
				},
			} {
				if n := testing.AllocsPerRun(100, f); n != 0 || failed != nil {
					t.Errorf("%s: %v allocations, %v", name, n, failed)
				}
			}
			if v.opts == nil {
				if n := testing.AllocsPerRun(100, func() {
					var sum [32]byte
					_, err := s.Sum(sum[:0])
					note(err)
				}); n != 0 || failed != nil {
					t.Errorf("Sum: %v allocations, %v", n, failed)
				}
			}
		})
	}
}
