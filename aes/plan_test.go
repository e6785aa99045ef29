package aes

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Mixed returns a Driver with two drivers: a is for short inputs and for many messages,
// b for bulk and for serial modes. Bulk begins at a size that is no multiple of anything.
func Mixed(a, b string) Driver {
	first, second := rowOfName(a), rowOfName(b)
	return Driver{drivers.Compact(driver.Plan{Short: first, Bulk: second, Serial: second, Many: first, BulkMin: 101})}
}

// Uses reports whether d uses the driver with this name.
func Uses(d Driver, name string) bool {
	row := rowOfName(name)
	return slices.Contains([]uint8{d.plan.Short(), d.plan.Bulk(), d.plan.Serial(), d.plan.Many()}, row)
}

func rowOfName(name string) uint8 {
	return uint8(slices.IndexFunc(Drivers(), func(d driver.Info) bool { return d.Name == name }))
}
