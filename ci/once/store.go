//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A result is a run that passed.
type result struct {
	Date      time.Time
	Inputs    []input
	Variables map[string]string // that the test asked for, of those that are not in the key
	Output    []byte
	Files     [][]byte // of -out

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
		if _, ok := inside(path, p.top); ok {
			r.never = "writes " + p.name(path)
			return
		}
	}
	done := map[input]bool{}
	for _, u := range s.used {
		k, reason := p.classify(u.path, u.kind)
		switch {
		case k == ignored:
			continue
		case k == refused:
			r.never = reason
			return
		}
		in := input{Name: p.name(u.path), Kind: k}
		if k == thisCPU {
			in.Name = "CPU"
		}
		if done[in] {
			continue
		}
		done[in] = true
		value, err := p.fingerprint(p.path(in.Name), k)
		if k == thisCPU {
			value, err = cpu(), nil
		}
		if err == nil && k == contents {
			if info, e := os.Stat(u.path); e == nil && info.Mode().IsRegular() && info.ModTime().After(r.Date) {
				err = fmt.Errorf("%s changed during the run", in.Name)
			}
		}
		if err != nil {
			r.never = err.Error()
			return
		}
		if k == absent && value != string(absent) {
			r.never = in.Name + " came during the run"
			return
		}
		in.Value = value
		r.Inputs = append(r.Inputs, in)
	}
	r.Variables = map[string]string{}
	for name := range s.variables {
		if !neutral.MatchString(name) && !hashed.MatchString(name) {
			r.Variables[name] = os.Getenv(name)
		}
	}
}

// changed returns the first thing that is not as it was.
func (r *result) changed(p *places) string {
	for name, value := range r.Variables {
		if os.Getenv(name) != value {
			return "variable " + name
		}
	}
	for _, in := range r.Inputs {
		value := ""
		var err error
		if in.Kind == thisCPU {
			value = cpu()
		} else {
			value, err = p.fingerprint(p.path(in.Name), in.Kind)
		}
		if err != nil || value != in.Value {
			return in.Name
		}
	}
	return ""
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
func (s *store) find(p *places) (found *result, changed string) {
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
		what := r.changed(p)
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
