package cli

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// everyWay runs a test with each method by which a file can get its name.
func everyWay(t *testing.T, test func(t *testing.T)) {
	open, link := NewUnnamed, nameUnnamed
	defer func() { NewUnnamed, nameUnnamed = open, link }()
	t.Run("unnamed", test)
	nameUnnamed = func(*os.File, string) error { return fs.ErrPermission }
	t.Run("copied", test)
	NewUnnamed = func(string, fs.FileMode) (*os.File, error) { return nil, fs.ErrInvalid }
	t.Run("named", test)
}

// TestOutputRace creates a file with the same name while the output is being written.
func TestOutputRace(t *testing.T) {
	everyWay(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		p := &Program{Name: "cipherlane"}
		o, err := p.Create(false, Target{Path: path, Mode: 0o600})
		if err != nil {
			t.Fatal(err)
		}
		o.List[0].Write([]byte("ours"))
		clitest.Write(t, path, []byte("theirs"))
		if err := o.Commit(); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("commit: %v", err)
		}
		o.Discard()
		if string(clitest.Read(t, path)) != "theirs" || clitest.Entries(t, dir) != "out" {
			t.Errorf("files %q, out has %q", clitest.Entries(t, dir), clitest.Read(t, path))
		}
	})
}

// TestOutputsTogether makes the last of several outputs fail.
func TestOutputsTogether(t *testing.T) {
	path := func(dir, name string) string { return filepath.Join(dir, name) }
	everyWay(t, func(t *testing.T) {
		for _, force := range []bool{false, true} {
			for what, spoil := range map[string]func(dir string){
				"nothing":         func(string) {},
				"a directory":     func(dir string) { os.Mkdir(path(dir, "b"), 0o700) },
				"no directory":    func(dir string) { os.Rename(path(dir, "sub"), path(dir, "moved")) },
				"the same":        func(dir string) { os.Rename(path(dir, "sub"), path(dir, "moved")); os.Symlink(".", path(dir, "sub")) },
				"standard output": func(string) {},
			} {
				for _, old := range []bool{false, true} {
					if old && !force {
						continue
					}
					dir := t.TempDir()
					if err := os.Mkdir(path(dir, "sub"), 0o700); err != nil {
						t.Fatal(err)
					}
					if old {
						clitest.Write(t, path(dir, "a"), []byte("old a"))
					}
					targets := []Target{{Path: path(dir, "a"), Mode: 0o600}, {Path: path(dir, "b"), Mode: 0o666}}
					switch what {
					case "no directory":
						targets[1].Path = path(dir, "sub/b")
					case "the same":
						targets[1].Path = path(dir, "sub/a")
					}
					p := &Program{Name: "cipherlane"}
					if what == "standard output" {
						p.Out = clitest.DevFull(t)
						targets = append([]Target{{Path: "-", Mode: 0o600}}, targets...)
					}
					outs, err := p.Create(force, targets...)
					if err != nil {
						t.Fatal(err)
					}
					spoil(dir)
					before := clitest.Contents(t, dir)
					texts := [][]byte{[]byte("1"), []byte("2"), []byte("3")}
					err = outs.Commit(texts[:len(targets)]...)
					if what == "nothing" {
						if got := clitest.Contents(t, dir); err != nil || got["a"] != "1" || got["b"] != "2" || len(got) != 3 {
							t.Errorf("%v, %q", err, got)
						}
						continue
					}
					if err == nil {
						t.Errorf("%s: no error", what)
					}
					for name := range before {
						if strings.HasPrefix(name, ".cipherlane-") {
							delete(before, name)
						}
					}
					if after := clitest.Contents(t, dir); !maps.Equal(before, after) {
						t.Errorf("%s, -f %v: %v: files before %q, after %q", what, force, err, before, after)
					}
				}
			}
		}
	})
}

// TestReplace: a file that another program changes in the meantime is not replaced by a new version.
func TestReplace(t *testing.T) {
	everyWay(t, func(t *testing.T) {
		for what, spoil := range map[string]func(path string){
			"nothing": func(string) {},
			"other":   func(path string) { os.Remove(path); os.WriteFile(path, []byte("old"), 0o600) },
			"longer":  func(path string) { os.WriteFile(path, []byte("longer"), 0o600) },
			"touched": func(path string) { os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)) },
			"gone":    func(path string) { os.Remove(path) },
		} {
			dir := t.TempDir()
			path := clitest.Write(t, filepath.Join(dir, "file"), []byte("old"))
			os.Chmod(path, 0o640)
			want := map[string]string{"file": "new"}
			p := &Program{Name: "cipherlane"}
			c := &TransferFlags{Input: path, ProgressFlag: ProgressFlag{"off"}}
			err := c.ReplaceAfter(p, "copying", func(*InputFile) (func(*InputFile, *Output) error, error) {
				return func(in *InputFile, out *Output) error {
					spoil(path)
					if what != "nothing" {
						want = clitest.Contents(t, dir)
						maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasPrefix(name, ".cipherlane-") })
					}
					_, err := out.Write([]byte("new"))
					return err
				}, nil
			})
			if got := clitest.Contents(t, dir); (err == nil) != (what == "nothing") || !maps.Equal(got, want) {
				t.Errorf("%s: %v, %q", what, err, got)
			}
			if info, err := os.Stat(path); what == "nothing" && (err != nil || info.Mode() != 0o640) {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if what != "nothing" && what != "gone" && !strings.HasSuffix(err.Error(), path+": has changed in the meantime") {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// TestOutputParts: what is written behind the end of the output is cut off, and a write
// at an offset that fails says where.
func TestOutputParts(t *testing.T) {
	everyWay(t, func(t *testing.T) {
		dir := t.TempDir()
		p := &Program{Name: "cipherlane"}
		outs, err := p.Create(false, Target{Path: filepath.Join(dir, "out"), Mode: 0o600})
		if err != nil {
			t.Fatal(err)
		}
		defer outs.Discard()
		out := outs.List[0]
		if err := out.Parts(func(w io.Writer) error {
			w.(io.WriterAt).WriteAt([]byte("behind"), 100)
			_, err := w.Write([]byte("text"))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := outs.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := clitest.Read(t, filepath.Join(dir, "out")); string(got) != "text" {
			t.Errorf("%q", got)
		}
		if _, err := out.WriteAt(nil, -1); err == nil || !strings.Contains(err.Error(), out.DisplayName+": ") {
			t.Errorf("error %v", err)
		}
	})
}
