//go:build !purego

package aescore

import (
	"go/build"
	"os"
	"regexp"
	"testing"
)

// Every setting of Go's source with which crypto/aes uses tables removes std from the list of drivers.
func TestStd(t *testing.T) {
	names := []string{"other"}
	for _, file := range []string{"aes_asm.go", "gcm/gcm_ppc64x.go"} {
		text, _ := os.ReadFile(build.Default.GOROOT + "/src/crypto/internal/fips140/aes/" + file)
		for _, m := range regexp.MustCompile(`godebug\.Value\("#?(\w+)"\)`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 3 {
		t.Errorf("Go's source has the settings %q, want 2 more", names)
	}
	for i, name := range names {
		t.Setenv("GODEBUG", "madvdontneed=1,"+name+"=off")
		if got := len(Rows()) > int(std); got != (i == 0) {
			t.Errorf("with %s=off, std is in the list: %v", name, got)
		}
	}
}
