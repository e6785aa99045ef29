//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The lanes have different keys, and data directly after an inaccessible page or before
// one; the last lane does the same as the first one.
func TestLanesSM4NIAVX2(t *testing.T) {
	const needs = cpu.AVX2 | cpu.SM4
	if missing := needs &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
	const lanes, most = 8, 9
	l, keys := new(Lanes), new([lanes]Keys)
	var iv [lanes][16]byte
	var plain, want, src, dst [lanes][]byte
	for i := range lanes {
		key, from := [16]byte(random(byte(i), 16)), i%(lanes-1)
		if i != from {
			key = [16]byte(random(byte(from), 16))
		}
		ExpandSM4NIAVX2(&keys[i], &key)
		rk := plainExpand(key)
		iv[i], plain[i] = [16]byte(random(byte(from+100), 16)), random(byte(from+200), 16*most)
		want[i] = rk.cbcEncrypt(iv[i], plain[i])
		if src[i], dst[i] = guard.After(t, 16*most), guard.After(t, 16*most); i%2 == 1 {
			src[i], dst[i] = guard.Before(t, 16*most), guard.Before(t, 16*most)
		}
		if i != from {
			src[i], dst[i] = src[from], dst[from]
		}
		l.Keys[i] = &keys[i]
	}
	part := func(i int, b []byte, n int) []byte {
		if i%(lanes-1)%2 == 1 {
			return b[:n]
		}
		return guard.Tail(b, n)
	}
	for n := 1; n <= most; n++ {
		for _, inPlace := range []bool{false, true} {
			for _, store := range []bool{false, true} {
				for i := range lanes {
					s, d := part(i, src[i], 16*n), part(i, dst[i], 16*n)
					copy(s, plain[i])
					clear(d)
					if l.Src[i], l.Dst[i] = &s[0], &d[0]; inPlace {
						l.Dst[i] = &s[0]
					}
					if !store {
						l.Dst[i] = nil
					}
				}
				copy(l.Chain[:], iv[:])
				l.CBCEncryptSM4NIAVX2(n, store)
				for i := range lanes {
					s, d := part(i, src[i], 16*n), part(i, dst[i], 16*n)
					wantSrc, wantDst := plain[i][:16*n], make([]byte, 16*n)
					switch {
					case store && inPlace:
						wantSrc = want[i][:16*n]
					case store:
						wantDst = want[i][:16*n]
					}
					if !bytes.Equal(s, wantSrc) || !bytes.Equal(d, wantDst) || l.Chain[i] != [16]byte(want[i][16*(n-1):]) {
						t.Fatalf("lane %d, %d blocks, in place %v, store %v: wrong", i, n, inPlace, store)
					}
				}
			}
		}
	}
}
