package chunked

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// An edit is how a fuzzer changes a message: 4 bytes each.
//
//	kind, position (2 bytes, in 1/65536 of the message), amount
func edit(m []byte, edits []byte) []byte {
	m = bytes.Clone(m)
	for ; len(edits) >= 4; edits = edits[4:] {
		at := len(m) * (int(edits[1])<<8 | int(edits[2])) >> 16
		amount := int(edits[3])
		switch edits[0] % 6 {
		case 0: // flip
			if at < len(m) {
				m[at] ^= byte(amount)
			}
		case 1: // cut off at a distance from the end
			m = m[:max(0, len(m)-amount)]
		case 2: // append
			m = append(m, bytes.Repeat([]byte{edits[1]}, amount)...)
		case 3: // take bytes out
			m = append(m[:at], m[min(len(m), at+amount):]...)
		case 4: // take a chunk out
			lo := min(len(m), HeaderSize+amount*sealedSize)
			m = append(m[:lo], m[min(len(m), lo+sealedSize):]...)
		case 5: // cut off behind a chunk
			m = m[:min(len(m), HeaderSize+amount*sealedSize)]
		}
	}
	return m
}

// FuzzDamage changes messages. A reader returns a prefix of the plaintext, and no error only if
// the message is unchanged.
func FuzzDamage(f *testing.F) {
	f.Add(uint32(0), byte(0), []byte{})
	f.Add(uint32(100), byte(1), []byte{0, 200, 0, 1})
	f.Add(uint32(3*ChunkSize), byte(2), []byte{1, 0, 0, 16})
	f.Add(uint32(3*ChunkSize+5), byte(3), []byte{2, 0, 0, 200, 0, 1, 1, 1})
	f.Add(uint32(20*ChunkSize), byte(4), []byte{4, 0, 0, 7})
	f.Add(uint32(20*ChunkSize+77), byte(5), []byte{5, 0, 0, 19})
	f.Add(uint32(40000), byte(6), []byte{3, 100, 100, 9})
	f.Fuzz(func(t *testing.T, size uint32, variant byte, edits []byte) {
		s := wide()
		p := plaintext(int(size % (40 * ChunkSize)))
		sealed := seal(t, s, p)
		m := edit(sealed, edits)
		same := bytes.Equal(m, sealed)
		n := 1 + int(variant>>4)%3

		r, err := NewReader(bytes.NewReader(m), s, testKey(s), testContext, WithConcurrency(n))
		var got []byte
		if err == nil {
			switch variant % 3 {
			case 0:
				got, err = readers["copy"](r)
			case 1:
				got, err = readers["large reads"](r)
			case 2:
				got, err = readers["mixed"](r)
			}
		}
		if same != (err == nil) || !bytes.HasPrefix(p, got) || same && len(got) != len(p) {
			t.Errorf("Reader: %d bytes, %v; damaged: %v", len(got), err, !same)
		}
		checkKind(t, err)

		ra, err := NewReaderAt(bytes.NewReader(m), int64(len(m)), s, testKey(s), testContext, WithConcurrency(n))
		got = make([]byte, len(m)+1)
		k := 0
		if err == nil {
			k, err = ra.ReadAt(got, 0)
		}
		if same != (err == io.EOF) || !bytes.HasPrefix(p, got[:k]) || same && k != len(p) {
			t.Errorf("ReaderAt: %d bytes, %v; damaged: %v", k, err, !same)
		}
		if err != io.EOF {
			checkKind(t, err)
		}
	})
}

// FuzzBody appends arbitrary bytes to a valid header.
func FuzzBody(f *testing.F) {
	s := AES128GCM()
	f.Add([]byte{})
	f.Add(seal(f, s, plaintext(100))[HeaderSize:])
	f.Add(seal(f, s, plaintext(20000))[HeaderSize:])
	f.Fuzz(func(t *testing.T, body []byte) {
		m := append(seal(t, s, nil)[:HeaderSize:HeaderSize], body...)
		want, wantErr := specOpen(t, s, testKey(s), testContext, m)
		r, err := NewReader(bytes.NewReader(m), s, testKey(s), testContext)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v; the specification: %d bytes, %v", len(got), err, len(want), wantErr)
		}
		checkKind(t, err)
	})
}

// FuzzHeader passes arbitrary bytes to the readers, with all suites.
func FuzzHeader(f *testing.F) {
	s := AES128GCM()
	f.Add(seal(f, s, nil), testKey(s), testContext)
	f.Add([]byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, m, key, context []byte) {
		good := bytes.HasPrefix(m, seal(t, s, nil)[:HeaderSize]) && bytes.Equal(key, testKey(s)) && bytes.Equal(context, testContext)
		if _, err := NewReader(bytes.NewReader(m), s, key, context, Accept(Suites()...)); (err == nil) != good {
			t.Errorf("NewReader: %v", err)
		} else {
			checkKind(t, err)
		}
		if _, err := PlaintextSize(int64(len(m))); err != nil {
			good = false
		}
		if _, err := NewReaderAt(bytes.NewReader(m), int64(len(m)), s, key, context, Accept(Suites()...)); (err == nil) != good {
			t.Errorf("NewReaderAt: %v", err)
		} else {
			checkKind(t, err)
		}
	})
}

// checkKind checks that the error is one that callers can distinguish.
func checkKind(t *testing.T, err error) {
	t.Helper()
	var chunk *ChunkError
	if err != nil && !errors.As(err, &chunk) && !errors.Is(err, ErrHeader) && !errors.Is(err, ErrCommitment) &&
		!errors.Is(err, ErrTruncated) && !errors.Is(err, ErrKeySize) {
		t.Errorf("an error of another kind: %v", err)
	}
}
