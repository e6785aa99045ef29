// Package repotest checks invariants of the repository as a whole. The tests
// only read files; they do not run commands.
package repotest

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const module = "github.com/cipherlane/cipherlane"

var root = os.DirFS("../..")

// files returns the slash-separated names of the repository's files that end
// in one of the suffixes, leaving out hidden folders.
func files(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !d.IsDir() && slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("no files end in %v: is this the repository?", suffixes)
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Assembly lives in internal/<goarch>/ of its algorithm, under a name that
// ends in the architecture, and goes away with the tag purego. Detection of
// the CPU, the mark for valgrind and what algorithms share on riscv64 are not kernels of one.
func TestAssemblyPlace(t *testing.T) {
	place := regexp.MustCompile(`(^|/)internal/([a-z0-9]+)/[a-z0-9_]+_([a-z0-9]+)\.s$`)
	for _, name := range files(t, ".s") {
		if dir := path.Dir(name); dir == "internal/cpu" || dir == "internal/ctgrind" || dir == "internal/rvv" || strings.Contains(dir, "/testdata/") || strings.Contains(dir, "/_src/") {
			continue
		}
		m := place.FindStringSubmatch(name)
		// A package cannot be called 386, and one has the kernels for all kinds of MIPS.
		if m == nil || m[2] != m[3] && m[2] != "i"+m[3] && (m[2] != "mips" || !strings.HasPrefix(m[3], "mips")) {
			t.Errorf("%s: want internal/<goarch>/<kernel>_<isa>_<goarch>.s", name)
		}
	}
	for _, name := range files(t, ".s") {
		if strings.Contains(name, "/testdata/") || strings.Contains(name, "/_src/") {
			continue
		}
		if !regexp.MustCompile(`(?m)^//go:build .*!purego|^//go:build valgrind`).MatchString(read(t, name)) {
			t.Errorf("%s: is built under the tag purego", name)
		}
	}
}

// Kernels for amd64 must clear the upper halves of YMM and ZMM registers before they
// return if they have used them: otherwise all SSE code that follows is slow. A kernel
// that uses the frame pointer must have a frame, in which the assembler saves it.
func TestKernelsAMD64(t *testing.T) {
	wide := regexp.MustCompile(`\b[YZ][0-9]+\b`)
	frame := regexp.MustCompile(`\bR?BP\b`)
	comment := regexp.MustCompile(`(?m)//.*$`)
	for _, name := range files(t, "_amd64.s") {
		for _, function := range strings.Split(comment.ReplaceAllString(read(t, name), ""), "\nTEXT ")[1:] {
			lines := strings.Split(function, "\n")
			if frame.MatchString(function) && strings.Contains(lines[0], "$0-") {
				t.Errorf("%s: uses BP without a frame: %s", name, lines[0])
			}
			for i, line := range lines {
				if strings.TrimSpace(line) == "RET" && wide.MatchString(strings.Join(lines[:i], "\n")) && !strings.HasPrefix(strings.TrimSpace(lines[i-1]), "VZERO") {
					t.Errorf("%s: RET without VZEROUPPER: %s", name, lines[0])
				}
			}
		}
	}
}

// Every architecture has exactly one file with the table of drivers: its own,
// or drivers_none.go.
func TestDriversFiles(t *testing.T) {
	dirs := map[string]bool{}
	for _, name := range files(t, ".go") {
		if strings.HasPrefix(path.Base(name), "drivers_") && !strings.HasSuffix(name, "_test.go") {
			dirs[path.Dir(name)] = true
		}
	}
	for _, want := range []string{"sm3", "sm4", "internal/aescore", "internal/ghash", "internal/chachapoly", "internal/keccak", "frodokem", "sm2"} {
		if !dirs[want] {
			t.Errorf("%s has no drivers_*.go", want)
		}
	}
	for dir := range dirs {
		for _, goarch := range []string{"amd64", "386", "arm", "arm64", "riscv64", "ppc64le", "s390x", "mips", "loong64", "wasm"} {
			for _, tags := range [][]string{nil, {"purego"}} {
				ctx := build.Default
				ctx.GOOS, ctx.GOARCH, ctx.BuildTags, ctx.CgoEnabled = "linux", goarch, tags, false
				p, err := ctx.ImportDir("../../"+dir, 0)
				if err != nil {
					t.Errorf("%s on %s %v: %v", dir, goarch, tags, err)
					continue
				}
				n := 0
				for _, f := range p.GoFiles {
					if strings.HasPrefix(f, "drivers_") {
						n++
					}
				}
				if n != 1 {
					t.Errorf("%s on %s %v: %d files drivers_*.go, want 1", dir, goarch, tags, n)
				}
				if len(tags) > 0 && len(p.SFiles) > 0 {
					t.Errorf("%s on %s: assembly under the tag purego: %v", dir, goarch, p.SFiles)
				}
			}
		}
	}
}

// native are the features of the CPUs that CI runs on. Its step test requires all
// drivers for them that are in the list.
const native = cpu.AES | cpu.SSSE3 | cpu.PCLMULQDQ | cpu.AVX | cpu.AVX2 | cpu.BMI1 | cpu.BMI2 | cpu.ADX |
	cpu.AVX512 | cpu.AVX512IFMA | cpu.AVX512VNNI | cpu.GFNI | cpu.VAES | cpu.VPCLMULQDQ

// A driver that no machine of CI runs does not ship.
func TestDriversRunInCI(t *testing.T) {
	ci := read(t, "ci/machines.txt") + read(t, "ci/steps/table.go") + read(t, "ci/steps/test.go") + read(t, "ci/steps/machines.go")
	// The tables of other architectures, as far as they have rows in literals, and then those of
	// this one.
	row := regexp.MustCompile(`\{Name: "([a-z0-9-]+)"`)
	for _, name := range files(t, ".go") {
		if dir := path.Dir(name); strings.HasPrefix(path.Base(name), "drivers_") && !strings.HasSuffix(name, "_"+runtime.GOARCH+".go") &&
			!strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_amd64.go") { // the step test requires those
			pkg := strings.NewReplacer("chachapoly", "chacha20poly1305", "aescore", "aes").Replace(path.Base(dir))
			for _, m := range row.FindAllStringSubmatch(read(t, name), -1) {
				if !runs(ci, pkg+":"+m[1]) {
					t.Errorf("no machine of CI must run %s:%s of %s", pkg, m[1], name)
				}
			}
		}
	}
	missing := func(pkg string, rows []drivers.Info, listed bool) {
		for _, d := range rows {
			if name := pkg + ":" + d.Name; !runs(ci, name) && !(listed && d.Needs&^native == 0) {
				t.Errorf("no machine of CI must run %s", name)
			}
		}
	}
	missing("ghash", ghash.Drivers(), false)
	missing("keccak", keccak.Drivers(), false)
	for _, table := range drivers.List() {
		missing(table.Package(), table.Drivers(), true)
	}
}

