package repotest

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/sm4"
)

// used are tests that use everything of a package that depends on its drivers. Those that call package
// conformance find methods by reflection.
var used = []struct {
	pkg, what string
	files     []string
}{
	{"aes", "fuzzed or used with secrets", []string{"uses_test.go", "many_test.go"}},
	{"sm4", "fuzzed or used with secrets", []string{"uses_test.go", "many_test.go"}},
	{"sm3", "fuzzed", []string{"fuzz_test.go"}},
	{"sm3", "used with secrets", []string{"secret_test.go"}},
	{"chacha20", "fuzzed", []string{"fuzz_test.go"}},
	{"chacha20poly1305", "fuzzed", []string{"fuzz_test.go"}},
}

// notUsed are functions and methods that these tests need not use, in all packages or in one.
var notUsed = map[string]string{
	"On": "selects a driver", "Drivers": "lists them", "Error": "text", "BlockSize": "a number", "Size": "a number",
	"NonceSize": "a number", "Overhead": "a number", "Reset": "with MACs of all packages", "Clone": "a copy", "Wipe": "TestWipe",
	"chacha20poly1305.New": "NewAEAD as an interface", "chacha20poly1305.NewX": "NewXAEAD as an interface",
}

// notInCatalog are modes of packages aes and sm4 that the catalog does not have, by what their names contain.
var notInCatalog = map[string]string{
	".Encrypt ": "EncryptBlocks of one block, or EncryptTweak with a number", ".Decrypt ": "likewise",
	"NewXTSGB": "XTS with other tweaks", "NewXTSEncrypter": "for gmsm", "NewXTSDecrypter": "for gmsm",
	".NewCBCMAC ": "a part of other modes", ".SealDeterministic ": "SIV with other strings than data and nonce", "KeyPadded ": "another key wrap", ".UnwrapKey ": "there is no key to unwrap",
}

// Each mode of the block ciphers is in the catalog: an algorithm there has the same output.
func TestCatalogHasModes(t *testing.T) {
	in := conformance.Input{Key: make([]byte, 64), IV: make([]byte, 16), Data: make([]byte, 20), Text: make([]byte, 100), Split: 32}
	for i := range in.Text { // of zeros, OFB is CBC
		in.Text[i] = byte(7 * i)
	}
	in.Differ()
	excused := maps.Clone(notInCatalog)
	for pkg, d := range map[string]any{"aes": must(aes.On("generic")), "sm4": must(sm4.On("generic"))} {
		known := map[string]bool{}
		for _, a := range catalog.All() {
			if a.Package == pkg {
				for _, n := range a.KeySizes {
					for _, output := range outputs(a, in.Key[:n], in) {
						known[string(output)] = true
					}
				}
			}
		}
		uses := conformance.Uses(t, d, in)
		for _, name := range slices.Sorted(maps.Keys(uses)) {
			reason := ""
			for part, why := range notInCatalog {
				if strings.Contains(name+" ", part) {
					reason = why
					delete(excused, part)
				}
			}
			if sizes := strings.Contains(name, "["); !known[string(uses[name])] && reason == "" && (!sizes || strings.Contains(name, "[12 16]")) {
				t.Errorf("%s: the catalog has no algorithm for %s", pkg, name)
			}
		}
	}
	for name := range excused {
		t.Errorf("%q is in the list of what need not be in the catalog, and there is no such mode", name)
	}
}

// outputs returns what an algorithm makes of an input, in both directions if it has no integrity.
func outputs(a catalog.Algorithm, key []byte, in conformance.Input) (list [][]byte) {
	const generic = "generic"
	blocks, iv := in.Text[:len(in.Text)&^15], in.IV[:a.IVSize]
	add := func(f func(dst, src []byte), src []byte) {
		out := make([]byte, len(in.Text))
		f(out[:len(src)], src)
		list = append(list, out, out[:len(src)])
	}
	switch {
	case a.ECB != nil:
		c := must(a.ECB(generic, key))
		add(c.EncryptBlocks, blocks)
		add(c.DecryptBlocks, blocks)
	case a.AEAD != nil:
		list = append(list, must(a.AEAD(generic, key)).Seal(nil, iv, in.Text, in.Data))
	case a.MAC != nil:
		h := must(a.MAC(generic, key))
		h.Write(in.Text)
		list = append(list, h.Sum(nil))
	case a.Wrap != nil:
		list = append(list, must(must(a.Wrap(generic, key)).WrapKey(nil, in.Text[:len(in.Text)&^7])))
	default:
		for _, encrypt := range []bool{true, false} {
			switch {
			case a.BlockMode != nil:
				add(must(a.BlockMode(generic, key, iv, encrypt)).CryptBlocks, blocks)
			case a.Stream != nil:
				add(must(a.Stream(generic, key, iv, encrypt)).XORKeyStream, in.Text)
			default:
				add(must(a.Whole(generic, key, iv, encrypt)), in.Text)
			}
		}
	}
	return list
}

// Nothing that is exported is forgotten.
func TestUsed(t *testing.T) {
	excused := maps.Clone(notUsed)
	for _, u := range used {
		tests := ""
		for _, file := range u.files {
			tests += read(t, u.pkg+"/"+file)
		}
		reflection := strings.Contains(tests, "conformance.Uses(")
		methods := exported(t, u.pkg)
		for _, name := range slices.Sorted(maps.Keys(methods)) {
			reason := notUsed[name] + notUsed[u.pkg+"."+name]
			delete(excused, name)
			delete(excused, u.pkg+"."+name)
			if reason == "" && !(reflection && methods[name]) && !regexp.MustCompile(`\b`+name+`\b`).MatchString(tests) {
				t.Errorf("%s.%s is not %s in %v", u.pkg, name, u.what, u.files)
			}
		}
	}
	for name := range excused {
		t.Errorf("%s is in the list of what need not be used, and there is no such function", name)
	}
}

// function matches exported functions, and methods of exported types with the type.
var function = regexp.MustCompile(`(?m)^func (?:\((?:\w+ )?\*?([A-Z]\w*)\) )?([A-Z]\w*)\(`)

// exported returns the exported functions and methods of a package, and whether each is a method, or also
// one.
func exported(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, name := range files(t, ".go") {
		if path.Dir(name) == pkg && !strings.HasSuffix(name, "_test.go") {
			for _, m := range function.FindAllStringSubmatch(read(t, name), -1) {
				names[m[2]] = names[m[2]] || m[1] != ""
			}
		}
	}
	return names
}
