//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// neutral matches variables that say where things are that are known by their contents,
// or how to show them.
var neutral = regexp.MustCompile(`^(USER|LOGNAME|SHELL|PWD|TERM|COLUMNS|TMPDIR|XDG_(CACHE_HOME|RUNTIME_DIR|SESSION_\w+)|GOCACHE|GOMODCACHE|GOTMPDIR|GOPROXY|GOSUMDB|GONOSUMDB|GONOPROXY|GOPRIVATE|GOINSECURE|GOVCS|GOAUTH|SSL_CERT_\w+|\w*_(proxy|PROXY)|ONCE_\w+|CI_FRESH|CI_ONCE|CHECKS|PIP_\w+|DEBIAN_FRONTEND)$`)

// hashed matches variables that are part of the key. Another PATH or HOME leads to other
// files than those that were seen.
var hashed = regexp.MustCompile(`^(PATH|HOME|XDG_(CONFIG|DATA)_\w+|GO\w*|CGO_\w+|CC|CXX|AR|LANG|LC_\w+|TZ|CI|QEMU_\w+|CIPHERLANE\w*|KCAPI_\w+|LINUX_\w+|VALGRIND\w*|FUZZ_\w+|MACHINES|LD_\w+|GLIBC_TUNABLES|MALLOC_\w+|PYTHON\w*|PERL\w*|BASH_ENV|ENV|POSIXLY_CORRECT)$`)

// noise matches variables that shells and terminals set anew.
var noise = regexp.MustCompile(`^(_|OLDPWD|SHLVL|SSH_\w+|WINDOWID|TERM_\w+)$`)

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
	self, err := hash("/proc/self/exe")
	if err != nil {
		return "", err
	}
	k := []string{"once " + self, runtime.Version(), p.golang, kernel(), fmt.Sprint(os.Getuid()), p.name(p.cwd),
		fmt.Sprint(o.exec, o.guest, o.native, len(o.out))}
	for _, v := range slices.Sorted(slices.Values(environment)) {
		name, value, _ := strings.Cut(v, "=")
		if !neutral.MatchString(name) && (hashed.MatchString(name) || slices.Contains(o.env, name)) {
			k = append(k, name+"="+strings.ReplaceAll(value, p.top, "."))
		}
	}
	if o.native {
		k = append(k, cpu())
	}
	if o.all {
		sum, err := p.repository()
		if err != nil {
			return "", err
		}
		k = append(k, "repository "+sum)
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
		case slices.Contains(o.out, a):
			a = fmt.Sprint("output ", slices.Index(o.out, a))
		case o.untraced() && i < binary:
			if a, err = p.named(a, i == 0); err != nil {
				return "", err
			}
		default:
			a = strings.ReplaceAll(a, p.top, ".")
		}
		k = append(k, a)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", k))
	return hex.EncodeToString(sum[:]), nil
}

// repository returns a hash of all files of the repository, without .git.
func (p *places) repository() (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(p.top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if file == filepath.Join(p.top, ".git") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := ""
		switch mode := info.Mode(); {
		case mode.IsRegular():
			sum, err = hash(file)
		case mode&fs.ModeSymlink != 0:
			sum, err = os.Readlink(file)
		}
		fmt.Fprintf(h, "%q %v %s\n", p.name(file), info.Mode(), sum)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// irrelevant matches flags of test binaries that change no result.
var irrelevant = regexp.MustCompile(`^-test\.(timeout|testlogfile|paniconexit0)\b`)

// named returns an argument, with a hash of the file or folder that it names: where
// nothing is traced, these are all files that are known.
func (p *places) named(a string, program bool) (string, error) {
	path := a
	if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
		path = value
	}
	if program {
		found, err := exec.LookPath(a)
		if err != nil {
			return "", err
		}
		path = found
	}
	a = strings.ReplaceAll(a, p.top, ".")
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return a, nil // text
	}
	h := sha256.New()
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			sum, err = os.Readlink(file)
		case file == path && info.Mode().IsRegular():
			sum, err = hash(file)
		case info.Mode().IsRegular(): // folders of emulators have 200 MB
			sum = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		fmt.Fprintf(h, "%q %v %s\n", strings.TrimPrefix(file, path), info.Mode(), sum)
		return err
	})
	return a + " " + hex.EncodeToString(h.Sum(nil)), err
}

// others returns a hash of the variables that are neither in the key nor without meaning.
func (o *options) others(environment []string) string {
	h := sha256.New()
	for _, v := range slices.Sorted(slices.Values(environment)) {
		name, _, _ := strings.Cut(v, "=")
		if !neutral.MatchString(name) && !hashed.MatchString(name) && !noise.MatchString(name) {
			fmt.Fprintf(h, "%q\n", v)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
