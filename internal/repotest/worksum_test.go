package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkSum: go.work.sum has what the go command adds when it loads all modules, as "go doc" and
// "go list -m all" do. It would otherwise change the file in everybody's clone.
func TestWorkSum(t *testing.T) {
	dir := t.TempDir()
	work := read(t, "go.work")
	names := []string{"go.work", "go.work.sum"}
	for _, m := range regexp.MustCompile(`(?m)^\t(\./?\S*)$`).FindAllStringSubmatch(work, -1) {
		names = append(names, filepath.ToSlash(filepath.Join(m[1], "go.mod")), filepath.ToSlash(filepath.Join(m[1], "go.sum")))
	}
	if len(names) < 8 {
		t.Fatalf("only %q", names)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue
		}
		file := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o700)
		}
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "list", "-m", "all")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("go list -m all: needs the module proxy: %s", out)
		}
		t.Fatalf("go list -m all: %v: %s", err, out)
	}
	after, err := os.ReadFile(filepath.Join(dir, "go.work.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if before := read(t, "go.work.sum"); string(after) != before {
		var missing []string
		for line := range strings.Lines(string(after)) {
			if !strings.Contains(before, line) {
				missing = append(missing, line)
			}
		}
		t.Errorf("go.work.sum lacks\n%s", strings.Join(missing, ""))
	}
}
