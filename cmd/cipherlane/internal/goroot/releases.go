package goroot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sum returns a hash of the files of an installation that are replaced, or that the files beside
// them call. It identifies what a release of Go was tested with.
func Sum(root string) (string, error) {
	h := sha256.New()
	for _, dir := range []string{fips, vendored + "chacha20", vendored + "chacha20poly1305"} {
		top := filepath.Join(root, filepath.FromSlash(dir))
		err := filepath.WalkDir(top, func(file string, e fs.DirEntry, err error) error {
			name := e.Name()
			switch {
			case err != nil:
				return err
			case e.IsDir() && name == "_asm":
				return fs.SkipDir
			case e.IsDir() || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(file)
			if err == nil {
				rel, _ := filepath.Rel(root, file)
				fmt.Fprintf(h, "%x  %s\n", sha256.Sum256(text), filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
