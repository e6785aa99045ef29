package driver_test

import (
	"fmt"

	"github.com/cipherlane/cipherlane/driver"
)

// An object with this plan uses driver 0 of its table for short inputs and driver 2 for
// inputs of at least 256 bytes.
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