// runs reports whether a driver is in the text.
func runs(text, driver string) bool {
	return regexp.MustCompile(regexp.QuoteMeta(driver) + `\b([^-]|$)`).MatchString(text)
}

// The catalog names every algorithm package, and everything in it is complete.
func TestCatalog(t *testing.T) {
	var packages []string
	for _, a := range catalog.All() {
		packages = append(packages, a.Package)
		constructors := 0
		for _, isSet := range []bool{a.Hash != nil, a.ECB != nil, a.BlockMode != nil, a.Stream != nil, a.Whole != nil, a.AEAD != nil, a.MAC != nil, a.Wrap != nil, a.KEM != nil, a.Signer != nil} {
			if isSet {
				constructors++
			}
		}
		if constructors != 1 {
			t.Errorf("%s: %d constructors, want 1", a.Name, constructors)
		}
		if a.Answer.Source == "" || len(a.Answer.Output) == 0 || a.Standard == "" {
			t.Errorf("%s: no known answer or no standard", a.Name)
		}
		if _, err := fs.Stat(root, a.Package+"/spec_test.go"); err != nil {
			t.Errorf("%s has no specification to test against: %v", a.Package, err)
		}
	}
	for _, table := range drivers.List() {
		if p := table.Package(); !slices.Contains(packages, p) {
			t.Errorf("package %s has drivers but is not in the catalog", p)
		}
		generic := table.Drivers()[0]
		if generic.Name != "generic" || generic.Needs != 0 {
			t.Errorf("%s: the first driver is %s and needs %v, want generic and nothing", table.Package(), generic.Name, generic.Needs)
		}
	}
}

