package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestFullFileSystem needs a small file system of its own.
func TestFullFileSystem(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 5<<20)
	small := filepath.Join(dir, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	defer syscall.Unmount(small, 0)
	clitest.Call{Dir: dir}.Fails(t, 1, "small/out: no space left", "encrypt", "--key-file", "key", "-o", "small/out", "text")
	clitest.Call{Dir: dir}.Fails(t, 1, "small/out: no space left", "decrypt", "--key-file", "key", "-o", "small/out", "message")
	for _, size := range []string{"300k", "2500k", "5100k"} { // of 5 MiB and a little
		if err := syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
		for _, jobs := range []string{"1", "2", "16"} {
			clitest.Call{Dir: dir}.Fails(t, 1, "small/out: no space left", "encrypt", "-j", jobs, "--key-file", "key", "-o", "small/out", "text")
			clitest.Call{Dir: dir}.Fails(t, 1, "small/out: no space left", "decrypt", "-j", jobs, "--key-file", "key", "-o", "small/out", "message")
		}
	}
	if got := clitest.Entries(t, small); got != "" {
		t.Errorf("left on the full file system: %s", got)
	}
}

// TestOutputPipe: the reader of a named pipe closes it.
func TestOutputPipe(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 1<<20)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := clitest.Call{Dir: dir}.Command(t, "encrypt", "--key-file", "key", "-o", "fifo", "text")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	io.ReadFull(f, make([]byte, 100))
	f.Close()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 || stderr.Len() > 0 {
		t.Errorf("%v, standard error %q", cmd.ProcessState, stderr.String())
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the named pipe is gone: %v", err)
	}
}

// TestKill kills the command, so that nothing can clean up.
func TestKill(t *testing.T) {
	for _, verb := range []string{"encrypt", "decrypt"} {
		dir := t.TempDir()
		if f, err := cli.OpenUnnamed(dir, 0o600); err != nil {
			t.Skipf("no files without a name: %v", err)
		} else {
			f.Close()
		}
		cmd, _ := halfWay(t, clitest.Call{Dir: dir}, verb)
		cmd.Process.Kill()
		cmd.Wait()
		if got := clitest.Entries(t, dir); got != "key message text" {
			t.Errorf("%s: files left behind: %s", verb, got)
		}
	}
}

