package substitute

import (
	"flag"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

var tailscaleSuite = flag.Bool("tailscale", false, "run the tests of github.com/tailscale/wireguard-go in every version and under emulators, which takes minutes")

const tailscalePath = "github.com/tailscale/wireguard-go"

// newTailscale is a program that requires a version of Tailscale's wireguard-go.
func newTailscale(t *testing.T, version string) goTest {
	t.Helper()
	c := newGoTest(t, nil)
	writeFiles(t, c.Dir, map[string]string{
		"go.mod": strings.Replace(goProgram["go.mod"], "require ", "require "+tailscalePath+" "+version+"\n\nrequire ", 1),
		"main.go": `package main

import (
	"fmt"

	"github.com/tailscale/wireguard-go/device"
)

func main() { fmt.Println(device.DefaultMTU) }
`,
	})
	goCommand(t, c.Dir, nil, "mod", "tidy")
	return c
}

// TestTailscale looks at what the program of each architecture consists of.
func TestTailscale(t *testing.T) {
	version := tailscale.versions[len(tailscale.versions)-1]
	c := newTailscale(t, version)
	for _, goarch := range []string{"amd64", "arm", "arm64", "riscv64", "mipsle"} {
		t.Run(goarch, func(t *testing.T) {
			c := c
			c.Env = append(slices.Clone(c.Env), "GOARCH="+goarch)
			o := c.Run(t, "go", "list", "-f", "{{.ImportPath}}: {{.Imports}}.", "-deps", ".")
			own := goarch == "arm" // elsewhere it calls golang.org/x/crypto; amd64 is "no" in the table
			if words := "cipherlane: in place of " + tailscalePath + " " + version + ", packages tsasm/amd64/chacha20poly1305 and tsasm/arm/chacha20poly1305: "; o.Code != 0 || strings.Contains(o.Stderr, words) != own {
				t.Errorf("exit code %d, says %q: want %v: %s", o.Code, words, own, o.Stderr)
			}
			ours := " github.com/cipherlane/cipherlane/chacha20poly1305"
			for _, name := range []string{"golang.org/x/crypto/chacha20poly1305", tailscalePath + "/tsasm/" + goarch + "/chacha20poly1305"} {
				_, line, found := strings.Cut("\n"+o.Stdout, "\n"+name+": ")
				line, _, _ = strings.Cut(line, ".\n")
				if !found && (strings.HasPrefix(name, "golang.org/") || own) || found && strings.Contains(line, ours) != (goarch != "amd64" || strings.HasPrefix(name, "golang.org/")) {
					t.Errorf("%s imports %q, want also%s", name, line, ours)
				}
			}
		})
	}

	out := filepath.Join(t.TempDir(), "export")
	arm := c
	arm.Env = append(slices.Clone(c.Env), "GOARCH=arm")
	arm.fine(t, "export", out)
	changes := string(clitest.Read(t, filepath.Join(out, "cipherlane/CHANGES")))
	for _, words := range []string{
		tailscalePath + " " + version + "\n\tgo.mod changed ",
		"\n\ttsasm/arm/chacha20poly1305/chacha20poly1305.go changed ",
		"\n\ttsasm/arm/chacha20poly1305/cipherlane.go added ",
	} {
		if !strings.Contains(changes, words) {
			t.Errorf("CHANGES without %q:\n%s", words, changes)
		}
	}
	list := goCommand(t, out, []string{"GOARCH=arm", "GOPROXY=off", "GOMODCACHE=" + t.TempDir()}, "list", "-deps", ".")
	if !strings.Contains(list, "\ngithub.com/cipherlane/cipherlane/chacha20poly1305\n") {
		t.Errorf("the export is without cipherlane:\n%s", list)
	}
}

// Versions from before the assembly need nothing but golang.org/x/crypto; others that were not
// tested are refused.
func TestTailscaleVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads versions of others")
	}
	newTailscale := func(version string) goTest { // for the GOARCH for which the table has it
		c := newTailscale(t, version)
		c.Env = append(c.Env, "GOARCH=arm")
		return c
	}
	c := newTailscale("v0.0.0-20250716170648-1d0488a3d7da") // of Tailscale 1.96
	if o := c.fine(t, "list", "."); !strings.Contains(o.Stderr, "wireguard-go v0.0.0-20250716170648-1d0488a3d7da has none of the packages: there is nothing to replace in it\n") {
		t.Errorf("before the assembly: %s", o.Stderr)
	}
	c.refuses(t, 1, "there is nothing to replace", "--except", cryptoPath, "list", ".")

	c = newTailscale(tailscale.versions[1])
	if o := c.fine(t, "list", "."); !strings.Contains(o.Stderr, tailscale.versions[1]+", packages tsasm/arm/chacha20poly1305: ") {
		t.Errorf("before the assembly of amd64: %s", o.Stderr)
	}

	version := tailscale.versions[2]
	c = newTailscale(version)
	dir := strings.TrimSpace(goCommand(t, c.Dir, nil, "list", "-m", "-f", "{{.Dir}}", tailscalePath))
	mod, sums := string(clitest.Read(t, filepath.Join(c.Dir, "go.mod"))), clitest.Read(t, filepath.Join(c.Dir, "go.sum"))
	for name, change := range map[string]func(files map[string]string){
		"tsasm/amd64/chacha20poly1305 (": func(files map[string]string) { files["tsasm/amd64/chacha20poly1305/chacha20poly1305_amd64.s"] += "\n" },
		"tsasm/arm/chacha20poly1305 (missing)": func(files map[string]string) {
			maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "tsasm/arm/chacha20poly1305/") })
		},
	} {
		files := readFiles(t, dir)
		change(files)
		fork := writeFiles(t, t.TempDir(), files)
		clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(mod+"\nreplace "+tailscalePath+" => "+fork+"\n"))
		if o := c.fine(t, "list", "."); !strings.Contains(o.Stderr, "a replacement for its package "+name) ||
			!strings.Contains(o.Stderr, "which you replaced in go.mod or go.work: it stays as it is\n") || strings.Contains(o.Stderr, "in place of "+tailscalePath) {
			t.Errorf("a changed copy, %s: %s", name, o.Stderr)
		}
		if strings.HasSuffix(name, "(missing)") {
			continue // go mod tidy needs the package
		}
		c := c
		c.Env = append(slices.Clone(c.Env), moduleProxy(t, tailscalePath, "v0.999.0", fork, nil)...)
		clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(strings.Replace(mod, version, "v0.999.0", 1)))
		clitest.Write(t, filepath.Join(c.Dir, "go.sum"), sums)
		goCommand(t, c.Dir, c.Env[2:], "mod", "tidy")
		c.refuses(t, 3, "v0.999.0: cipherlane was not tested as a replacement for its package "+name, "list", ".")
	}
}

