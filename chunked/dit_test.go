package chunked

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
)

// ditAEAD counts the calls, and those made while instructions have data-independent timing.
type ditAEAD struct {
	cipher.AEAD
	*ditCounts
}

type ditCounts struct{ calls, enabled, active, overlaps atomic.Int64 }

func (c *ditCounts) count() {
	c.calls.Add(1)
	if enabled, _ := ctgrind.DIT(); enabled {
		c.enabled.Add(1)
	}
	if c.active.Add(1) > 1 {
		c.overlaps.Add(1)
	}
	time.Sleep(time.Millisecond)
	c.active.Add(-1)
}

func (a ditAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	a.count()
	return a.AEAD.Seal(dst, nonce, plaintext, data)
}

func (a ditAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	a.count()
	return a.AEAD.Open(dst, nonce, ciphertext, data)
}

// The goroutines that a call starts have data-independent timing if the caller has it, and
// only then. CIPHERLANE_DIT is set where the CPU must have that mode.
func TestDIT(t *testing.T) {
	switch enabled, supported := ctgrind.DIT(); {
	case !supported && os.Getenv("CIPHERLANE_DIT") != "":
		t.Fatal("the CPU lacks FEAT_DIT")
	case !supported:
		t.Skip("only with FEAT_DIT")
	case enabled:
		t.Skip("enabled for the whole process")
	}
	var counts *ditCounts
	suite := AES128GCM()
	suite.AEAD = func(key []byte) (cipher.AEAD, error) {
		a, err := newAESGCM(key)
		return ditAEAD{a, counts}, err
	}
	check := func(t *testing.T, err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	const workers = 4
	key, message := make([]byte, 16), make([]byte, 8*batchChunks*ChunkSize)
	var sealed bytes.Buffer
	for _, operation := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"Writer", func(t *testing.T) {
			sealed.Reset()
			w, err := NewWriter(&sealed, suite, key, nil, WithConcurrency(workers))
			check(t, err)
			_, err = w.ReadFrom(bytes.NewReader(message))
			check(t, err)
			check(t, w.Close())
		}},
		{"Reader", func(t *testing.T) {
			r, err := NewReader(bytes.NewReader(sealed.Bytes()), suite, key, nil, WithConcurrency(workers))
			check(t, err)
			_, err = r.WriteTo(io.Discard)
			check(t, err)
		}},
		{"Read", func(t *testing.T) {
			r, err := NewReader(bytes.NewReader(sealed.Bytes()), suite, key, nil, WithConcurrency(workers))
			check(t, err)
			_, err = io.ReadFull(r, make([]byte, len(message)))
			check(t, err)
		}},
		{"ReaderAt", func(t *testing.T) {
			r, err := NewReaderAt(bytes.NewReader(sealed.Bytes()), int64(sealed.Len()), suite, key, nil, WithConcurrency(workers))
			check(t, err)
			_, err = r.ReadAt(make([]byte, len(message)), 0)
			check(t, err)
		}},
	} {
		t.Run(operation.name, func(t *testing.T) {
			run := func() (calls, enabled int64) {
				counts = &ditCounts{}
				operation.do(t)
				if counts.overlaps.Load() == 0 {
					t.Error("one goroutine does everything")
				}
				return counts.calls.Load(), counts.enabled.Load()
			}
			if calls, enabled := run(); enabled != 0 {
				t.Errorf("outside WithDataIndependentTiming: enabled in %d of %d calls", enabled, calls)
			}
			subtle.WithDataIndependentTiming(func() {
				if calls, enabled := run(); enabled != calls {
					t.Errorf("inside WithDataIndependentTiming: enabled in %d of %d calls", enabled, calls)
				}
			})
		})
	}
}
