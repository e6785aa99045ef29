package aes

import (
	"slices"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Mixed returns a Driver with two drivers: a is for short inputs and for many messages,
// b for bulk and for serial modes. Bulk begins at a size that is no multiple of anything.
func Mixed(a, b string) Driver {
	first, second := rowOfName(a), rowOfName(b)
	return Driver{drivers.NewPlan(first, second, second, first, 101)}
}

// Uses reports whether d uses the driver with this name.
func Uses(d Driver, name string) bool {
	return d.plan.Has(rowOfName(name))
}

func rowOfName(name string) uint8 {
	return uint8(slices.IndexFunc(table.Drivers(), func(d drivers.Info) bool { return d.Name == name }))
}