// TestOutputModes: plaintext is readable only by its owner, unless others could read
// the file that it replaces, and its mode is never more permissive than at the end.
func TestOutputModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for _, env := range [][]string{nil, {namedFiles}} {
		dir := t.TempDir()
		c := clitest.Call{Dir: dir, Env: env}
		clitest.Write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
		os.Chmod(filepath.Join(dir, "text"), 0o644)
		c.OK(t, "keygen", "-o", "key")
		c.OK(t, "sm2", "keygen", "-o", "sm2", "--public", "sm2.pub")
		c.OK(t, "encrypt", "--key-file", "key", "-o", "text.enc", "text")
		c.OK(t, "sm2", "encrypt", "--to", "sm2.pub", "-o", "text.sm2", "text")
		c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "kem", "--public", "kem.pub")
		c.OK(t, "sm2", "cert", "localhost", "--key", "sm2", "-o", "cert")
		for name, want := range map[string]os.FileMode{"key": 0o600, "sm2": 0o600, "kem": 0o600, "sm2.pub": 0o666, "kem.pub": 0o666, "cert": 0o666, "text.enc": 0o644, "text.sm2": 0o644} {
			if got := mode(t, filepath.Join(dir, name)); got != want {
				t.Errorf("%s: mode %o, want %o", name, got, want)
			}
		}
		out := filepath.Join(dir, "out")
		for old, want := range map[os.FileMode][2]os.FileMode{ // old mode, 0 for no file: new modes of plaintext and of other outputs
			0:     {0o600, 0o644},
			0o600: {0o600, 0o600},
			0o640: {0o640, 0o640},
			0o644: {0o644, 0o644},
			0o666: {0o666, 0o644},
			0o400: {0o400, 0o600},
			0o755: {0o755, 0o644},
		} {
			for i, lines := range [][]string{{
				"decrypt --key-file key text.enc",
				"decrypt --key-file key",
				"cipher sm4-ecb -d -q --no-padding --key-file key text",
				"sm2 decrypt --key sm2 text.sm2",
			}, {
				"encrypt --key-file key text",
				"cipher sm4-ecb -q --key-file key text",
				"sm2 sign --key sm2 text",
				"sm2 encrypt --to sm2.pub text",
			}, {
				"keygen",
				"sm2 keygen --public -",
				"kem keygen --public -",
				"kem encap --to kem.pub --secret out -o -",
				"sm2 cert localhost --new-key out -o -",
			}} {
				for _, line := range lines {
					os.Remove(out)
					if old != 0 {
						clitest.Write(t, out, []byte("old"))
						os.Chmod(out, old)
					}
					if !strings.Contains(line, "out") {
						line += " -o out"
					}
					c.Stdin = bytes.NewReader(clitest.Read(t, filepath.Join(dir, "text.enc")))
					c.OK(t, append(strings.Fields(line), "-f")...)
					if got, want := mode(t, out), append(want[:], 0o600)[i]; got != want {
						t.Errorf("%v: %s: %o over %o, want %o", env, line, got, old, want)
					}
				}
			}
		}
	}
	// The mode while the file is being written.
	for _, old := range []os.FileMode{0, 0o600, 0o640, 0o666} {
		for _, verb := range []string{"encrypt", "decrypt"} {
			dir := t.TempDir()
			if old != 0 {
				clitest.Write(t, filepath.Join(dir, "out"), nil)
				os.Chmod(filepath.Join(dir, "out"), old)
			}
			cmd, finish := halfWay(t, clitest.Call{Dir: dir, Env: []string{namedFiles}}, verb)
			temp, _ := filepath.Glob(filepath.Join(dir, ".cipherlane-*"))
			if len(temp) != 1 || verb == "decrypt" && mode(t, temp[0]) != 0o600 || old == 0o600 && mode(t, temp[0]) != old {
				t.Errorf("%s over %o: %q", verb, old, temp)
			}
			finish()
			cmd.Wait()
		}
	}
}

