// Release makes everything of a release, twice, in different folders, and compares the bytes.
//
//	go run ./ci/release v0.1.0                                   into the folder release
//	go run ./ci/release -o DIR -targets linux/amd64,linux/armv7 v0.1.0
//	go run ./ci/release -quick -targets linux/amd64 v0.1.0       with the usual build cache
//	go run ./ci/release -sbom PROGRAM [VERSION]                  of what dist/build made, or any Go program
//
// In each of two copies of what is committed, the modules get the version as CONTRIBUTING
// describes: the number in internal/drivers/version.go, the heading in the changelog, and in the
// go.mod of the command a requirement in place of the replace line. A module proxy of files has
// the library and the command, and from it "go install" makes the programs, with the options that
// the texts tell packagers, and "go get" adds the library to a program that calls it.
//
// The folder has then, for each target, an archive of the program, its manual page, completions
// and licence, and its SBOM (CycloneDX), in which modules with replaced packages are marked;
// SHA256SUMS; the provenance, an in-toto statement; and the changelog's section. Packages and
// images are made by dist/build-deb and dist/build-image. Nothing is signed, tagged or uploaded:
// dist/README.md has the steps that follow.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	library = "github.com/cipherlane/cipherlane"
	command = library + "/cmd/cipherlane"
)

