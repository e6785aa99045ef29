package goroot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sum returns a hash of the files of an installation that are replaced, or that the files beside
// them call. It identifies what a release of Go was tested with.
func Sum(root string) (string, error) {
	return sumOf(root, fips, vendored+"chacha20", vendored+"chacha20poly1305")
}

// SumSM is the same for what a copy with [Source.SM] changes besides.
func SumSM(root string) (string, error) {
	return sumOf(root, "src/crypto/crypto.go", tlsDir, x509Dir)
}

// sumOf returns a hash of the Go and assembly files in directories, but not of tests, or of files.
func sumOf(root string, names ...string) (string, error) {
	h := sha256.New()
	for _, dir := range names {
		top := filepath.Join(root, filepath.FromSlash(dir))
		err := filepath.WalkDir(top, func(file string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			switch name := e.Name(); {
			case e.IsDir() && (name == "_asm" || name == "testdata"):
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

// tested has the Sum of each release of Go with which Go's tests pass on a copy. The replaced
// files have changed only from one minor version to the next so far.
var tested = func() map[string]string {
	list := map[string]string{}
	for _, minor := range []struct {
		name string
		last int
		sum  string
	}{
		{"go1.26", 11, "bafdd1006daf13ced1bf30cfa00854acbbf07126298a409518e237320ff498d0"},
		{"go1.27", 4, "a20409b58a032a01d66b13366054aed7e03cc28a791b4fd91f693577c7f4c7ea"},
	} {
		for patch := range minor.last + 1 {
			list[fmt.Sprintf("%s.%d", minor.name, patch)] = minor.sum
		}
	}
	return list
}()

// Tested names the releases in tested.
const Tested = "go1.26.0 to go1.26.11, go1.27.0 to go1.27.4"

// Check returns nil if an installation is a release that was tested, unchanged as far as it is
// replaced. It returns [ErrUntested] for other releases and [ErrChanged] for changed ones.
func Check(root, release string) error {
	sum, err := Sum(root)
	switch {
	case err != nil:
		return err
	case tested[release] == "":
		return ErrUntested
	case tested[release] != sum:
		return ErrChanged
	}
	return nil
}

// testedSM has the [SumSM] of each release of Go with which a copy with SM was tested.
var testedSM = []string{
	"d086b27b24b5a60d502cdbb4774387f47fdd801045de0b3d30f3805525e3df6b", // go1.26.6 to go1.26.8
	"bc085644c3c480fa4f703e2105df360525b16fae582a9d69f44370dd61e4f285", // go1.27.4
}

// TestedSM names the releases in testedSM.
const TestedSM = "go1.26.6 to go1.26.8, go1.27.4"

// CheckSM returns nil if crypto/tls and crypto/x509 of an installation are those of a release that a
// copy with SM was tested with, and otherwise [ErrUntested].
func CheckSM(root string) error {
	sum, err := SumSM(root)
	if err == nil && !slices.Contains(testedSM, sum) {
		err = ErrUntested
	}
	return err
}

// Errors of [Check] and [CheckSM].
var (
	ErrUntested = errors.New("this release of Go was not tested")
	ErrChanged  = errors.New("this is not the release of Go that it says")
)
