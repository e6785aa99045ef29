package driver

import "slices"

// Known reports whether a package is in the list of those that there are.
func Known(pkg string) bool { return slices.Contains(packages, pkg) }