// allTargets are those that have an archive. Arm's have the version in GOARCH's place.
const allTargets = "linux/amd64,linux/arm64,linux/armv7,linux/armv6,linux/riscv64,linux/mipsle,linux/mips," +
	"openbsd/amd64,openbsd/arm64,openbsd/riscv64,freebsd/amd64,freebsd/arm64,netbsd/amd64,netbsd/arm64," +
	"darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("o", "release", "folder to make")
	targets := flag.String("targets", allTargets, "targets, separated by commas")
	quick := flag.Bool("quick", false, "use the build cache, in which the second time finds what the first compiled")
	sbom := flag.String("sbom", "", "print the SBOM of this program, and do nothing else")
	flag.Parse()
	var err error
	switch {
	case *sbom != "":
		err = printSBOM(*sbom, flag.Arg(0))
	case flag.NArg() != 1 || !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(flag.Arg(0)):
		err = errors.New("want one version, such as v0.1.0")
	default:
		err = run(*out, flag.Arg(0), strings.Split(*targets, ","), *quick)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A release is what all of its artefacts have in common.
type release struct {
	version, commit string
	time            time.Time
	targets         []string
	quick           bool
}

func run(out, version string, targets []string, quick bool) error {
	for _, t := range targets {
		if !slices.Contains(strings.Split(allTargets, ","), t) {
			return fmt.Errorf("there is no target %s; there are: %s", t, strings.ReplaceAll(allTargets, ",", ", "))
		}
	}
	if _, err := os.Stat(out); err == nil {
		return fmt.Errorf("%s: exists; remove it, or name another folder with -o", out)
	}
	r := release{version: version, targets: targets, quick: quick}
	log, err := execute("", nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(log), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.commit, r.time = commit, time.Unix(n, 0).UTC()

	status, err := execute("", nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		lines := strings.Split(strings.TrimSuffix(status, "\n"), "\n")
		text := "not committed: " + lines[0][3:]
		if n := len(lines) - 1; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		if !quick {
			return errors.New(text + "; commit or remove what is not to be released")
		}
		fmt.Fprintln(os.Stderr, text+"; left out")
	}

	part := out + ".part"
	if err := os.Mkdir(part, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	remove := func() { os.RemoveAll(part); os.RemoveAll(work) }
	defer remove()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		remove()
		os.Exit(1)
	}()
	var artefacts [2]map[string][]byte
	for i, dir := range []string{"a", "another/folder"} {
		if artefacts[i], err = r.make(filepath.Join(work, dir)); err != nil {
			return err
		}
	}
	if err := compare(artefacts[0], artefacts[1]); err != nil {
		return err
	}
	for _, name := range sorted(artefacts[0]) {
		if err := os.WriteFile(filepath.Join(part, name), artefacts[0][name], 0o666); err != nil {
			return err
		}
		fmt.Printf("%9d %x %s\n", len(artefacts[0][name]), sha256.Sum256(artefacts[0][name]), name)
	}
	fmt.Printf("the same twice: %d files\n", len(artefacts[0]))
	return os.Rename(part, out)
}

func compare(one, two map[string][]byte) error {
	if a, b := sorted(one), sorted(two); !slices.Equal(a, b) {
		return fmt.Errorf("not the same files twice: %v and %v", a, b)
	}
	for _, name := range sorted(one) {
		if !bytes.Equal(one[name], two[name]) {
			return fmt.Errorf("%s: not the same bytes twice", name)
		}
	}
	return nil
}

func sorted(files map[string][]byte) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// make makes all artefacts in a folder, and returns them.
func (r *release) make(dir string) (map[string][]byte, error) {
	source := filepath.Join(dir, "source")
	if err := r.copySource(source); err != nil {
		return nil, err
	}
	notes, err := r.setVersion(source)
	if err != nil {
		return nil, err
	}
	env, err := r.proxy(dir, source)
	if err != nil {
		return nil, err
	}
	if err := r.tryLibrary(filepath.Join(dir, "program"), env); err != nil {
		return nil, err
	}

	// For this machine, to print texts.
	native, err := r.install(dir, env, "")
	if err != nil {
		return nil, err
	}
	common := map[string][]byte{"CHANGELOG.md": notes}
	if common["LICENSE"], err = os.ReadFile(filepath.Join(source, "LICENSE")); err != nil {
		return nil, err
	}
	for name, args := range map[string][]string{
		"cipherlane.1":                {"man"},
		"completions/cipherlane":      {"completion", "bash"},
		"completions/_cipherlane":     {"completion", "zsh"},
		"completions/cipherlane.fish": {"completion", "fish"},
	} {
		text, err := execute("", nil, native, args...)
		if err != nil {
			return nil, err
		}
		common[name] = []byte(text)
	}

	artefacts := map[string][]byte{"CHANGES.md": notes}
	for _, target := range r.targets {
		fmt.Fprintf(os.Stderr, "%s in %s\n", target, dir)
		program, err := r.install(dir, env, target)
		if err != nil {
			return nil, err
		}
		name := "cipherlane_" + strings.TrimPrefix(r.version, "v") + "_" + strings.ReplaceAll(target, "/", "_")
		pack, ext := packTar, ".tar.gz"
		if strings.HasPrefix(target, "windows/") {
			pack, ext = packZip, ".zip"
		}
		files := map[string][]byte{}
		for n, text := range common {
			files[n] = text
		}
		if files[filepath.Base(program)], err = os.ReadFile(program); err != nil {
			return nil, err
		}
		if artefacts[name+ext], err = pack(name, files, filepath.Base(program), r.time); err != nil {
			return nil, err
		}
		if artefacts[name+".cdx.json"], err = sbomOf(program, name+ext, r.version, artefacts[name+ext], r.time); err != nil {
			return nil, err
		}
	}
	if artefacts["provenance.intoto.json"], err = r.provenance(artefacts, native); err != nil {
		return nil, err
	}
	var sums bytes.Buffer
	for _, name := range sorted(artefacts) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(artefacts[name]), name)
	}
	artefacts["SHA256SUMS"] = sums.Bytes()
	return artefacts, nil
}

