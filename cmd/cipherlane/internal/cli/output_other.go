//go:build !linux

package cli

import (
	"errors"
	"io/fs"
	"os"
)

// OpenUnnamed returns an error: only Linux has files without a name.
func OpenUnnamed(dir string, mode fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(f *os.File, path string) error { return errors.ErrUnsupported }

func hasACL(path string) bool { return false }
