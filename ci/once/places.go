//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// places says which files are whose.
type places struct {
	top     string   // the repository
	cwd     string   // below it
	cache   string   // of CI
	fixed   []string // named after their contents or version: the go command's caches, and Go itself
	private []string // folders of this run for temporary files
}

func newPlaces() (*places, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p := &places{cwd: cwd}
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
	text, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOROOT", "GOTELEMETRYDIR").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var env map[string]string
	if err := json.Unmarshal(text, &env); err != nil {
		return nil, err
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT", "GOTELEMETRYDIR"} {
		if env[name] != "" {
			p.fixed = append(p.fixed, env[name])
		}
	}
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
		return filepath.Join(p.top, rel)
	}
	return name
}

func inside(path, dir string) (rel string, ok bool) {
	if path == dir {
		return ".", true
	}
	return strings.CutPrefix(path, dir+"/")
}

var (
	process  = regexp.MustCompile(`^/proc/(self|thread-self|[0-9]+)(/|$)`)
	volatile = regexp.MustCompile(`^(/dev(/|$)|/proc/(meminfo|stat|loadavg|uptime|mounts|sys/kernel/random/)|/sys/(fs/cgroup|kernel/mm/transparent_hugepage)(/|$))|^/(proc|sys|tmp)?$`)
	ofCPU    = regexp.MustCompile(`^(/proc/cpuinfo$|/sys/devices/system/(cpu|node)(/|$))`)
)

// A kind is what matters about a file.
type kind string

const (
	ignored  kind = ""
	contents kind = "contents"
	names    kind = "names" // of the entries of a folder
	exists   kind = "exists"
	absent   kind = "absent"
	thisCPU  kind = "CPU"
	refused  kind = "refused"
)

// classify returns what is to be recorded of a file that was used in some way, or refused
// with a reason why it cannot be.
func (p *places) classify(path string, k kind) (kind, string) {
	for _, dir := range slices.Concat(p.fixed, p.private) {
		if _, ok := inside(path, dir); ok {
			return ignored, ""
		}
	}
	git := filepath.Join(p.top, ".git")
	switch {
	case process.MatchString(path), volatile.MatchString(path):
		return ignored, ""
	case ofCPU.MatchString(path):
		return thisCPU, ""
	case path == git && k != contents:
		return ignored, "" // a folder, or a file in work trees
	case path == git || strings.HasPrefix(path, git+"/"):
		return refused, "reads .git"
	}
	if _, ok := inside(path, p.top); ok {
		return k, ""
	}
	if _, ok := inside(path, "/tmp"); ok && k != absent {
		return refused, "reads " + path
	}
	return k, ""
}

// fingerprint returns what is compared of an input.
func (p *places) fingerprint(path string, k kind) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return string(absent), nil
	}
	switch {
	case k == thisCPU:
		return cpu(), nil
	case k == absent:
		return string(exists), nil
	case info.IsDir() && k == names:
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
	case info.IsDir(), k == exists:
		return string(exists), nil
	case !info.Mode().IsRegular():
		return info.Mode().Type().String(), nil
	}
	return hash(path)
}

func hash(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// cpu describes the CPU: model and features, according to Linux.
func cpu() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	var kept []string
	for line := range strings.Lines(string(text)) {
		if line == "\n" {
			break // the others are the same
		}
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "vendor_id", "cpu family", "model", "model name", "stepping", "flags", "isa", "Features", "CPU implementer", "CPU part":
			kept = append(kept, strings.TrimSpace(value))
		}
	}
	return strings.Join(kept, "; ")
}

// kernel describes the kernel of Linux.
func kernel() string {
	var u syscall.Utsname
	syscall.Uname(&u)
	text := make([]byte, 0, 130)
	for _, c := range slices.Concat(u.Release[:], u.Version[:]) {
		if c != 0 {
			text = append(text, byte(c))
		}
	}
	return string(text)
}

// neutral matches variables that say where things are, or how to show them. What they
// lead to is seen when it is read.
var neutral = regexp.MustCompile(`^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TERM|COLUMNS|TMPDIR|XDG_\w+|GOCACHE|GOMODCACHE|GOPATH|GOPROXY|GOSUMDB|GONOSUMDB|GONOPROXY|GOPRIVATE|GOENV|GOTMPDIR|GOROOT|GOINSECURE|GOVCS|GOAUTH|SSL_CERT_\w+|\w*_(proxy|PROXY)|ONCE_\w+|CI_FRESH|CHECKS|PIP_\w+|DEBIAN_FRONTEND)$`)

// hashed matches variables that are part of the key.
var hashed = regexp.MustCompile(`^(GO\w*|CGO_\w+|CC|CXX|AR|LANG|LC_\w+|TZ|CI|QEMU_\w+|CIPHERLANE\w*|KCAPI_\w+|LINUX_\w+|VALGRIND\w*|FUZZ_\w+|MACHINES)$`)

// environment returns the variables that the command gets.
func (p *places) environment(o options) (list []string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if o.exec || neutral.MatchString(name) || hashed.MatchString(name) || slices.Contains(o.env, name) {
			list = append(list, v)
		}
	}
	return list
}

// key returns the hash of what is known about a command before it runs.
func (p *places) key(o options, environment []string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = hash(self)
	}
	if err != nil {
		return "", err
	}
	k := []string{"once " + self, runtime.Version(), p.name(p.cwd), fmt.Sprint(o.exec, o.guest, o.native, len(o.out))}
	for _, v := range slices.Sorted(slices.Values(environment)) {
		name, value, _ := strings.Cut(v, "=")
		if !neutral.MatchString(name) && (hashed.MatchString(name) || slices.Contains(o.env, name)) {
			k = append(k, name+"="+strings.ReplaceAll(value, p.top, "."))
		}
	}
	if o.native {
		k = append(k, cpu(), kernel())
	}
	binary := -1
	if o.exec {
		binary = testBinary(o.command)
	}
	k = append(k, "command")
	for i, a := range o.command {
		switch {
		case i == binary:
			if a, err = hash(a); err != nil {
				return "", err
			}
		case i > binary && o.exec && irrelevant.MatchString(a):
			continue
		case o.guest && i < binary && strings.HasPrefix(a, "/"):
			// Of a guest nothing is traced, so that its files are those that are named.
			if a, err = p.named(a); err != nil {
				return "", err
			}
		default:
			a = strings.ReplaceAll(a, p.top, ".")
		}
		k = append(k, a)
	}
	text, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// irrelevant matches flags of test binaries that change no result.
var irrelevant = regexp.MustCompile(`^-test\.(timeout|testlogfile|paniconexit0)\b`)

// named returns a hash of a file or folder that a command names.
func (p *places) named(path string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		// Folders of emulators and their libraries have 200 MB: size and time will do there.
		sum := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		if path == p.path(path) && info.Size() < 64<<20 {
			if sum, err = hash(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(h, "%s %s\n", filepath.Base(path), sum)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
