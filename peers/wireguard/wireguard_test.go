//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDevice runs the tests of wireguard-go's package device with every driver of our
// AEAD, natively and for arm under qemu.
func TestDevice(t *testing.T) {
	if testing.Short() {
		t.Skip("builds wireguard-go")
	}
	w, err := copyTree(t.TempDir(), "wireguard", wireguardPath, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, goarch, emulator string }{
		{name: "native"},
		{name: "arm", goarch: "arm", emulator: "qemu-arm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var command []string
			if c.emulator != "" {
				path, err := exec.LookPath(c.emulator)
				if err != nil {
					if os.Getenv("CI") != "" {
						t.Fatal(err)
					}
					t.Skipf("%v; ci/run install gets it", err)
				}
				command = append(command, path)
			}
			binary := filepath.Join(t.TempDir(), "device.test")
			env := w.env
			if c.goarch != "" {
				env = append(env[:len(env):len(env)], "GOARCH="+c.goarch)
			}
			if _, err := run(w.dir, env, "go", "test", "-c", "-o", binary, "./device"); err != nil {
				t.Fatal(err)
			}
			command = append(command, binary)
			test := func(driver string, args ...string) string {
				args = append(command[1:len(command):len(command)], args...)
				out, err := run(filepath.Join(w.dir, "device"), []string{"CIPHERLANE=" + driver}, command[0], args...)
				if err != nil {
					t.Fatal(err)
				}
				return string(out)
			}
			drivers := regexp.MustCompile(`(?m)^driver (\S+)$`).FindAllStringSubmatch(test("", "-test.run", "TestDrivers"), -1)
			if len(drivers) == 0 {
				t.Fatal("no drivers")
			}
			check := func(t *testing.T, out string) (driver string) {
				var n int
				if _, after, ok := strings.Cut(out, "\nmade "); ok {
					fmt.Sscanf(after, "%d AEADs of driver %s", &n, &driver)
				}
				// A handshake creates 7 AEADs, and there are several handshakes.
				if n < 14 || !strings.Contains(out, "--- PASS: TestTwoDevicePing") || !strings.Contains(out, "--- PASS: TestNoiseHandshake") {
					t.Errorf("%d AEADs of driver %s:\n%s", n, driver, out)
				}
				t.Logf("%d tests passed, with %d AEADs of driver %s", strings.Count(out, "\n--- PASS"), n, driver)
				return driver
			}
			automatic := check(t, test("", "-test.v"))
			for _, d := range drivers {
				if d[1] == automatic {
					continue
				}
				// The tests that create AEADs.
				out := test("chacha20poly1305:"+d[1], "-test.v", "-test.run", "Cookie|Noise|TwoDevicePing|UpDown|ConcurrencySafety|Count")
				if got := check(t, out); got != d[1] {
					t.Errorf("ran with driver %s, want %s", got, d[1])
				}
			}
		})
	}
}

// TestTunnel sends TCP through two processes of wireguard-go.
func TestTunnel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds wireguard-go and makes network namespaces")
	}
	dir, err := os.MkdirTemp("", "wg") // not longer: for names of sockets
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, err := copyTree(dir, "wireguard", wireguardPath, true)
	if err != nil {
		t.Fatal(err)
	}
	program, sockets := filepath.Join(dir, "program"), filepath.Join(dir, "sockets")
	if err := w.buildProgram(program, sockets); err != nil {
		t.Fatal(err)
	}
	tunnel, err := newTunnel(program, sockets)
	if errors.Is(err, errCannot) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer tunnel.close()
	for _, size := range []int64{1, 64<<20 + 1} {
		x, err := tunnel.send(size)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d bytes in %v, CPU time %v", x.bytes, x.wall, x.cpu)
	}
	for i, e := range tunnel.ends {
		if n := strings.Count(e.stderr.String(), traceLine); n < 4 {
			t.Errorf("end %d made %d AEADs of ours:\n%s", i, n, e.stderr.String())
		}
	}
	pids := []int{tunnel.ends[0].process.Process.Pid, tunnel.ends[1].process.Process.Pid}
	tunnel.close()
	tunnel.ends = [2]*end{}
	for _, pid := range pids {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
			t.Errorf("process %d is left", pid)
		}
	}
}

// A copy of another version is refused.
func TestUnknownVersion(t *testing.T) {
	w, err := copyTree(t.TempDir(), "wireguard", wireguardPath, false)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.dir, "device/cookie.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := w.hook("v1.2.3"); err == nil || !strings.Contains(err.Error(), "golang.zx2c4.com/wireguard v1.2.3: device/cookie.go has SHA-256 ") {
		t.Errorf("%v", err)
	}
}
