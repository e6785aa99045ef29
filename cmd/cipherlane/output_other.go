//go:build !linux

package main

import (
	"errors"
	"io/fs"
	"os"
)

func openUnnamed(dir string, mode fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(f *os.File, path string) error { return errors.ErrUnsupported }

func hasACL(path string) bool { return false }
