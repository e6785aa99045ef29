package chacha20poly1305_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// TestMany compares batches of all lengths with single calls, for texts of equal
// and of mixed lengths, in place and not, some of them forged.
func TestMany(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		for name, f := range map[string]func([]byte) (*chacha20poly1305.AEAD, error){"": d.NewAEAD, "X": d.NewXAEAD} {
			a := must(f(random(1, 32)))
			r := rand.New(rand.NewPCG(1, 2))
			for count := range 50 {
				longest := []int{0, 16, 64, 200, 1420, 3000}[count%6]
				packets := make([]chacha20poly1305.Packet, count)
				texts, sealed := make([][]byte, count), make([][]byte, count)
				for i := range packets {
					n := longest
					if count%2 == 0 {
						n = r.IntN(longest + 1)
					}
					nonce := random(byte(i), a.NonceSize())
					ad := random(7, r.IntN(2)*r.IntN(50))
					texts[i] = random(byte(count), n)
					sealed[i] = a.Seal(nil, nonce, texts[i], ad)
					p := chacha20poly1305.Packet{Nonce: nonce, Text: texts[i], AdditionalData: ad}
					switch i % 3 {
					case 0: // behind a header, in place
						slab := make([]byte, 4+n, 4+n+16)
						copy(slab[4:], texts[i])
						p.Dst, p.Text = slab[:4], slab[4:]
					case 1: // elsewhere
						p.Dst = make([]byte, 4, 4+n+16)
					case 2: // nowhere yet
						p.Dst = make([]byte, 4)
					}
					packets[i] = p
				}
				if err := a.SealMany(packets); err != nil {
					t.Fatal(err)
				}
				for i, p := range packets {
					what := fmt.Sprintf("%spacket %d of %d with %d bytes", name, i, count, len(texts[i]))
					if p.Err != nil || !bytes.Equal(p.Out[4:], sealed[i]) || !bytes.Equal(p.Out[:4], make([]byte, 4)) {
						t.Fatalf("%s: sealed wrongly, %v", what, p.Err)
					}
					if i%3 < 2 && &p.Out[0] != &p.Dst[0] {
						t.Fatalf("%s: not where there was room", what)
					}
				}
				bad := func(i int) bool { return count%5 == 1 && i%7 == 3 || count%5 == 2 && i == count-1 }
				failures := 0
				for i := range packets {
					p := &packets[i]
					p.Text = p.Out[4:]
					p.Dst = p.Text[:0]
					if bad(i) {
						p.Text[r.IntN(len(p.Text))] ^= 1
						if i%2 == 0 {
							p.Text = p.Text[:r.IntN(16)] // shorter than a tag
						}
						failures++
					}
				}
				err := a.OpenMany(packets)
				if (err != nil) != (failures > 0) {
					t.Fatalf("%d packets, %d bad: %v", count, failures, err)
				}
				for i, p := range packets {
					what := fmt.Sprintf("%spacket %d of %d with %d bytes", name, i, count, len(texts[i]))
					switch {
					case !bad(i):
						if p.Err != nil || !bytes.Equal(p.Out, texts[i]) {
							t.Fatalf("%s: %v", what, p.Err)
						}
					case p.Err == nil || p.Out != nil:
						t.Fatalf("%s: a forgery is opened", what)
					case len(p.Text) > 16 && bytes.Count(p.Text[:len(p.Text)-16], []byte{0}) != len(p.Text)-16:
						t.Fatalf("%s: destination not wiped", what)
					}
				}
			}
		}
	})
}

// Invalid packets are found before anything is written.
func TestManyMisuse(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		a := must(d.NewAEAD(random(1, 32)))
		buf := make([]byte, 400)
		first := chacha20poly1305.Packet{Dst: buf[:0], Nonce: make([]byte, 12), Text: buf[:100]}
		second := func(change func(p *chacha20poly1305.Packet)) []chacha20poly1305.Packet {
			p := chacha20poly1305.Packet{Dst: buf[200:200], Nonce: make([]byte, 12), Text: buf[200:300]}
			change(&p)
			return []chacha20poly1305.Packet{first, p}
		}
		for name, f := range map[string]func([]chacha20poly1305.Packet) error{"SealMany": a.SealMany, "OpenMany": a.OpenMany} {
			for _, n := range []int{0, 11, 13, 24} {
				packets := second(func(p *chacha20poly1305.Packet) { p.Nonce = make([]byte, n) })
				packets[0].Out = buf[:50] // of another call
				err := f(packets)
				if err == nil || !strings.Contains(err.Error(), "bad nonce length") {
					t.Errorf("%s with a nonce of %d bytes: %v", name, n, err)
				}
				for i, p := range packets {
					if p.Err != err || p.Out != nil {
						t.Errorf("%s with a nonce of %d bytes: packet %d has %x, %v", name, n, i, p.Out, p.Err)
					}
				}
			}
			for what, change := range map[string]func(p *chacha20poly1305.Packet){
				"input":           func(p *chacha20poly1305.Packet) { p.Text = buf[201:301] },
				"additional data": func(p *chacha20poly1305.Packet) { p.AdditionalData = buf[250:260] },
			} {
				func() {
					defer func() {
						if e, _ := recover().(string); !strings.Contains(e, "invalid buffer overlap of output and "+what) {
							t.Errorf("%s with an overlap of %s: %q", name, what, e)
						}
					}()
					f(second(change))
				}()
			}
			if !bytes.Equal(buf, make([]byte, 400)) {
				t.Fatalf("%s has written something", name)
			}
			if err := f(nil); err != nil {
				t.Errorf("%s of nothing: %v", name, err)
			}
		}
	})
}
