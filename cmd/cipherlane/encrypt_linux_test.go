package main

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
)

// TestFullFileSystem needs a small file system of its own.
func TestFullFileSystem(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 4<<20)
	small := filepath.Join(dir, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	defer syscall.Unmount(small, 0)
	call{dir: dir}.fails(t, 1, "small/out: no space left", "encrypt", "--key-file", "key", "-o", "small/out", "text")
	call{dir: dir}.fails(t, 1, "small/out: no space left", "decrypt", "--key-file", "key", "-o", "small/out", "message")
	if got := entries(t, small); got != "" {
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
	cmd := call{dir: dir}.command(t, "encrypt", "--key-file", "key", "-o", "fifo", "text")
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
		if f, err := openUnnamed(dir, 0o600); err != nil {
			t.Skipf("no files without a name: %v", err)
		} else {
			f.Close()
		}
		cmd, _ := halfWay(t, call{dir: dir}, verb)
		cmd.Process.Kill()
		cmd.Wait()
		if got := entries(t, dir); got != "key message text" {
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
		c := call{dir: dir, env: env}
		write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
		os.Chmod(filepath.Join(dir, "text"), 0o644)
		c.ok(t, "keygen", "-o", "key")
		c.ok(t, "sm2", "keygen", "-o", "sm2", "--public", "sm2.pub")
		c.ok(t, "encrypt", "--key-file", "key", "-o", "text.enc", "text")
		c.ok(t, "sm2", "encrypt", "--to", "sm2.pub", "-o", "text.sm2", "text")
		c.ok(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "kem", "--public", "kem.pub")
		for name, want := range map[string]os.FileMode{"key": 0o600, "sm2": 0o600, "kem": 0o600, "sm2.pub": 0o666, "kem.pub": 0o666, "text.enc": 0o644, "text.sm2": 0o644} {
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
			}} {
				for _, line := range lines {
					os.Remove(out)
					if old != 0 {
						write(t, out, []byte("old"))
						os.Chmod(out, old)
					}
					if !strings.Contains(line, "out") {
						line += " -o out"
					}
					c.stdin = bytes.NewReader(read(t, filepath.Join(dir, "text.enc")))
					c.ok(t, append(strings.Fields(line), "-f")...)
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
				write(t, filepath.Join(dir, "out"), nil)
				os.Chmod(filepath.Join(dir, "out"), old)
			}
			cmd, finish := halfWay(t, call{dir: dir, env: []string{namedFiles}}, verb)
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
	out := write(t, filepath.Join(dir, "out"), nil)
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
		call{dir: dir}.ok(t, "decrypt", "-f", "--key-file", "key", "-o", "out", "message")
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
