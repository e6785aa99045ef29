package files

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

// A sizedName is the name of an algorithm and its key size in bytes.
type sizedName struct {
	name string
	size int
}

// sizedFiles returns the algorithms of encrypt.
func sizedFiles() (list []sizedName) {
	for _, e := range encryptions {
		list = append(list, sizedName{e.name, e.suites[0].KeySize})
	}
	return list
}

// sizedModes returns the variants of a mode for all key sizes.
func sizedModes(mode catalog.Algorithm) (list []sizedName) {
	all, _ := catalog.Find(mode.Name) // mode may be limited to one size
	cipher, rest, _ := strings.Cut(inventory.ShellName(all), "-")
	for _, n := range all.KeySizes {
		list = append(list, sizedName{fmt.Sprintf("%s-%d-%s", cipher, inventory.KeyBits(all, n), rest), n})
	}
	return list
}

// nameFitting adds to an error about a key size the algorithms that the key would fit.
func nameFitting(err error, names []sizedName) error {
	e := new(keys.SizeError)
	if !errors.As(err, &e) {
		return err
	}
	var fit []string
	for _, k := range names {
		if k.size == e.Size {
			fit = append(fit, k.name)
		}
	}
	if len(fit) == 0 {
		return err
	}
	return fmt.Errorf("%w, a key for %s", err, strings.Join(fit, " or "))
}
