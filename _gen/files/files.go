// Package files is for generators of Go that write into several folders of the repository.
package files

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Root returns the folder of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.work in this folder or above it")
		}
		dir = filepath.Dir(dir)
	}
}

// Write writes files, by path, and removes those whose text is nil. If check is set, it does neither:
// it returns an error for each file that is not what the generator writes, which has this name.
func Write(files map[string][]byte, check bool, generator string) error {
	var problems []error
	for _, file := range slices.Sorted(maps.Keys(files)) {
		text := files[file]
		before, err := os.ReadFile(file)
		switch {
		case err == nil && text != nil && bytes.Equal(before, text):
		case check:
			problems = append(problems, fmt.Errorf("%s is not what go run ./_gen/%s writes", file, generator))
		case text == nil:
			problems = append(problems, os.Remove(file))
		default:
			problems = append(problems, os.WriteFile(file, text, 0o666))
		}
	}
	return errors.Join(problems...)
}