// copySource copies what is committed.
func (r *release) copySource(to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	top, err := execute("", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	text, err := execute(strings.TrimSpace(top), nil, "git", "archive", r.commit)
	if err != nil {
		return err
	}
	for t := tar.NewReader(strings.NewReader(text)); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Join(to, filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(name, 0o777)
		case tar.TypeReg:
			var b []byte
			if b, err = io.ReadAll(t); err == nil {
				err = os.WriteFile(name, b, h.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			return err
		}
	}
}

// setVersion gives the copy its version and returns the newest section of the changelog. A copy
// of a tagged commit has it already.
func (r *release) setVersion(source string) (notes []byte, err error) {
	edit := func(name, pattern, replacement string) (string, error) {
		name = filepath.Join(source, filepath.FromSlash(name))
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		at := regexp.MustCompile(pattern).FindIndex(b)
		if at == nil {
			return "", fmt.Errorf("%s: nothing is like %s", name, pattern)
		}
		text := string(b[:at[0]]) + replacement + string(b[at[1]:])
		return text, os.WriteFile(name, []byte(text), 0o666)
	}
	quoted := regexp.QuoteMeta(r.version)
	if _, err = edit("internal/drivers/version.go", `const version = "(devel|`+quoted+`)"`, fmt.Sprintf("const version = %q", r.version)); err != nil {
		return nil, err
	}
	text, err := edit("CHANGELOG.md", `(?m)^## (Unreleased|`+quoted+`)$`, "## "+r.version)
	if err != nil {
		return nil, err
	}
	section := regexp.MustCompile(`(?ms)^## ` + quoted + `\n.*?(^## |\z)`).FindString(text)
	return []byte(strings.TrimSuffix(section, "## ")), nil
}

// proxy makes a module proxy of files with the library and the command, and returns the
// environment in which the go command uses it, with caches of its own.
func (r *release) proxy(dir, source string) ([]string, error) {
	proxy := filepath.Join(dir, "proxy")
	sums, err := r.addModule(proxy, library, source)
	if err != nil {
		return nil, err
	}
	// The command requires the library as others do.
	at := filepath.Join(source, "cmd", "cipherlane")
	if _, err := execute(at, []string{"GOWORK=off"}, "go", "mod", "edit", "-dropreplace="+library, "-require="+library+"@"+r.version); err != nil {
		return nil, err
	}
	name := filepath.Join(at, "go.sum")
	old, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(old), sums) {
		if err := os.WriteFile(name, append([]byte(sums), old...), 0o666); err != nil {
			return nil, err
		}
	}
	if _, err := r.addModule(proxy, command, at); err != nil {
		return nil, err
	}
	theirs, err := execute("", nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, others, _ := strings.Cut(strings.TrimSpace(theirs), "\n")
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + cache + "/cache/download," + others,
		"GONOSUMDB=" + library + "," + library + "/*",
		"GOPATH=" + filepath.Join(dir, "gopath"), "GOMODCACHE=" + filepath.Join(dir, "gopath", "pkg", "mod"),
		"GOFLAGS=-modcacherw", "GOWORK=off", "CGO_ENABLED=0", "GOBIN=",
	}
	if !r.quick {
		env = append(env, "GOCACHE="+filepath.Join(dir, "gocache"))
	}
	return env, nil
}

// addModule adds a module to the proxy and returns its lines of go.sum.
func (r *release) addModule(proxy, module, dir string) (sums string, err error) {
	var names []string
	err = filepath.WalkDir(dir, func(file string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != dir {
				return filepath.SkipDir // another module
			}
			return nil
		}
		name, err := filepath.Rel(dir, file)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return "", err
	}
	if !slices.Contains(names, "LICENSE") { // of the repository, as the go command has it
		names = append(names, "LICENSE")
	}
	slices.Sort(names)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	list := sha256.New()
	prefix := module + "@" + r.version + "/"
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if name == "LICENSE" && errors.Is(err, os.ErrNotExist) {
			text, err = os.ReadFile(filepath.Join(dir, "..", "..", "LICENSE"))
		}
		if err != nil {
			return "", err
		}
		w, err := z.Create(prefix + name)
		if err != nil {
			return "", err
		}
		if _, err := w.Write(text); err != nil {
			return "", err
		}
		fmt.Fprintf(list, "%x  %s\n", sha256.Sum256(text), prefix+name)
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	modSum := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256(mod)))
	at := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return "", err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{r.version, r.time})
	if err != nil {
		return "", err
	}
	for name, text := range map[string][]byte{r.version + ".info": info, r.version + ".mod": mod, r.version + ".zip": b.Bytes(), "list": []byte(r.version + "\n")} {
		if err := os.WriteFile(filepath.Join(at, name), text, 0o666); err != nil {
			return "", err
		}
	}
	// "h1:" as golang.org/x/mod/sumdb/dirhash defines it.
	return fmt.Sprintf("%s %s h1:%s\n%[1]s %[2]s/go.mod h1:%[4]s\n", module, r.version,
		base64.StdEncoding.EncodeToString(list.Sum(nil)), base64.StdEncoding.EncodeToString(modSum[:])), nil
}

