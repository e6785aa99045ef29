package sm3_test

import (
	"strconv"
	"testing"

	"github.com/cipherlane/cipherlane/sm3"
)

func BenchmarkSum(b *testing.B) {
	eachSize(b, func(b *testing.B, d sm3.Driver, p []byte) {
		for b.Loop() {
			d.Sum(p)
		}
	})
}

// BenchmarkHash writes and sums through the interface.
func BenchmarkHash(b *testing.B) {
	eachSize(b, func(b *testing.B, d sm3.Driver, p []byte) {
		h, sum := d.New(), make([]byte, 0, sm3.Size)
		for b.Loop() {
			h.Reset()
			h.Write(p)
			h.Sum(sum)
		}
	})
}

func eachSize(b *testing.B, f func(b *testing.B, d sm3.Driver, p []byte)) {
	for _, info := range sm3.Drivers() {
		b.Run(info.Name, func(b *testing.B) {
			d, err := sm3.On(info.Name)
			if err != nil {
				b.Skip(err)
			}
			for _, n := range []int{64, 256, 1024, 1420, 8192, 65536} {
				b.Run(strconv.Itoa(n), func(b *testing.B) {
					b.SetBytes(int64(n))
					f(b, d, make([]byte, n))
				})
			}
		})
	}
}

func BenchmarkSumMany(b *testing.B) {
	for _, info := range sm3.Drivers() {
		b.Run(info.Name, func(b *testing.B) {
			d, err := sm3.On(info.Name)
			if err != nil {
				b.Skip(err)
			}
			for _, count := range []int{2, 3, 4, 8, 16, 17, 32} {
				for _, n := range []int{64, 1024, 4096} {
					b.Run(strconv.Itoa(count)+"x"+strconv.Itoa(n), func(b *testing.B) {
						b.SetBytes(int64(count * n))
						messages := make([]sm3.Message, count)
						for i := range messages {
							messages[i].Data = make([]byte, n)
						}
						for b.Loop() {
							d.SumMany(messages)
						}
					})
				}
			}
		})
	}
}

func BenchmarkKDF(b *testing.B) {
	for _, info := range sm3.Drivers() {
		b.Run(info.Name, func(b *testing.B) {
			d, err := sm3.On(info.Name)
			if err != nil {
				b.Skip(err)
			}
			z := make([]byte, 64)
			for _, n := range []int{32, 96, 256, 1024, 65536} {
				b.Run(strconv.Itoa(n), func(b *testing.B) {
					b.SetBytes(int64(n))
					key := make([]byte, n)
					for b.Loop() {
						d.KDF(key, z)
					}
				})
			}
		})
	}
}
