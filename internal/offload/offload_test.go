package offload_test

import (
	"bytes"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/sm4"
)

// A grower is a worker that makes the stack grow before it looks at its buffers.
type grower struct{ wiped bool }

//go:noinline
func deep(n int) byte {
	var b [1024]byte
	if n == 0 {
		return b[n]
	}
	return deep(n-1) + b[n]
}

func (g *grower) CBC(iv *[16]byte, dst, src []byte, decrypt bool) int {
	deep(100)
	for i, v := range src[:32] {
		dst[i] = v + iv[0]
	}
	iv[1] = 0
	return 32
}

func (g *grower) CTR(counter *[16]byte, dst, src []byte) int {
	return g.CBC(counter, dst, src, false)
}

func (g *grower) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool {
	deep(100)
	copy(dst, src)
	return true
}

func (g *grower) Seal(out, nonce, plaintext, data []byte) bool {
	deep(100)
	copy(out, nonce)
	return true
}

func (g *grower) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	deep(100)
	copy(out, nonce)
	return true, len(ciphertext) == 1016
}

func (g *grower) Wipe() { g.wiped = true }

// Workers find the buffers of their callers after the stack has moved, and the buffers do
// not escape to the heap.
func TestStacks(t *testing.T) {
	k := offload.NewKey(new(grower))
	done := make(chan bool)
	for range 50 {
		go func() { // with a small stack
			var iv [16]byte
			var dst, src [1016]byte
			for i := range src {
				src[i] = byte(i)
			}
			iv[0], iv[1] = 3, 9
			ok := k.CBC(&iv, dst[:], src[:], false) == 32 && dst[31] == 34 && iv[1] == 0 &&
				k.CTR(&iv, dst[:], src[:]) == 32 &&
				k.XTS(&iv, dst[:], src[:], true) && dst == src &&
				k.Seal(dst[:], iv[:12], src[:1000], nil) && dst[0] == 3
			finished, good := k.Open(dst[:1000], iv[:12], src[:], nil, 16)
			done <- ok && finished && good
		}()
		if !<-done {
			t.Fatal("a buffer was not where it should have been")
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		var iv [16]byte
		var b [1016]byte
		k.CBC(&iv, b[:], b[:], false)
		k.Seal(b[:], iv[:12], b[:1000], nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestGates(t *testing.T) {
	var none *offload.Key
	none.Wipe()
	if none.Takes(offload.CTR, 1<<30) {
		t.Error("nil takes something")
	}
	g := new(grower)
	k := offload.NewKey(g)
	if k.Takes(offload.CTR, 1<<30) {
		t.Error("takes what it is not for")
	}
	var gate offload.Gate
	k.For(offload.Seal, &gate)
	gate.Open(1000)
	for _, n := range []int{0, 999, 1000, 1 << 30} {
		if got := k.Takes(offload.Seal, n); got != (n >= 1000) || k.Takes(offload.Open, n) {
			t.Errorf("%d bytes pass: %v", n, got)
		}
	}
	if gate.Close(); k.Takes(offload.Seal, 1<<30) {
		t.Error("passes a gate that is closed")
	}
	if k.Wipe(); !g.wiped {
		t.Error("Wipe does not arrive")
	}
}

type provider struct{ k *offload.Key }

func (p provider) NewKey(offload.Kind, []byte) *offload.Key { return p.k }

func TestOffer(t *testing.T) {
	if k := offload.Offer(offload.AES, nil); k != nil {
		t.Error("a key from nobody")
	}
	want := offload.NewKey(nil)
	offload.Use(provider{want})
	if offload.Offer(offload.AES, nil) != want {
		t.Error("not the provider's")
	}
	if offload.Use(nil); offload.Offer(offload.AES, nil) != nil {
		t.Error("the provider is still there")
	}
}

// Buffers of callers do not escape to the heap because there could be a provider.
func TestNoEscape(t *testing.T) {
	iv := make([]byte, 16)
	for _, d := range aes.Drivers() {
		if !d.Available() {
			continue
		}
		c, g := must(must(aes.On(d.Name)).New(make([]byte, 16))), must(must(aes.On(d.Name)).NewGCM(make([]byte, 16)))
		allowed := 0.0
		if d.Name == "std" {
			allowed = 1 // crypto/cipher's stream
			if runtime.GOARCH == "ppc64le" {
				allowed += 2 // its GCM
			}
		}
		if n := testing.AllocsPerRun(100, func() {
			var b [1024]byte
			c.EncryptBlocks(b[:], b[:])
			c.DecryptBlocks(b[:], b[:])
			c.NewCBCEncrypter(iv).CryptBlocks(b[:], b[:])
			c.NewCBCDecrypter(iv).CryptBlocks(b[:], b[:])
			c.NewCTR(iv).XORKeyStream(b[:], b[:])
			g.Seal(b[:0], iv[:12], b[:1008], iv)
			g.Open(b[:0], iv[:12], b[:], iv)
		}); n != allowed {
			t.Errorf("aes, driver %s: %v allocations", d.Name, n)
		}
	}
	s := must(sm4.New(make([]byte, 16)))
	if n := testing.AllocsPerRun(100, func() {
		var b [1024]byte
		s.NewCBCEncrypter(iv).CryptBlocks(b[:], b[:])
	}); n != 0 {
		t.Errorf("sm4: %v allocations", n)
	}
}

// Programs without package linux contain no code for AF_ALG.
func TestNotLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	out, err := exec.Command("go", "list", "-deps", "../../aes", "../../sm4", "../../sm3", "../../chunked").Output()
	if err != nil {
		t.Skip(err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(p, "/cipherlane/kcapi") || strings.HasSuffix(p, "/cipherlane/linux") {
			t.Errorf("links %s", p)
		}
	}
	if !bytes.Contains(out, []byte("/internal/offload")) {
		t.Error("what was looked at?")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