// tryLibrary adds the library to a program, as its users do.
func (r *release) tryLibrary(dir string, env []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	program := "package main\n\nimport \"" + library + "/sm3\"\n\nfunc main() { h := sm3.Sum([]byte(\"abc\")); print(h[0]) }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "init", "example.com/program"}, {"get", library + "@" + r.version}, {"mod", "tidy"}, {"build", "-o", "program"}} {
		if _, err := execute(dir, env, "go", args...); err != nil {
			return err
		}
	}
	return nil
}

// install runs "go install" for a target, or for this machine, and returns the program.
func (r *release) install(dir string, env []string, target string) (string, error) {
	env = slices.Clone(env)
	if target == "" {
		env = append(env, "GOBIN="+filepath.Join(dir, "native"), "GOOS=", "GOARCH=")
	} else {
		goos, arch, _ := strings.Cut(target, "/")
		if version, ok := strings.CutPrefix(arch, "armv"); ok {
			arch = "arm"
			env = append(env, "GOARM="+version)
		}
		env = append(env, "GOOS="+goos, "GOARCH="+arch, "GOMIPS=softfloat")
	}
	if _, err := execute(dir, env, "go", "install", "-trimpath", "-ldflags=-s -w -buildid=", command+"@"+r.version); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "native", "cipherlane")
	if target == "" {
		return program, nil
	}
	return findProgram(filepath.Join(dir, "gopath", "bin"), target)
}

// findProgram finds what "go install" made last, and moves it away from the next target's.
func findProgram(bin, target string) (string, error) {
	goos, arch, _ := strings.Cut(target, "/")
	name := "cipherlane"
	if goos == "windows" {
		name += ".exe"
	}
	if strings.HasPrefix(arch, "armv") {
		arch = "arm"
	}
	to := filepath.Join(bin, strings.ReplaceAll(target, "/", "_")+".made", name)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", err
	}
	err := os.Rename(filepath.Join(bin, goos+"_"+arch, name), to)
	if errors.Is(err, os.ErrNotExist) { // this machine's own
		err = os.Rename(filepath.Join(bin, name), to)
	}
	return to, err
}

