package chunked

import (
	"bytes"
	"compress/zlib"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/vectors"
)

type wycheproofGroup struct {
	AEAD  string `json:"aead"`
	SHA   string `json:"sha"`
	Tests []struct {
		vectors.Test
		Key       vectors.Bytes `json:"key"`
		Context   vectors.Bytes `json:"ctx"`
		Message   vectors.Bytes `json:"ct"` // compressed with zlib
		AEADKey   vectors.Bytes `json:"aeadKey"`
		BaseNonce vectors.Bytes `json:"baseNonce"`
		Length    int           `json:"msgLength"` // also what is authentic of an invalid message
		SHA512    string        `json:"msgSha512"`
	}
}

func TestWycheproof(t *testing.T) {
	for name, suite := range map[string]Suite{
		"wycheproof_chunked_aes_128_gcm.json": Cobblestone128(),
		"wycheproof_chunked_aes_256_gcm.json": Cobblestone256(),
	} {
		for _, g := range vectors.Wycheproof[wycheproofGroup](t, os.DirFS("testdata"), name) {
			if g.AEAD != suite.Name || g.SHA != "SHA-512" {
				t.Fatalf("%s: a group for %s with %s", name, g.AEAD, g.SHA)
			}
			for _, c := range g.Tests {
				z, err := zlib.NewReader(bytes.NewReader(c.Message))
				if err != nil {
					t.Fatal(err)
				}
				sealed, err := io.ReadAll(z)
				if err != nil {
					t.Fatal(err)
				}
				has := func(flag string) bool { return slices.Contains(c.Flags, flag) }
				valid := c.Result == vectors.Valid
				authentic := func(p []byte) bool {
					sum := sha512.Sum512(p)
					return len(p) == c.Length && (c.SHA512 == "" && c.Length == 0 || hex.EncodeToString(sum[:]) == c.SHA512)
				}

				for _, n := range concurrencies {
					for method, read := range readers {
						if testing.Short() && len(sealed) > 1<<20 && method != "copy" {
							continue
						}
						r, err := NewReader(bytes.NewReader(sealed), suite, c.Key, c.Context, WithConcurrency(n))
						if has("HeaderFailure") != (err != nil) || has("InvalidKeySize") != errors.Is(err, ErrKeySize) {
							t.Errorf("%s, %d (%s): NewReader: %v", name, c.ID, c.Comment, err)
						}
						if err != nil {
							continue
						}
						p, err := read(r)
						if valid != (err == nil) || !authentic(p) {
							t.Errorf("%s, %d (%s), %s, concurrency %d: %d bytes, %v", name, c.ID, c.Comment, method, n, len(p), err)
						}
					}

					r, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), suite, c.Key, c.Context, WithConcurrency(n))
					if err != nil {
						if valid || has("ValidFinalChunk") {
							t.Errorf("%s, %d (%s): NewReaderAt: %v", name, c.ID, c.Comment, err)
						}
						continue
					}
					size, err := r.Size()
					if (err == nil) != (valid || has("ValidFinalChunk")) {
						t.Errorf("%s, %d (%s): Size: %v", name, c.ID, c.Comment, err)
					}
					if valid && size != int64(c.Length) {
						t.Errorf("%s, %d (%s): Size is %d, want %d", name, c.ID, c.Comment, size, c.Length)
					}
					p := make([]byte, len(sealed))
					got, err := r.ReadAt(p, 0)
					if valid != (err == io.EOF) || !authentic(p[:got]) {
						t.Errorf("%s, %d (%s): ReadAt: %d, %v", name, c.ID, c.Comment, got, err)
					}
				}

				if !valid {
					continue
				}
				// Under the same salt, the writer makes the same message.
				r, err := NewReader(bytes.NewReader(sealed), suite, c.Key, c.Context)
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				w, err := newWriter(&out, suite, c.Key, sealed[:24], c.Context, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(w, r); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil || !bytes.Equal(out.Bytes(), sealed) {
					t.Errorf("%s, %d (%s): another message: %v", name, c.ID, c.Comment, err)
				}
				derived, err := suite.expand(c.Key, sealed[:24], c.Context)
				if err != nil || !bytes.HasPrefix(derived, slices.Concat(c.AEADKey, c.BaseNonce)) {
					t.Errorf("%s, %d (%s): other keys: %v", name, c.ID, c.Comment, err)
				}
			}
		}
	}
}
