package main

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// contents returns the files of a directory and their contents.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range strings.FieldsSeq(entries(t, dir)) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(b)
		if err != nil {
			all[name] = "unreadable"
		}
	}
	return all
}

// TestOutputsSame: two outputs with the same path are rejected, however it is spelled,
// and the error does not suggest -f.
func TestOutputsSame(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	c.ok(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "bob", "--public", "bob.pub")
	for _, link := range []string{"link", "hard", "there", "dangling"} {
		var err error
		switch link {
		case "link":
			err = os.Symlink("old", filepath.Join(dir, link))
		case "hard":
			write(t, filepath.Join(dir, "old"), []byte("old"))
			err = os.Link(filepath.Join(dir, "old"), filepath.Join(dir, link))
		case "there":
			err = os.Symlink(".", filepath.Join(dir, link))
		case "dangling":
			err = os.Symlink("absent", filepath.Join(dir, link))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open, err := os.OpenFile(filepath.Join(dir, "old"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	c.files = []*os.File{open}
	before := contents(t, dir)
	for _, pair := range [][2]string{
		{"new", "new"}, {"new", "./new"}, {"./new", "there/new"}, {filepath.Join(dir, "new"), "new"}, {"there/../" + filepath.Base(dir) + "/new", "new"},
		{"old", "old"}, {"old", "./old"}, {"old", "link"}, {"link", "old"}, {"hard", "old"}, {"link", "hard"}, {"there/old", "old"},
		{"dangling", "./dangling"}, {"-", "-"}, {"-", "/dev/stdout"}, {"/dev/fd/1", "-"}, {"/dev/fd/3", "old"}, {"hard", "/dev/fd/3"}, {"/dev/fd/3", "/dev/fd/3"},
	} {
		for _, args := range [][]string{
			{"sm2", "keygen", "-o", pair[0], "--public", pair[1]},
			{"kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", pair[0], "--public", pair[1]},
			{"kem", "encap", "--to", "bob.pub", "-o", pair[0], "--secret", pair[1]},
		} {
			for _, args := range [][]string{args, append(args, "-f")} {
				if o := c.fails(t, 2, "two outputs cannot go to the same file", args...); o.stdout != "" {
					t.Errorf("%q: printed %q", args, o.stdout)
				}
				if after := contents(t, dir); !maps.Equal(before, after) {
					t.Fatalf("%q: files before %q, after %q", args, before, after)
				}
			}
		}
	}
	// These do not conflict: a device that discards everything, and two files.
	c.ok(t, "sm2", "keygen", "-o", "/dev/null", "--public", "/dev/null")
	c.ok(t, "sm2", "keygen", "-o", "new", "--public", "new.pub")
	// Standard output is redirected to a file that the other output would replace.
	file, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	call{dir: dir, stdout: file}.fails(t, 2, "two outputs", "sm2", "keygen", "-f", "-o", "-", "--public", "file")
	call{dir: dir, stdout: file}.fails(t, 2, "two outputs", "tune", "sm3", "--seconds", "0.01", "-f", "-o", "file")
}

// TestOutputIsInput: no verb replaces a file that it reads.
func TestOutputIsInput(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	write(t, filepath.Join(dir, "pw"), []byte("secret\n"))
	c.ok(t, "keygen", "-o", "key")
	c.ok(t, "encrypt", "--key-file", "key", "-o", "text.enc", "text")
	c.ok(t, "sm2", "keygen", "-o", "sm2", "--public", "sm2.pub")
	c.ok(t, "sm2", "keygen", "-e", "--passphrase-file", "pw", "-o", "sm2e")
	c.ok(t, "sm2", "encrypt", "--to", "sm2.pub", "-o", "text.sm2", "text")
	c.ok(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "kem", "--public", "kem.pub")
	c.ok(t, "kem", "encap", "--to", "kem.pub", "-o", "ct", "--secret", "k")
	for _, line := range []string{
		"encrypt --key-file key text", "decrypt --key-file key text.enc",
		"cipher sm4-ecb -q --key-file key text", "cipher sm4-ecb -d -q --no-padding --key-file key text",
		"sm2 keygen -e --passphrase-file pw --public other", "sm2 pubkey --key sm2", "sm2 pubkey --key sm2e --passphrase-file pw",
		"sm2 sign --key sm2 text",
		"sm2 encrypt --to sm2.pub text", "sm2 decrypt --key sm2 text.sm2",
		"kem encap --to kem.pub --secret other", "kem decap --key kem ct",
	} {
		args := strings.Fields(line)
		for i, file := range args {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil || i == 0 || file == "sm2" && i < 2 {
				continue // no input
			}
			os.Remove(filepath.Join(dir, "soft"))
			os.Remove(filepath.Join(dir, "hard"))
			if err := os.Symlink(file, filepath.Join(dir, "soft")); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(filepath.Join(dir, file), filepath.Join(dir, "hard")); err != nil {
				t.Fatal(err)
			}
			open, err := os.OpenFile(filepath.Join(dir, file), os.O_RDWR|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			before := contents(t, dir)
			outs := []string{file, "./" + file, filepath.Join(dir, file), "soft", "hard", "/dev/fd/3"}
			if strings.Contains(line, "sm2e") {
				outs = outs[3:4] // deriving the key takes its time
			}
			for _, out := range outs {
				all := append(slices.Clone(args), "-o", out, "-f")
				if out == file { // and the error does not suggest -f
					call{dir: dir}.fails(t, 2, "input and output are the same file", all[:len(all)-1]...)
				}
				call{dir: dir, files: []*os.File{open}}.fails(t, 2, "input and output are the same file", all...)
			}
			if strings.HasPrefix(line, "kem encap") {
				c.fails(t, 2, "input and output are the same file", "kem", "encap", "--to", "kem.pub", "-f", "-o", "x", "--secret", file)
			}
			open.Close()
			if after := contents(t, dir); !maps.Equal(before, after) {
				t.Fatalf("%q: files before %q, after %q", args, before, after)
			}
		}
	}
	// Through standard input and output.
	for _, args := range [][]string{{"encrypt", "--key-file", "key"}, {"sm2", "encrypt", "--to", "sm2.pub"}, {"sm2", "sign", "--key", "sm2"}} {
		inout, err := os.OpenFile(filepath.Join(dir, "text"), os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		call{dir: dir, stdin: inout}.fails(t, 2, "standard input: input and output", append(args, "-f", "-o", "text")...)
		call{dir: dir, stdin: inout, stdout: inout}.fails(t, 2, "standard input: input and output", args...)
		call{dir: dir, stdout: inout}.fails(t, 2, "text: input and output", append(args, "text")...)
		inout.Close()
	}
	// A list of checksums may be among the files.
	sums, err := os.Create(filepath.Join(dir, "SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	call{dir: dir, stdout: sums}.ok(t, "hash", "text", "SUMS")
}

// everyWay runs a test with each method by which a file can get its name.
func everyWay(t *testing.T, test func(t *testing.T)) {
	open, link := newUnnamed, nameUnnamed
	defer func() { newUnnamed, nameUnnamed = open, link }()
	t.Run("unnamed", test)
	nameUnnamed = func(*os.File, string) error { return fs.ErrPermission }
	t.Run("copied", test)
	newUnnamed = func(string, fs.FileMode) (*os.File, error) { return nil, fs.ErrInvalid }
	t.Run("named", test)
}

// TestOutputRace creates a file with the same name while the output is being written.
func TestOutputRace(t *testing.T) {
	everyWay(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		p := &program{name: "cipherlane"}
		o, err := p.create(false, target{path: path, mode: 0o600})
		if err != nil {
			t.Fatal(err)
		}
		o.list[0].Write([]byte("ours"))
		write(t, path, []byte("theirs"))
		if err := o.commit(); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("commit: %v", err)
		}
		o.discard()
		if string(read(t, path)) != "theirs" || entries(t, dir) != "out" {
			t.Errorf("files %q, out has %q", entries(t, dir), read(t, path))
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
						write(t, path(dir, "a"), []byte("old a"))
					}
					targets := []target{{path: path(dir, "a"), mode: 0o600}, {path: path(dir, "b"), mode: 0o666}}
					switch what {
					case "no directory":
						targets[1].path = path(dir, "sub/b")
					case "the same":
						targets[1].path = path(dir, "sub/a")
					}
					p := &program{name: "cipherlane"}
					if what == "standard output" {
						p.out = devFull(t)
						targets = append([]target{{path: "-", mode: 0o600}}, targets...)
					}
					outs, err := p.create(force, targets...)
					if err != nil {
						t.Fatal(err)
					}
					spoil(dir)
					before := contents(t, dir)
					texts := [][]byte{[]byte("1"), []byte("2"), []byte("3")}
					err = outs.commit(texts[:len(targets)]...)
					if what == "nothing" {
						if got := contents(t, dir); err != nil || got["a"] != "1" || got["b"] != "2" || len(got) != 3 {
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
					if after := contents(t, dir); !maps.Equal(before, after) {
						t.Errorf("%s, -f %v: %v: files before %q, after %q", what, force, err, before, after)
					}
				}
			}
		}
	})
}

// TestOutputParts: what is written behind the end of the output is cut off, and a write
// at an offset that fails says where.
func TestOutputParts(t *testing.T) {
	everyWay(t, func(t *testing.T) {
		dir := t.TempDir()
		p := &program{name: "cipherlane"}
		outs, err := p.create(false, target{path: filepath.Join(dir, "out"), mode: 0o600})
		if err != nil {
			t.Fatal(err)
		}
		defer outs.discard()
		out := outs.list[0]
		if err := out.parts(func(w io.Writer) error {
			w.(io.WriterAt).WriteAt([]byte("behind"), 100)
			_, err := w.Write([]byte("text"))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := outs.commit(); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(dir, "out")); string(got) != "text" {
			t.Errorf("%q", got)
		}
		if _, err := out.WriteAt(nil, -1); err == nil || !strings.Contains(err.Error(), out.name+": ") {
			t.Errorf("error %v", err)
		}
	})
}