func packTar(top string, files map[string][]byte, program string, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, name := range sorted(files) {
		mode := int64(0o644)
		if name == program {
			mode = 0o755
		}
		if err := t.WriteHeader(&tar.Header{Name: path.Join(top, name), Mode: mode, Size: int64(len(files[name])), ModTime: date, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := t.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err = errors.Join(t.Close(), z.Close())
	return b.Bytes(), err
}

func packZip(top string, files map[string][]byte, program string, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range sorted(files) {
		h := &zip.FileHeader{Name: path.Join(top, name), Method: zip.Deflate, Modified: date}
		h.SetMode(0o644)
		if name == program {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// execute runs a command and returns what it prints.
func execute(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args[:min(2, len(args))], " "), err, strings.TrimSpace(stderr.String()))
	}
	return string(out), err
}

// provenance is an in-toto statement about artefacts, with SLSA's predicate.
func (r *release) provenance(artefacts map[string][]byte, program string) ([]byte, error) {
	type digest map[string]string
	type subject struct {
		Name   string `json:"name"`
		Digest digest `json:"digest"`
	}
	type dependency struct {
		URI    string `json:"uri"`
		Digest digest `json:"digest,omitempty"`
	}
	var subjects []subject
	for _, name := range sorted(artefacts) {
		subjects = append(subjects, subject{name, digest{"sha256": fmt.Sprintf("%x", sha256.Sum256(artefacts[name]))}})
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":          "https://" + library + "/tree/main/ci/release",
				"externalParameters": map[string]any{"version": r.version, "targets": r.targets},
				"resolvedDependencies": []dependency{
					{"git+https://" + library, digest{"gitCommit": r.commit}},
					{"pkg:golang/toolchain@" + info.GoVersion, nil},
				},
			},
			// The signature says who ran it.
			"runDetails": map[string]any{"builder": map[string]any{"id": "https://" + library + "/tree/main/ci/release"}},
		},
	}, "", "  ")
}

func printSBOM(name, version string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	b, err := sbomOf(name, filepath.Base(name), version, text, time.Time{})
	if err == nil {
		_, err = os.Stdout.Write(append(b, '\n'))
	}
	return err
}

// A component of a CycloneDX SBOM.
type component struct {
	Type       string              `json:"type"`
	Ref        string              `json:"bom-ref"`
	Name       string              `json:"name"`
	Version    string              `json:"version,omitempty"`
	PURL       string              `json:"purl,omitempty"`
	Hashes     []map[string]string `json:"hashes,omitempty"`
	Pedigree   map[string]string   `json:"pedigree,omitempty"`
	Properties []map[string]string `json:"properties,omitempty"`
}

// sbomOf returns the SBOM of an artefact, from what the go command recorded in its program. It
// recorded the version, too, if the program was not built in a directory of its source.
func sbomOf(program, name, version string, text []byte, date time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	module := func(path, version, sum string) component {
		c := component{Type: "library", Ref: path + "@" + version, Name: path, Version: version, PURL: "pkg:golang/" + path + "@" + version}
		if sum != "" {
			c.Properties = []map[string]string{{"name": "go.sum", "value": sum}}
		}
		return c
	}
	// Packages that "cipherlane go" replaced are marked.
	replaced := func(c *component, what string) {
		c.Pedigree = map[string]string{"notes": what + " replaced by " + library + " (cipherlane go)"}
		c.Properties = append(c.Properties, map[string]string{"name": "cipherlane:replaced", "value": what})
	}
	var list []component
	for _, m := range info.Deps {
		c := module(m.Path, m.Version, m.Sum)
		if m.Replace != nil && m.Path != library {
			c = module(m.Path, m.Version, m.Replace.Sum)
			if strings.Contains(m.Replace.Path, "cipherlane-go/") || strings.Contains(m.Replace.Path, "./cipherlane/") {
				replaced(&c, "packages of "+m.Path)
			}
		}
		list = append(list, c)
	}
	std := module("std", strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, s := range info.Settings {
		if s.Key == "-tags" && strings.Contains(s.Value, "cipherlane.") {
			replaced(&std, "AES and ChaCha20-Poly1305")
		}
	}
	list = append(list, std)
	slices.SortFunc(list, func(a, b component) int { return cmp.Compare(a.Name, b.Name) })
	if version == "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	purl := "pkg:golang/" + info.Main.Path
	if version != "" {
		purl += "@" + version
	}
	metadata := map[string]any{"component": component{
		Type: "application", Ref: name, Name: name, Version: version, PURL: purl,
		Hashes: []map[string]string{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(text))}},
	}}
	if !date.IsZero() {
		metadata["timestamp"] = date.Format(time.RFC3339)
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": metadata, "components": list,
	}, "", "  ")
}
