package driver

import "slices"

// Known reports whether a package is in the list of packages with drivers.
func Known(pkg string) bool { return slices.Contains(packages, pkg) }
