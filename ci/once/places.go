//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// places says which files are whose.
type places struct {
	top     string   // the repository
	cwd     string   // below it
	cache   string   // of CI
	fixed   []string // named after their contents or version: the go command's caches, and Go itself
	golang  string   // the version of Go, and where it is
	private []string // files and folders of this run: temporary ones, and what -out names
	loader  string   // the dynamic loader's list of where libraries are
	listed  func() (map[string]string, error)
}

func newPlaces() (*places, error) {
	cwd, err := os.Getwd()
	if err == nil {
		cwd, err = filepath.EvalSymlinks(cwd) // as strace shows it
	}
	if err != nil {
		return nil, err
	}
	p := &places{cwd: cwd, loader: loaderCache}
	p.listed = sync.OnceValues(p.libraries)
	for p.top = cwd; ; p.top = filepath.Dir(p.top) {
		if _, err := os.Stat(filepath.Join(p.top, "go.work")); err == nil {
			break
		}
		if p.top == "/" {
			return nil, fmt.Errorf("%s is in no folder with a go.work", cwd)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	p.cache = filepath.Join(cache, "cipherlane-ci")
	text, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOROOT", "GOTELEMETRYDIR", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var env map[string]string
	if err := json.Unmarshal(text, &env); err != nil {
		return nil, err
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT", "GOTELEMETRYDIR"} {
		if env[name] != "" {
			p.fixed = append(p.fixed, real(env[name]))
		}
	}
	p.fixed = append(p.fixed, filepath.Join(real(cache), "staticcheck"))
	p.golang = env["GOVERSION"] + " " + env["GOROOT"]
	return p, nil
}

// name returns the name of a file in a result: from the top if it is in the repository,
// which may be elsewhere next time.
func (p *places) name(path string) string {
	if rel, ok := inside(path, p.top); ok {
		return "./" + rel
	}
	return path
}

// path is the reverse of name.
func (p *places) path(name string) string {
	if rel, ok := strings.CutPrefix(name, "./"); ok {
		return join(p.top, rel)
	}
	return name
}

func inside(path, dir string) (rel string, ok bool) {
	if path == dir {
		return ".", true
	}
	return strings.CutPrefix(path, dir+"/")
}

// real returns a path without symbolic links, as far as it exists.
func real(path string) string {
	rest := ""
	for dir := path; dir != ""; {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		i := strings.LastIndexByte(dir, '/')
		rest, dir = dir[i+1:]+"/"+rest, dir[:max(0, i)]
	}
	return filepath.Clean(path)
}

var (
	process  = regexp.MustCompile(`^/proc/(self|thread-self|[0-9]+)(/|$)`)
	volatile = regexp.MustCompile(`^(/dev(/|$)|/proc/(meminfo|stat|loadavg|uptime|mounts|sys/kernel/random/)|/sys/(fs/cgroup|kernel/mm/transparent_hugepage)(/|$))|^/(proc|sys|tmp)?$`)
	ofCPU    = regexp.MustCompile(`^(/proc/cpuinfo$|/sys/devices/system/(cpu|node)(/|$))`)
	ofOthers = regexp.MustCompile(`^(/tmp|/var/tmp|/dev/shm)/`) // temporary files
)

// A kind is what matters about a file.
type kind string

const (
	ignored  kind = ""
	contents kind = "contents" // of a folder: the names in it
	names    kind = "names"    // the same, of what was opened as a folder
	link     kind = "link"     // where it leads, if it is a symbolic link
	exists   kind = "exists"
	absent   kind = "absent"
	either   kind = "either" // whether it exists
	thisCPU  kind = "CPU"
	refused  kind = "refused"
	library  kind = "library" // where the dynamic loader finds it: the name has no folder
)

// loaderCache changes whenever a library is installed. A program that opens it depends only on what
// it says of the libraries that the program then opens, or looks for.
const loaderCache = "/etc/ld.so.cache"

var shared = regexp.MustCompile(`/([^/]+\.so(\.[^/]*)?)$`)

// libraries returns what the dynamic loader's cache has of each library: lines of ldconfig.
func (p *places) libraries() (map[string]string, error) {
	found := map[string]string{}
	if _, err := os.Stat(p.loader); err != nil {
		return found, nil // a system without it
	}
	text, err := exec.Command("/sbin/ldconfig", "-C", p.loader, "-p").Output()
	if err != nil {
		return nil, fmt.Errorf("ldconfig: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		name, where, _ := strings.Cut(strings.TrimSpace(line), " ")
		found[name] += where + "\n"
	}
	return found, nil
}

// own reports whether a file needs not be compared.
func (p *places) own(path string) bool {
	for _, dir := range slices.Concat(p.fixed, p.private) {
		if _, ok := inside(path, dir); ok {
			return true
		}
	}
	return false
}

// classify returns what is to be recorded of a file that was used in some way, or refused
// with a reason why it cannot be.
func (p *places) classify(path string, k kind) (kind, string) {
	switch {
	case k == library:
		return k, ""
	case path == loaderCache && k == contents:
		return ignored, ""
	}
	if strings.Contains(path, "/../") || !ofKernel.MatchString(path) {
		named := path
		if path = real(path); k == link { // its own place, not that of its target
			i := strings.LastIndexByte(named, '/')
			path = filepath.Join(real(named[:max(1, i)]), named[i+1:])
		}
		// A link in the repository that leads to a cache can be changed.
		if _, ok := inside(named, p.top); p.own(path) && (!ok || p.own(named)) {
			return ignored, ""
		}
	}
	git := filepath.Join(p.top, ".git")
	_, ours := inside(path, p.top)
	if _, above := inside(p.top, path); above && k == exists {
		ours = true
	}
	switch {
	case path == git && k != contents && k != names:
		return ignored, "" // a folder, or a file in work trees
	case path == git || strings.HasPrefix(path, git+"/"):
		return refused, "reads .git"
	case ours || k == absent && ofOthers.MatchString(path):
		return k, ""
	case ofOthers.MatchString(path):
		return refused, "reads " + path
	case process.MatchString(path), volatile.MatchString(path):
		return ignored, ""
	case ofCPU.MatchString(path):
		return thisCPU, ""
	}
	return k, ""
}

// gone is the fingerprint of what does not exist.
const gone = "absent"

// fingerprint returns what is compared of an input.
func (p *places) fingerprint(path string, k kind) (string, error) {
	switch k {
	case thisCPU:
		return cpu(), nil
	case library:
		found, err := p.listed()
		return found[path], err
	case link:
		target, err := os.Readlink(path)
		if err == nil {
			return "leads to " + target, nil
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return gone, nil
	}
	mode := info.Mode().String() // a test may need permissions
	switch {
	case k != contents && k != names:
		return mode, nil
	case info.IsDir():
		return p.names(path)
	case info.Mode()&(fs.ModeType&^fs.ModeCharDevice&^fs.ModeDevice) != 0:
		return "", fmt.Errorf("reads %s, which is not a file", path)
	case !info.Mode().IsRegular():
		return mode, nil
	}
	sum, err := hash(path)
	return mode + " " + sum, err
}

// names returns a hash of the names in a folder.
func (p *places) names(path string) (string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range entries {
		if path == p.top && (e.Name() == ".git" || !e.IsDir() && strings.HasPrefix(e.Name(), ".")) {
			continue
		}
		fmt.Fprintf(h, "%q %v\n", e.Name(), e.Type()&fs.ModeType)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// touched reports whether a file, or the link to it, was changed after a time. The time
// of the inode counts: programs can set that of the contents.
func touched(path string, since time.Time) bool {
	if ofKernel.MatchString(path) {
		return false // its inode is as old as the last look at it
	}
	var s syscall.Stat_t
	for _, stat := range []func(string, *syscall.Stat_t) error{syscall.Stat, syscall.Lstat} {
		if stat(path, &s) == nil && time.Unix(s.Ctim.Unix()).After(since) {
			return true
		}
	}
	return false
}

func hash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