// TestTailscaleSuite runs tests of wireguard-go.
func TestTailscaleSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the tests of wireguard-go")
	}
	versions, emulators := tailscale.versions[2:], []string{""}
	if *tailscaleSuite {
		versions, emulators = tailscale.versions, []string{"", "arm", "arm64", "riscv64", "mipsle"}
	}
	for _, version := range versions {
		c := newTailscale(t, version)
		c.Env = append(c.Env, "GOFLAGS=-mod=mod", // what the tests need has no checksums in go.sum
			"CI=") // with CI=true, its tests download sources
		test := func(t *testing.T, c goTest, want int, args ...string) string {
			o := c.Run(t, append([]string{"go", "--only", tailscalePath, "--only", cryptoPath, "test", "-trimpath", "-vet=off"}, args...)...)
			t.Logf("%s%s", o.Stdout, o.Stderr)
			if o.Code != 0 || strings.Count(o.Stdout, "ok  \t") < want {
				t.Errorf("exit code %d", o.Code)
			}
			return o.Stdout
		}
		for _, name := range emulators {
			t.Run(version+"/"+name, func(t *testing.T) {
				if name == "" {
					test(t, c, 2, tailscalePath+"/device", tailscalePath+"/tsasm/...")
					return
				}
				c := c
				c.Env = append(slices.Clone(c.Env), "CGO_ENABLED=0", "GOMIPS=softfloat", "GOARCH="+name)
				list := []string{tailscalePath + "/device"}
				if name == "arm" {
					list = append(list, tailscalePath+"/tsasm/arm/chacha20poly1305")
				}
				emulator := map[string]string{"arm": "qemu-arm", "arm64": "qemu-aarch64", "riscv64": "qemu-riscv64", "mipsle": "qemu-mipsel"}[name]
				test(t, c, len(list), append([]string{"-short", "-timeout", "20m", "-exec", emulator}, list...)...)
			})
		}
		if version == tailscale.versions[2] { // a CPU for which it has assembly, and TS_WG_ASM=0
			c.Env = append(c.Env, "GODEBUG=cpu.avx2=off,cpu.bmi2=off")
			out := test(t, c, 1, "-v", "-run", "AEAD|TwoDevicePing", tailscalePath+"/device")
			for _, name := range []string{"AEADDispatch", "AEADEscapeHatch", "AEADFIPSPolicy", "TwoDevicePing"} {
				if !strings.Contains(out, "--- PASS: Test"+name+" ") {
					t.Errorf("%s did not pass", name)
				}
			}
		}
	}
}