// Imports go in one direction only, and the library needs nothing but
// golang.org/x/sys.
func TestImports(t *testing.T) {
	may := map[string][]string{ // of the module's own packages, outside tests
		"driver":               {"internal/drivers"},
		"internal/drivers":     {"internal/cpu", "internal/offload", "internal/rawfile", "internal/wrap"},
		"internal/cpu":         {"internal/rawfile"},
		"internal/alias":       {},
		"internal/clone":       {},
		"internal/fips":        {},
		"internal/tweaks":      {},
		"internal/offload":     {},
		"linux":                {"internal/fips", "internal/drivers", "internal/offload", "kcapi", "aes", "sm3", "sm4"},
		"internal/ghash":       {"internal/drivers", "internal/cpu", "internal/ghash/"},
		"sm3":                  {"internal/clone", "internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/cpu", "sm3/"},
		"sm2":                  {"internal/clone", "internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/cpu", "internal/pkix", "internal/wrap", "sm3", "sm2/"},
		"internal/pkix":        {"internal/wrap", "aes", "sm3", "sm4"},
		"internal/modes":       {"internal/clone", "internal/hidden", "internal/alias", "internal/ctgrind", "internal/ghash", "internal/offload", "internal/tweaks"},
		"sm4":                  {"internal/clone", "internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/cpu", "internal/alias", "internal/ghash", "internal/modes", "internal/offload", "sm4/"},
		"aes":                  {"internal/clone", "internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/cpu", "internal/alias", "internal/ghash", "internal/modes", "internal/offload", "internal/aescore"},
		"internal/aescore":     {"internal/drivers", "internal/cpu", "internal/ghash", "internal/offload", "internal/tweaks", "internal/aescore/"},
		"chunked":              {"internal/fips", "internal/hidden", "aes", "sm3", "sm4"},
		"kcapi":                {"internal/clone"},
		"internal/chachapoly":  {"internal/drivers", "internal/cpu", "internal/chachapoly/"},
		"chacha20":             {"internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/alias", "internal/chachapoly"},
		"chacha20poly1305":     {"internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/alias", "internal/chachapoly"},
		"internal/keccak":      {"internal/drivers", "internal/cpu", "internal/keccak/"},
		"frodokem":             {"internal/fips", "internal/hidden", "driver", "internal/drivers", "internal/cpu", "internal/keccak", "internal/aescore", "internal/pkix", "internal/wrap", "frodokem/"},
		"internal/catalog":     {"internal/drivers", "aes", "sm2", "sm3", "sm4", "chacha20", "chacha20poly1305", "frodokem"},
		"ci/choice":            {"internal/catalog", "internal/drivers", "internal/cpu", "ci/figures/data", "driver"},
		"internal/speed":       {},
		"internal/hidden":      {},
		"internal/rawfile":     {},
		"internal/wrap":        {},
		"internal/machine":     {},
		"internal/prove":       {"internal/machine", "internal/prove/"},
		"internal/prove/forms": {"internal/machine"},
		"internal/prove/spec":  {"internal/machine", "internal/prove/forms"},
	}
	for _, name := range files(t, ".go") {
		dir := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(dir, "_gen") || strings.HasPrefix(dir, "peers") || strings.HasPrefix(dir, "cmd") || strings.HasPrefix(dir, "examples") || strings.HasPrefix(dir, "dist") || dir == "ci/release/attest" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "../../"+name, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, spec := range f.Imports {
			p := strings.Trim(spec.Path.Value, `"`)
			own, isOwn := strings.CutPrefix(p, module+"/")
			if !isOwn {
				if strings.Contains(strings.Split(p, "/")[0], ".") && !strings.HasPrefix(p, "golang.org/x/sys/") {
					t.Errorf("%s imports %s", name, p)
				}
				continue
			}
			if allowed, ok := may[dir]; ok && !slices.ContainsFunc(allowed, func(a string) bool {
				return own == a || strings.HasSuffix(a, "/") && strings.HasPrefix(own, a)
			}) {
				t.Errorf("%s imports %s, which %s may not", name, own, dir)
			}
			if own == "internal/catalog" && may[dir] == nil {
				t.Errorf("%s imports the catalog, which links everything", name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:require |\t)([a-z0-9./-]+\.[a-z0-9./-]+) v`).FindAllStringSubmatch(read(t, "go.mod"), -1) {
		if m[1] != "golang.org/x/sys" {
			t.Errorf("go.mod requires %s", m[1])
		}
	}
}

// A package of the library brings only these packages of the standard library into
// programs, apart from internal ones: nothing comes along unseen. Package fmt is there
// for the type fmt.State and with crypto/rand; ci/sizes notices if it is linked.
func TestDependencies(t *testing.T) {
	const (
		base = "bytes cmp encoding/binary errors io io/fs iter maps math math/bits os path reflect runtime slices sort strconv " +
			"strings sync sync/atomic syscall time unicode unicode/utf16 unicode/utf8 unsafe"
		cipher = base + " crypto/cipher crypto/fips140 crypto/subtle fmt hash"
		random = cipher + " crypto crypto/rand math/big math/rand math/rand/v2"
		keys   = random + " crypto/des crypto/pbkdf2 crypto/sha1 crypto/sha256 crypto/sha3 crypto/sha512 encoding"
	)
	// Before Go 1.26, package fips asks crypto/rc4 for the mode, which imports math/rand/v2.
	old := !slices.Contains(build.Default.ReleaseTags, "go1.26")
	for name, may := range map[string]string{
		"driver":           base,
		"sm3":              base + " crypto/fips140 encoding fmt hash",
		"chacha20":         cipher,
		"chacha20poly1305": cipher,
		"aes":              random,
		"sm4":              random,
		"sm2":              keys,
		"frodokem":         keys,
	} {
		out, err := exec.Command("go", "list", "-deps", module+"/"+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.Lines(string(out)) {
			dep = strings.TrimSpace(dep)
			first, _, _ := strings.Cut(dep, "/")
			if strings.Contains(first, ".") || first == "internal" || strings.Contains(dep, "/internal/") || strings.HasPrefix(dep, "vendor/") {
				continue
			}
			if !slices.Contains(strings.Fields(may), dep) && !(old && (dep == "crypto/rc4" || dep == "math/rand/v2")) {
				t.Errorf("%s brings %s into programs", name, dep)
			}
		}
	}
}

// The go command rejects modules with other characters in file names.
func TestFileNames(t *testing.T) {
	for _, name := range files(t, "") {
		if !regexp.MustCompile(`^[A-Za-z0-9._/-]+$`).MatchString(name) {
			t.Errorf("%q: not a name for a file of a Go module", name)
		}
	}
}

// The origin of test data is documented beside it.
func TestSources(t *testing.T) {
	for _, name := range files(t, ".json", ".json.gz", ".rsp", ".txt", ".vec") {
		dir, base := path.Split(name)
		if !strings.HasSuffix(dir, "testdata/") {
			continue
		}
		if !strings.Contains(read(t, dir+"SOURCES"), base) {
			t.Errorf("%sSOURCES does not say where %s is from", dir, base)
		}
	}
}

// No file contains paths of the machine that it was written on.
func TestNoMachinePaths(t *testing.T) {
	path := regexp.MustCompile(`(?:^|[\s"'=(])/(?:home|root|work|Users)/\w`)
	for _, name := range files(t, ".go", ".s", ".md", ".txt", ".sh", "ci/run", "ci/install", "ci/generate", "go.mod", "SOURCES") {
		if m := path.FindString(read(t, name)); m != "" {
			t.Errorf("%s: path of a machine: %q", name, m)
		}
	}
}

// README contains these commands.
func TestReadmeCommands(t *testing.T) {
	readme := read(t, "README.md")
	for _, command := range []string{"go run ./cmd/cipherlane speed", "go test work"} {
		if !strings.Contains(readme, "\n"+command+"\n") {
			t.Errorf("README.md has no line %q", command)
		}
	}
}

// The version in profiles is that of the newest section of the changelog.
func TestVersion(t *testing.T) {
	newest := regexp.MustCompile(`(?m)^## (\S+)`).FindStringSubmatch(read(t, "CHANGELOG.md"))
	version := regexp.MustCompile(`(?m)^const version = "(.+)"$`).FindStringSubmatch(read(t, "internal/drivers/version.go"))
	if newest == nil || version == nil {
		t.Fatalf("no section %q or no version %q", newest, version)
	}
	want := newest[1]
	if want == "Unreleased" {
		want = "devel"
	}
	if version[1] != want {
		t.Errorf("internal/drivers/version.go has version %q, want %q", version[1], want)
	}
}

// docs/review.md has the lines of the files that it names, within a tenth.
func TestReviewLines(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| [1-9½]+ \\| (`.+`) \\| ([0-9]+) \\|").FindAllStringSubmatch(read(t, "docs/review.md"), -1)
	if len(rows) < 5 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		lines := 0
		for _, name := range strings.Fields(strings.ReplaceAll(row[1], "`", "")) {
			lines += strings.Count(read(t, name), "\n")
		}
		if n, _ := strconv.Atoi(row[2]); 10*n < 9*lines || 10*n > 11*lines {
			t.Errorf("%s have %d lines, not %d", row[1], lines, n)
		}
	}
}

// TestWorkflows: what a public host runs is pinned, and may read and no more, unless a job says what
// else it needs.
func TestWorkflows(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	list, err := fs.Glob(root, ".github/workflows/*.yml")
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	for _, name := range list {
		text := read(t, name)
		if !strings.Contains(text, "\npermissions:\n  contents: read\njobs:\n") {
			t.Errorf("%s: no permissions in front of its jobs", name)
		}
		if strings.Contains(text, "pull_request_target") {
			t.Errorf("%s: pull_request_target runs code of others with permissions", name)
		}
		for line := range strings.Lines(text) {
			if _, action, ok := strings.Cut(strings.TrimSpace(line), "uses: "); ok && !pinned.MatchString(action) {
				t.Errorf("%s: not pinned: %s", name, action)
			}
		}
	}
}
