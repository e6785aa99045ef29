package driver_test

import (
	"fmt"

	"github.com/cipherlane/cipherlane/driver"
	_ "github.com/cipherlane/cipherlane/sm4"
)

// The driver that sm4 uses for long inputs is one of those that this machine can run.
func ExampleFind() {
	table, _ := driver.Find("sm4")
	for _, d := range table.Drivers() {
		if d.Name == table.Auto().Bulk {
			fmt.Println(d.Available(), d.Missing)
		}
	}
	// Output: true []
}
