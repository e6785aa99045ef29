//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A result is a run that passed.
type result struct {
	Date      time.Time
	Inputs    []input
	Variables map[string]string // that the test asked for, of those that are not in the key
	Others    string            // a hash of all others, if other programs may have read them
	Output    []byte
	Files     [][]byte // of -out
	CPU       float64  // seconds that the run took

	never string // why it is not to be remembered
}

// An input is a file that the run depends on.
type input struct {
	Name  string
	Kind  kind
	Value string
}

// collect fills in what was seen.
func (r *result) collect(p *places, s *seen) {
	if r.never = s.never; r.never != "" {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(s.written)) {
		if path = real(path); p.own(path) {
			continue
		}
		if _, ok := inside(path, p.top); ok {
			r.never = "writes " + p.name(path)
			return
		}
	}
	done := map[input]bool{}
	for _, u := range s.used {
		k, reason := p.classify(u.path, u.kind)
		in := input{Name: p.name(u.path), Kind: k}
		if k == thisCPU {
			in.Name = "CPU"
		}
		if k == ignored || done[in] {
			continue
		}
		done[in] = true
		value, err := p.fingerprint(u.path, k)
		switch {
		case k == refused:
			r.never = reason
		case err != nil:
			r.never = err.Error()
		case !utf8.ValidString(in.Name): // JSON would change it
			r.never = fmt.Sprintf("reads %q", in.Name)
		case k == absent && value != gone:
			r.never = in.Name + " came during the run"
		case k != absent && k != either && value == gone:
			r.never = in.Name + " went during the run"
		case (k == contents || k == names || k == link) && touched(u.path, r.Date):
			r.never = in.Name + " changed during the run"
		}
		if r.never != "" {
			return
		}
		in.Value = value
		r.Inputs = append(r.Inputs, in)
	}
	r.Variables = map[string]string{}
	for name := range s.variables {
		if !neutral.MatchString(name) && !hashed.MatchString(name) {
			r.Variables[name] = variable(name)
		}
	}
}

// variable returns what is compared of a variable, which may be unset.
func variable(name string) string {
	if value, ok := os.LookupEnv(name); ok {
		return "=" + value
	}
	return ""
}

// changed returns the first thing that is not as it was.
func (r *result) changed(p *places, o options) string {
	for name, value := range r.Variables {
		if variable(name) != value {
			return "variable " + name
		}
	}
	if r.Others != "" && r.Others != o.others(os.Environ()) {
		return "variables"
	}
	for _, in := range r.Inputs {
		if value, err := p.fingerprint(p.path(in.Name), in.Kind); err != nil || value != in.Value {
			return in.Name
		}
	}
	return ""
}

// keep reads the files that the run has written.
func (r *result) keep(out []string, s *seen) {
	for _, name := range out {
		path, err := filepath.Abs(name)
		if err == nil && !s.written[path] && !s.written[real(path)] {
			err = fmt.Errorf("does not write %s", name)
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(name)
		}
		if err != nil && r.never == "" {
			r.never = err.Error()
		}
		r.Files = append(r.Files, text)
	}
}

// restore writes the files that the run wrote.
func (r *result) restore(out []string) error {
	for i, name := range out {
		if err := os.WriteFile(name, r.Files[i], 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A store has the results of one key: a few, for work that goes back and forth between
// versions.
type store struct{ dir string }

const results = 4

func (p *places) store(key string) (*store, error) {
	dir := filepath.Join(p.cache, "passed", key[:2], key)
	return &store{dir}, os.MkdirAll(dir, 0o777)
}

// find returns a result that still holds, or what has changed since the newest.
func (s *store) find(p *places, o options) (found *result, changed string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range slices.Backward(entries) { // names are dates
		name := filepath.Join(s.dir, e.Name())
		text, err := os.ReadFile(name)
		if err != nil || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		r := new(result)
		if json.Unmarshal(text, r) != nil {
			continue
		}
		what := r.changed(p, o)
		if what == "" {
			os.Chtimes(name, time.Now(), time.Now()) // see forget
			return r, ""
		}
		if changed == "" {
			changed = what
		}
	}
	return nil, changed
}

func (s *store) save(r *result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, r.Date.UTC().Format("20060102T150405.000000000")))
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	entries, _ := os.ReadDir(s.dir)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	for _, e := range entries[:max(0, len(entries)-results)] {
		os.Remove(filepath.Join(s.dir, e.Name()))
	}
	return nil
}

// kept is how long results stay that are not used.
const kept = 30 * 24 * time.Hour

// forget removes old results, once a day.
func (p *places) forget(now time.Time) {
	passed := filepath.Join(p.cache, "passed")
	if info, err := os.Stat(passed + "/.forgot"); err == nil && now.Sub(info.ModTime()) < 24*time.Hour {
		return
	}
	os.WriteFile(passed+"/.forgot", nil, 0o666)
	filepath.WalkDir(passed, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > kept {
			os.Remove(path)
			os.Remove(filepath.Dir(path)) // if it is empty
		}
		return nil
	})
}
