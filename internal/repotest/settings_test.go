package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// On ppc64le package aescore does not use crypto/aes when a setting of GODEBUG makes it use tables. It must know
// every such setting that Go's source has.
func TestSettingsOfCryptoAES(t *testing.T) {
	ours, err := os.ReadFile("../aescore/drivers_ppc64le.go")
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, pattern := range []string{"*.go", "*/*.go"} {
		list, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/crypto/internal/fips140/aes", pattern))
		for _, file := range list {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`godebug\.Value\("#?(\w+)"\)`).FindAllStringSubmatch(string(text), -1) {
				found++
				if !strings.Contains(string(ours), `"`+m[1]+`=off"`) {
					t.Errorf("%s has the setting %s, which aescore does not know", file, m[1])
				}
			}
		}
	}
	if found < 2 {
		t.Errorf("found %d settings in Go's source, want 2 or more", found)
	}
}
