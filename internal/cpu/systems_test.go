package cpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// systems are the features of arm64 that each system can tell. Whether they are told does not
// depend on the version of Go or of golang.org/x/sys.
var systems = map[string]Set{
	"linux":   NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SM3 | SM4 | SVE | SVE2 | DIT,
	"android": NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SM3 | SM4 | SVE | SVE2 | DIT,
	"darwin":  NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | DIT,
	"ios":     NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | DIT,
	"windows": NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SVE | SVE2,
	"freebsd": NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SM3 | SM4 | SVE | SVE2 | DIT,
	"netbsd":  NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SM3 | SM4 | SVE | SVE2 | DIT,
	"openbsd": NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SM3 | SM4,
}

// fields are those of cpu.ARM64 in golang.org/x/sys that detect uses.
var fields = map[string]Set{"ASIMD": NEON, "AES": AES, "PMULL": PMULL, "SHA2": SHA2, "SHA3": SHA3, "SHA512": SHA512,
	"SM3": SM3, "SM4": SM4, "SVE": SVE, "SVE2": SVE2, "DIT": DIT}

// TestSystems looks for what sets each feature in the source text of golang.org/x/sys, in the
// version that the go command chooses here and in that of go.mod, and of this package: few of
// these systems can run the tests. It does not tell whether a system answers as expected.
func TestSystems(t *testing.T) {
	if _, err := os.Stat("apple_arm64.go"); err != nil {
		t.Skip("run away from the source text")
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	assigned := regexp.MustCompile(`ARM64\.Has(\w+) += +(\w+)`)
	registers := regexp.MustCompile(`parseARM64SystemRegisters\(.*, (\S+)\)`)
	row := regexp.MustCompile(`\{"hw\.optional\.\S+", (\w+)\}`)
	base := regexp.MustCompile(`s := (NEON.*)`)
	workspaces := []string{"GOWORK=off"}
	cmd := exec.Command("go", "list", "golang.org/x/sys/cpu")
	cmd.Env = append(os.Environ(), "GOWORK=")
	if cmd.Run() == nil {
		workspaces = append(workspaces, "GOWORK=") // this version of Go is new enough for go.work
	}
	for _, workspace := range workspaces {
		for goos, want := range systems {
			list := exec.Command("go", "list", "-f", `{{.Dir}} {{join .GoFiles " "}}`, "golang.org/x/sys/cpu")
			list.Env = append(os.Environ(), workspace, "GOFLAGS=", "CGO_ENABLED=0", "GOOS="+goos, "GOARCH=arm64")
			out, err := list.Output()
			if err != nil {
				t.Skip(err) // there is no go command
			}
			dir, names, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
			var got Set
			all := isar0Fields | NEON | SVE | SVE2 | DIT
			for _, name := range strings.Fields(names) {
				text := read(filepath.Join(dir, name))
				if name == "cpu_arm64.go" || !strings.Contains(name, "_arm64") {
					continue // the parser of registers, and what is for all architectures
				}
				if strings.Contains(text, "setMinimalFeatures()") {
					got |= NEON
				}
				for _, m := range assigned.FindAllStringSubmatch(text, -1) {
					if m[2] != "false" && !(goos == "windows" && m[1] == "SM3") { // see detect
						got |= fields[m[1]]
					}
				}
				if m := registers.FindStringSubmatch(text); m != nil && m[1] == "0" {
					got |= isar0Fields | NEON
				} else if m != nil {
					got |= all
				}
			}
			switch goos {
			case "freebsd": // archInit reads the registers
				got |= all
			case "darwin", "ios": // and our part
				text := read("apple_arm64.go")
				for _, m := range row.FindAllStringSubmatch(text, -1) {
					got |= Parse(strings.ToLower(m[1]))
				}
				for _, name := range strings.Split(base.FindStringSubmatch(text)[1], " | ") {
					got |= Parse(strings.ToLower(name))
				}
			}
			if got != want {
				t.Errorf("%s, %s %s: %v, want %v", goos, workspace, filepath.Base(filepath.Dir(dir)), got, want)
			}
		}
	}
}

// isar0Fields is isar0Features of arm64.
const isar0Fields = AES | PMULL | SHA2 | SHA512 | SHA3 | SM3 | SM4
