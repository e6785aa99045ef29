package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/ci/section"
)

// The section of docs/benchmarks.md is made from docs/machines.
func TestSection(t *testing.T) {
	text, err := markdown("../../docs/machines")
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	if section.With(string(old), text) != string(old) {
		t.Errorf("%q of docs/benchmarks.md is not made from docs/machines: go run ./ci/speeds -write", heading)
	}
}

func TestMarkdown(t *testing.T) {
	dir := t.TempDir()
	if _, err := markdown(dir); err == nil {
		t.Error("no error without files")
	}
	os.WriteFile(filepath.Join(dir, "odd.json"), []byte(`{"date": "2026-01-02", "seconds": 3, "machine": {"cpu": "X", "os": "linux", "arch": "arm64", "go": "go1", "cores": 4}, "results": [
		{"algorithm": "a", "key_bits": 128, "driver": "slow", "operation": "seal", "bytes": 16, "mb_per_s": 1, "ns": 16000},
		{"algorithm": "a", "key_bits": 128, "driver": "fast", "operation": "seal", "bytes": 16, "mb_per_s": 2.5, "ns": 6400, "auto": true},
		{"algorithm": "a", "key_bits": 128, "driver": "bulk", "operation": "seal", "bytes": 1408, "mb_per_s": 1234.5, "ns": 1, "auto": true},
		{"algorithm": "k", "driver": "fast", "operation": "encap", "bytes": 999, "mb_per_s": 1, "ns": 1000, "auto": true},
		{"algorithm": "sm2", "driver": "fast", "operation": "sign-many", "bytes": 512, "mb_per_s": 1, "ns": 16000, "auto": true}]}`), 0o600)
	got, err := markdown(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n### odd\n\nX, 4 cores, linux/arm64, go1; 2026-01-02, for 3 s.\n", "\n| a, 128 bits | seal | fast, bulk | 2.50 |  |  | 1234 |  |  |\n", "\n| k | encap | fast | 1000000 |\n| sm2 | sign-many | fast | 1000000 |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	os.WriteFile(filepath.Join(dir, "bad.json"), []byte("{}"), 0o600)
	if _, err := markdown(dir); err == nil {
		t.Error("no error for a file without results")
	}
}
