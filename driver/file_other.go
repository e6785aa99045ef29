//go:build !unix

package driver

import (
	"errors"
	"os"
)

// open opens a regular file.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading a pipe might never end
		return nil, errNotRegular
	}
	return os.Open(path)
}

// trusted returns an error if somebody else may have written a file.
func trusted(*os.File) error { return errors.New("its owner cannot be determined on this system") }

// kernel returns the name, the release and the version of the running kernel, or "".
func kernel() string { return "" }
