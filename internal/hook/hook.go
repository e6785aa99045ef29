// Package hook is how internal/drivers reaches the part of package driver that it does
// not export. The types are any because this package cannot import driver.
package hook

// Functions of package driver, which sets them when it is initialised.
var (
	Register func(pkg string, rows any) any // of []driver.Info, returns a *driver.Table
	New      func(pkg string, rows any) any // likewise
)
