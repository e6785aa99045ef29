package alias

import "testing"

// TestOverlap compares the functions with their definitions, byte by byte,
// for all pairs of slices of one small array.
func TestOverlap(t *testing.T) {
	var array [9]byte
	shares := func(i, n, j, m int) bool { // [i,i+n) and [j,j+m)
		for k := i; k < i+n; k++ {
			if j <= k && k < j+m {
				return true
			}
		}
		return false
	}
	for i := 0; i <= len(array); i++ {
		for n := 0; i+n <= len(array); n++ {
			for j := 0; j <= len(array); j++ {
				for m := 0; j+m <= len(array); m++ {
					x, y := array[i:i+n], array[j:j+m]
					if got, want := AnyOverlap(x, y), shares(i, n, j, m); got != want {
						t.Errorf("AnyOverlap([%d:+%d], [%d:+%d]) = %v", i, n, j, m, got)
					}
					if got, want := InexactOverlap(x, y), shares(i, n, j, m) && i != j; got != want {
						t.Errorf("InexactOverlap([%d:+%d], [%d:+%d]) = %v", i, n, j, m, got)
					}
					if got, want := Fits(x, y), n >= m && (i == j || !shares(i, m, j, m)); got != want {
						t.Errorf("Fits([%d:+%d], [%d:+%d]) = %v", i, n, j, m, got)
					}
				}
			}
		}
	}
}

func TestOverlapOfDifferentArrays(t *testing.T) {
	x, y := make([]byte, 64), make([]byte, 64)
	if AnyOverlap(x, y) || AnyOverlap(y, x) || AnyOverlap(nil, x) || AnyOverlap(x, nil) || AnyOverlap(nil, nil) {
		t.Error("slices of different arrays overlap")
	}
}

func TestStackBuffersStay(t *testing.T) {
	n := testing.AllocsPerRun(10, func() {
		var a, b [64]byte
		if InexactOverlap(a[:], b[:]) {
			t.Error("two variables overlap")
		}
	})
	if n != 0 {
		t.Errorf("InexactOverlap sends its arguments to the heap: %v allocations", n)
	}
}
