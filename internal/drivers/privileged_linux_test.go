package drivers

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const privilegedChild = "CIPHERLANE_TEST_PRIVILEGED"

// init turns this test binary into the program that TestPrivileged runs.
func init() {
	if os.Getenv(privilegedChild) == "" {
		return
	}
	status, _ := os.ReadFile("/proc/self/status")
	capable := !strings.Contains(string(status), "CapEff:\t0000000000000000\n")
	_, source := ProfileInForce()
	fmt.Printf("rights %v\nchoices %v\nprofile %q\n", capable || differentIDs(), Choices(), source)
	for _, w := range Warnings() {
		fmt.Println("warning", w)
	}
	os.Exit(0)
}

// A program with more privileges than its caller ignores CIPHERLANE and
// CIPHERLANE_PROFILE.
func TestPrivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make setuid programs")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("/tmp", "cipherlane") // t.TempDir may be inaccessible to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(dir, "profile")
	p := NewProfile()
	text := fmt.Sprintf(`{"schema":%d,"version":%q,"cpu":%q,"arch":%q,"features":%q,"drivers":{}}`, p.Schema, p.Version, p.CPU, p.Arch, p.Features)
	if err := os.WriteFile(profile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(path string) error{
		"plain":  func(path string) error { return nil },
		"setuid": func(path string) error { return os.Chmod(path, 0o755|os.ModeSetuid) },
		"setgid": func(path string) error { return os.Chmod(path, 0o755|os.ModeSetgid) },
		"capabilities": func(path string) error {
			capability := []uint32{0x02000001, 1 << unix.CAP_NET_RAW, 0, 0, 0} // version 2, effective
			var b []byte
			for _, x := range capability {
				b = binary.LittleEndian.AppendUint32(b, x)
			}
			return unix.Setxattr(path, "security.capability", b, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, program, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Skip(err)
			}
			cmd := exec.Command(path)
			cmd.Dir = "/"
			cmd.Env = []string{privilegedChild + "=1", "CIPHERLANE=sm4:generic", variable + "=" + profile}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			want := []string{"rights true", "choices map[]", `profile ""`,
				"warning CIPHERLANE: " + errPrivileged.Error(), "warning " + variable + ": " + errPrivileged.Error()}
			if name == "plain" {
				want = []string{"rights false", "choices map[sm4:generic]", fmt.Sprintf("profile %q", profile)}
			} else if lines[0] == "rights false" {
				t.Skip("there are no such programs in " + dir)
			}
			if !slices.Equal(lines, want) {
				t.Errorf("got %q, want %q", lines, want)
			}
		})
	}
}
