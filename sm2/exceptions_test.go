package sm2

import (
	"math/big"
	"slices"
	"testing"
)

// The numbers for which a sum of points meets two points that are the same or opposite: all of them,
// from the sizes of the digits and of n alone. multiplyBase and multiply say so, and handle them.

// TestBaseExceptions solves m + d 64^i = 0 and m - d 64^i = 0 modulo n, in each row i > 0 for all odd
// digits d and all odd m of a magnitude below 64^i, which is where the sum of the digits below is.
// Only k = 15 2^253 - n is left, so that two of the n - 1 numbers from 1 on have this exception, k and n - k.
func TestBaseExceptions(t *testing.T) {
	var found []*big.Int
	for i := 1; i < baseDigits; i++ {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(baseWindow*i)) // 64^i
		most := int64(1)<<baseWindow - 1
		if i == baseDigits-1 {
			most = 1<<(257-baseWindow*(baseDigits-1)-1) - 1 // k has 256 bits, and one more is above them
		}
		for d := -most; d <= most; d += 2 {
			row := new(big.Int).Mul(big.NewInt(d), limit)
			if i == baseDigits-1 && d < 0 { // no positive number ends so
				continue
			}
			for _, sign := range []int64{1, -1} {
				// m is sign d 64^i plus a multiple of n, and the nearest to 0 of these are small.
				m := new(big.Int).Mod(new(big.Int).Mul(big.NewInt(sign), row), specN)
				for _, m := range []*big.Int{m, new(big.Int).Sub(m, specN)} {
					if m.CmpAbs(limit) < 0 && m.Bit(0) == 1 {
						found = append(found, new(big.Int).Add(m, row))
					}
				}
			}
		}
	}
	// In the last row, the sum is k itself, from 1 to n - 1.
	k := slices.DeleteFunc(found, func(k *big.Int) bool { return k.Sign() == 0 || k.CmpAbs(specN) == 0 })
	want := new(big.Int).Lsh(big.NewInt(15), 253)
	want.Sub(want, specN)
	if len(k) != 1 || k[0].Cmp(want) != 0 {
		t.Errorf("exceptions are %x, want %x", k, want)
	}
	if n := new(big.Int).Div(specN, big.NewInt(2*int64(len(k)))); n.BitLen() != 255 {
		t.Errorf("one of 2^%d numbers", n.BitLen())
	}
}

// TestProductExceptions does so for multiply: before digit d is added, from -16 to 16, the sum is 32 m, where 32 m + d is
// k without its 5i lowest bits, or one more. Only k = n - 6 adds a point to itself, and none adds its opposite.
func TestProductExceptions(t *testing.T) {
	const most = 1 << (window - 1)
	// Before digit i > 0, 32 m + d is at most n/32 + 1. So 32 m + d and 32 m - d are multiples of n only if they are 0,
	// and 32 m is neither d nor -d, unless both are 0.
	if highest := new(big.Int).Add(new(big.Int).Rsh(specN, window), big.NewInt(1+2*most)); highest.Cmp(specN) >= 0 {
		t.Fatal("sums before digit 0 are not below n")
	}
	var same []*big.Int
	for d := int64(-most); d <= most; d++ {
		if d == 0 {
			continue // infinity, which is skipped
		}
		for _, sign := range []int64{1, -1} {
			// 32 m = k - d is sign d plus a multiple of n, for a k from 1 to n - 1.
			for _, multiple := range []int64{-1, 0, 1} {
				sum := new(big.Int).Add(big.NewInt(sign*d), new(big.Int).Mul(big.NewInt(multiple), specN))
				k := new(big.Int).Add(sum, big.NewInt(d))
				if k.Sign() <= 0 || k.Cmp(specN) >= 0 || new(big.Int).Mod(sum, big.NewInt(1<<window)).Sign() != 0 {
					continue
				}
				magnitude, negative := toScalar(k).digit(window, 0)
				if got := int64(magnitude) ^ int64(negative) - int64(negative); got != d {
					t.Errorf("digit 0 of %x is %d, not %d", k, got, d)
				}
				if sign < 0 {
					t.Errorf("%x: opposite points", k)
				}
				same = append(same, k)
			}
		}
	}
	if want := new(big.Int).Sub(specN, big.NewInt(6)); len(same) != 1 || same[0].Cmp(want) != 0 {
		t.Errorf("exceptions are %x, want %x", same, want)
	}
}