// TestOutputGroup: permissions of a group are kept for the same group or dropped.
func TestOutputGroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	dir, _, _ := encryptedFiles(t, 100)
	out := clitest.Write(t, filepath.Join(dir, "out"), nil)
	for _, acl := range []bool{false, true} {
		os.Chown(out, 0, 1234)
		os.Chmod(out, 0o640)
		if acl { // user 1234 may read
			entry := func(tag, perm uint16, id uint32) []byte {
				b := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, tag), perm)
				return binary.LittleEndian.AppendUint32(b, id)
			}
			none := ^uint32(0)
			list := slices.Concat([]byte{2, 0, 0, 0}, entry(1, 6, none), entry(2, 4, 1234), entry(4, 0, none), entry(0x10, 4, none), entry(0x20, 0, none))
			if err := syscall.Setxattr(out, "system.posix_acl_access", list, 0); err != nil {
				t.Skipf("no access control lists: %v", err)
			}
			if mode(t, out) != 0o640 {
				t.Fatalf("mode %o", mode(t, out))
			}
		}
		clitest.Call{Dir: dir}.OK(t, "decrypt", "-f", "--key-file", "key", "-o", "out", "message")
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		gid, want := info.Sys().(*syscall.Stat_t).Gid, os.FileMode(0o640)
		if acl {
			want = 0o600
		}
		if info.Mode() != want || !acl && gid != 1234 {
			t.Errorf("access control list %v: mode %o, group %d", acl, info.Mode(), gid)
		}
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// TestSharedOffset: after the command, standard input that is a file has the offset of its
// end, and standard output that is a file is written from its offset on, or appended to.
func TestSharedOffset(t *testing.T) {
	const before = 12345
	dir, text, message := encryptedFiles(t, 5<<20)
	for _, jobs := range []string{"1", "2"} {
		for verb, data := range map[string][]byte{"encrypt": text[before:], "decrypt": message} {
			head := before
			if verb == "decrypt" {
				clitest.Write(t, filepath.Join(dir, "in"), slices.Concat(text[:before], message))
			} else {
				clitest.Write(t, filepath.Join(dir, "in"), text)
			}
			in, err := os.Open(filepath.Join(dir, "in"))
			if err != nil {
				t.Fatal(err)
			}
			in.Seek(int64(head), io.SeekStart)
			clitest.Write(t, filepath.Join(dir, "appended"), []byte("before"))
			out, err := os.OpenFile(filepath.Join(dir, "appended"), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			clitest.Call{Dir: dir, Stdin: in, Stdout: out}.OK(t, verb, "-j", jobs, "--key-file", "key")
			if at, err := in.Seek(0, io.SeekCurrent); at != int64(head+len(data)) || err != nil {
				t.Errorf("%s -j %s: standard input is at %d, want its end, %d", verb, jobs, at, head+len(data))
			}
			in.Close()
			out.Close()
			got, ok := bytes.CutPrefix(clitest.Read(t, filepath.Join(dir, "appended")), []byte("before"))
			if verb == "encrypt" {
				clitest.Write(t, filepath.Join(dir, "m"), got)
				got = []byte(clitest.Call{Dir: dir}.OK(t, "decrypt", "--key-file", "key", "m"))
				if !bytes.Equal(got, data) {
					ok = false
				}
			} else if !bytes.Equal(got, text) {
				ok = false
			}
			if !ok {
				t.Errorf("%s -j %s: wrong output", verb, jobs)
			}
		}
	}
}

// TestSparse encrypts a file with holes.
func TestSparse(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 1)
	f, err := os.Create(filepath.Join(dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteAt([]byte("middle"), 3<<20)
	f.Truncate(5<<20 + 1)
	c := clitest.Call{Dir: dir}
	c.OK(t, "encrypt", "-j", "2", "--key-file", "key", "-o", "out", "sparse")
	c.OK(t, "decrypt", "-j", "2", "--key-file", "key", "-o", "back", "out")
	if want := clitest.Read(t, filepath.Join(dir, "sparse")); !bytes.Equal(clitest.Read(t, filepath.Join(dir, "back")), want) {
		t.Error("not the same after decrypting")
	}
}

// TestChangingInput: a file grows, or becomes shorter, while it is encrypted. The message
// is that of what has been read.
func TestChangingInput(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 1)
	path := filepath.Join(dir, "changing")
	for _, way := range []string{"grows", "shrinks"} {
		text := clitest.TestMessage(8 << 20)
		clitest.Write(t, path, text)
		p := &cli.Program{Name: "cipherlane"}
		in, err := p.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if way == "grows" { // after its size has been looked at
			more := clitest.TestMessage(100000)
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			f.Write(more)
			f.Close()
			text = append(text, more...)
		} else {
			text = text[:3<<20+7]
			os.Truncate(path, int64(len(text)))
		}
		key := bytes.Repeat([]byte{7}, 16)
		outs, err := p.Create(true, cli.Target{Path: filepath.Join(dir, "out"), Mode: 0o600})
		if err != nil {
			t.Fatal(err)
		}
		cmd := &EncryptCmd{}
		cmd.Jobs = 4
		if err := outs.List[0].Parts(func(w io.Writer) error { return cmd.encrypt(in, w, encryptions[0].suites[0], key) }); err != nil {
			t.Fatal(err)
		}
		if err := outs.Commit(); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, "sevens"), key)
		if got := (clitest.Call{Dir: dir}).OK(t, "decrypt", "--key-file", "sevens", "out"); got != string(text) {
			t.Errorf("%s: %d bytes, want %d", way, len(got), len(text))
		}
	}
}
