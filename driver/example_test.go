package driver_test

import (
	"fmt"

	"github.com/cipherlane/cipherlane/driver"
)

// An object made with this plan sends short inputs to row 0 of its table and
// inputs of 256 bytes and more to row 2.
func ExamplePlan() {
	p := driver.Plan{Short: 0, Bulk: 2, BulkMin: 256}
	for _, n := range []int{0, 255, 256, 65536} {
		fmt.Println(n, p.Pick(n))
	}
	// Output:
	// 0 0
	// 255 0
	// 256 2
	// 65536 2
}

// A driver asked for by name is taken for inputs of any size.
func ExampleOnly() {
	p := driver.Only(2)
	fmt.Println(p.Pick(1), p.Pick(65536))
	// Output: 2 2
}
