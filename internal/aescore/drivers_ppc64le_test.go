//go:build !purego

package aescore

import "testing"

// A setting with which crypto/aes uses tables removes std from the list of drivers. That Go has no other such
// setting is a test of package repotest.
func TestStd(t *testing.T) {
	for setting, want := range map[string]bool{"other=off": true, "ppc64aes=off": false, "ppc64gcm=off": false} {
		t.Setenv("GODEBUG", "madvdontneed=1,"+setting)
		if got := len(Rows()) > int(std); got != want {
			t.Errorf("with %s, std is in the list: %v", setting, got)
		}
	}
}
