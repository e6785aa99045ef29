package inventory

import (
	"crypto/fips140"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Find returns the algorithm with a name. The name may also be written without the
// parentheses that shells interpret, aes-gcm for gcm(aes), and then with a key size:
// aes-256-gcm.
func Find(name string) (catalog.Algorithm, bool) {
	short, bits := name, 0
	if parts := strings.Split(name, "-"); len(parts) > 2 {
		if n, err := strconv.Atoi(parts[1]); err == nil && strconv.Itoa(n) == parts[1] {
			short, bits = strings.Join(slices.Delete(parts, 1, 2), "-"), n
		}
	}
	for _, a := range catalog.All() {
		if a.Name == name || ShellName(a) == name { // a number may be part of the name
			return a, true
		}
	}
	for _, a := range catalog.All() {
		if ShellName(a) == short {
			if bits != 0 {
				a.KeySizes = slices.DeleteFunc(slices.Clone(a.KeySizes), func(n int) bool { return KeyBits(a, n) != bits })
			}
			return a, bits == 0 || len(a.KeySizes) > 0
		}
	}
	return catalog.Algorithm{}, false
}

// Same reports whether a name stands for an algorithm with the same key sizes.
func Same(a catalog.Algorithm, name string) bool {
	b, ok := Find(name)
	return ok && a.Name == b.Name && slices.Equal(a.KeySizes, b.KeySizes)
}

// KeyBits returns the key size, in bits, for the name of an algorithm with keys of n
// bytes. A key for XTS or SIV consists of two keys.
func KeyBits(a catalog.Algorithm, n int) int {
	if strings.HasPrefix(a.Name, "xts(") || strings.HasPrefix(a.Name, "siv(") {
		n /= 2
	}
	return 8 * n
}

// ShellName returns the name of an algorithm in a form that needs no quotes in a shell.
func ShellName(a catalog.Algorithm) string {
	if inner, ok := strings.CutPrefix(a.Name, "rfc7539("); ok { // a template of Linux with two arguments
		return strings.ReplaceAll(strings.TrimSuffix(inner, ")"), ",", "-")
	}
	parts := strings.Split(strings.TrimRight(a.Name, ")"), "(")
	slices.Reverse(parts)
	if n := len(parts); parts[n-1] == "cts" { // Linux's variant; openssl's "cbc-cts" is a different one
		parts[n-1] = "cs3"
	}
	return strings.Join(parts, "-")
}

// Choose returns the algorithms with these names. The name of a package stands for all
// of its algorithms, unless an algorithm has that name. No names stand for all
// algorithms.
func Choose(names []string) ([]catalog.Algorithm, error) {
	all := catalog.All()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []catalog.Algorithm
	add := func(a catalog.Algorithm) {
		if !slices.ContainsFunc(chosen, func(c catalog.Algorithm) bool {
			return c.Name == a.Name && slices.Equal(c.KeySizes, a.KeySizes)
		}) {
			chosen = append(chosen, a)
		}
	}
	for _, name := range names {
		if a, ok := Find(name); ok {
			add(a)
			continue
		}
		found := false
		for _, a := range all {
			if a.Package == name {
				add(a)
				found = true
			}
		}
		if !found {
			return nil, UnknownAlgorithm(name, all)
		}
	}
	return chosen, nil
}

// UnknownAlgorithm returns the error for a name that is not among the known algorithms.
func UnknownAlgorithm(name string, algorithms []catalog.Algorithm) error {
	var list []string
	for _, a := range algorithms {
		list = append(list, ShellName(a))
	}
	meant := ""
	for _, candidate := range list {
		if similarNames(name, candidate) {
			meant = fmt.Sprintf(", did you mean %q?", candidate)
			break
		}
	}
	all := "known: " + strings.Join(list, ", ")
	if len(list) > maxListed {
		all = "\"cipherlane list\" shows all"
	}
	return cli.Usagef("%s: no such algorithm%s (%s)", cli.Quote(name), meant, all)
}

// maxListed is the number of names that an error lists.
const maxListed = 20

// similarNames reports whether two names, ignoring case, are equal, differ by one letter, or by
// two adjacent letters that are swapped.
func similarNames(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	i, j := 0, 0 // lengths of the common prefix and suffix
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	a, b = a[i:len(a)-j], b[i:len(b)-j]
	return max(len(a), len(b)) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// RefuseFIPS returns an error in FIPS-only mode. Verbs that compute call it: otherwise
// the library's constructors would panic or fail one after the other.
func RefuseFIPS() error {
	if fips140.Enforced() {
		return cli.AsUnavailable(errors.New("GODEBUG=fips140=only: does not allow these algorithms or encrypted files; unset it for this command"))
	}
	return nil
}

// Packages returns the tables that the algorithms share, with their algorithms.
func Packages(list []catalog.Algorithm) (tables []*drivers.Table, members map[*drivers.Table][]catalog.Algorithm) {
	members = map[*drivers.Table][]catalog.Algorithm{}
	for _, a := range list {
		t := a.Table()
		if members[t] == nil {
			tables = append(tables, t)
		}
		members[t] = append(members[t], a)
	}
	return tables, members
}

// WithDrivers returns the algorithms that have one of the named drivers. It fails if a
// driver cannot run here or no algorithm has it. If strict is set, because the user
// also named the algorithms, every one of them must have each driver.
func WithDrivers(list []catalog.Algorithm, limited, strict bool, names ...string) ([]catalog.Algorithm, error) {
	if !limited {
		return list, nil
	}
	var matching []catalog.Algorithm
	for _, name := range names {
		found := false
		var unknown error
		for _, a := range list {
			_, err := a.Table().On(name)
			switch {
			case err == nil:
				found = true
				if !slices.ContainsFunc(matching, func(o catalog.Algorithm) bool { return o.Name == a.Name }) {
					matching = append(matching, a)
				}
			case strict || !errors.Is(err, drivers.ErrUnknown):
				return nil, err
			default:
				unknown = err
			}
		}
		switch tables, _ := Packages(list); {
		case !found && len(tables) > 1: // the error names only the last one
			return nil, cli.Usagef("%w: %q in any package; \"cipherlane list\" shows them", drivers.ErrUnknown, name)
		case !found:
			return nil, unknown
		}
	}
	return matching, nil
}

const BlockSize = 16 // of every block cipher in the catalog

// WholeBlocks reports whether an algorithm accepts only whole blocks.
func WholeBlocks(a catalog.Algorithm) bool { return a.ECB != nil || a.BlockMode != nil }

// Fit returns the length nearest to n that an algorithm accepts, rounding down if
// possible.
func Fit(a catalog.Algorithm, n int) int {
	switch {
	case WholeBlocks(a):
		return n - n%BlockSize
	case a.Whole != nil:
		return max(n, BlockSize)
	case a.Wrap != nil:
		return max(n-n%8, 16)
	default:
		return n
	}
}

// Random returns n random bytes.
func Random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}
