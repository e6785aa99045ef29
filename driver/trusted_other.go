//go:build !unix

package driver

import (
	"errors"
	"io/fs"
)

// trusted returns an error if somebody else may have written a file.
func trusted(fs.FileInfo) error { return errors.New("its owner cannot be determined on this system") }

// kernel returns the name, the release and the version of the running kernel, or "".
func kernel() string { return "" }
