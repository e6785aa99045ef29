package chunked

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// A slice with a Read method only: bytes.Reader also has WriteTo.
type onlyReader struct{ io.Reader }
type onlyWriter struct{ io.Writer }

func benchmarkSuites(b *testing.B, f func(b *testing.B, s Suite, key []byte)) {
	for _, s := range Suites() {
		b.Run(fmt.Sprintf("%s-%d", s.Name, 8*s.Hash().Size()), func(b *testing.B) { f(b, s, make([]byte, s.KeySize)) })
	}
}

const benchmarkSize = 64 << 20

func BenchmarkWriter(b *testing.B) {
	data := make([]byte, benchmarkSize)
	benchmarkSuites(b, func(b *testing.B, s Suite, key []byte) {
		for _, n := range []int{1, 2} {
			write := func(name string, f func(w *Writer)) {
				b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
					b.SetBytes(benchmarkSize)
					b.ReportAllocs()
					for b.Loop() {
						w, err := NewWriter(io.Discard, s, key, nil, WithConcurrency(n))
						if err != nil {
							b.Fatal(err)
						}
						f(w)
						if err := w.Close(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			write("write64M", func(w *Writer) { w.Write(data) })
			write("write32K", func(w *Writer) {
				for p := data; len(p) > 0; p = p[32<<10:] {
					w.Write(p[:32<<10])
				}
			})
			write("copy", func(w *Writer) { io.Copy(w, onlyReader{bytes.NewReader(data)}) })
		}
	})
}

func BenchmarkReader(b *testing.B) {
	benchmarkSuites(b, func(b *testing.B, s Suite, key []byte) {
		var sealed bytes.Buffer
		w, err := NewWriter(&sealed, s, key, nil)
		if err != nil {
			b.Fatal(err)
		}
		w.Write(make([]byte, benchmarkSize))
		w.Close()
		buf := make([]byte, 1<<20)
		for _, n := range []int{1, 2} {
			read := func(name string, f func(r *Reader) (int64, error)) {
				b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
					b.SetBytes(benchmarkSize)
					b.ReportAllocs()
					for b.Loop() {
						r, err := NewReader(onlyReader{bytes.NewReader(sealed.Bytes())}, s, key, nil, WithConcurrency(n))
						if err != nil {
							b.Fatal(err)
						}
						if n, err := f(r); n != benchmarkSize || err != nil {
							b.Fatal(n, err)
						}
						r.Close()
					}
				})
			}
			read("read1M", func(r *Reader) (int64, error) { return io.CopyBuffer(onlyWriter{io.Discard}, onlyReader{r}, buf) })
			read("read32K", func(r *Reader) (int64, error) {
				return io.CopyBuffer(onlyWriter{io.Discard}, onlyReader{r}, buf[:32<<10])
			})
			read("copy", func(r *Reader) (int64, error) { return io.Copy(io.Discard, r) })
			b.Run(fmt.Sprintf("readat/%d", n), func(b *testing.B) {
				r, err := NewReaderAt(bytes.NewReader(sealed.Bytes()), int64(sealed.Len()), s, key, nil, WithConcurrency(n))
				if err != nil {
					b.Fatal(err)
				}
				p := make([]byte, benchmarkSize)
				b.SetBytes(benchmarkSize)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := r.ReadAt(p, 0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// One small message, including set-up.
func BenchmarkSmall(b *testing.B) {
	benchmarkSuites(b, func(b *testing.B, s Suite, key []byte) {
		var sealed bytes.Buffer
		b.Run("write", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sealed.Reset()
				w, err := NewWriter(&sealed, s, key, nil)
				if err != nil {
					b.Fatal(err)
				}
				w.Write(make([]byte, 100))
				w.Close()
			}
		})
		b.Run("read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(sealed.Bytes()), s, key, nil)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, r); n != 100 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	})
}
