package cli

import "testing"

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "a.txt", "ä/b": "ä/b", "": `""`, "a b": `"a b"`, "a\nb": `"a\nb"`, `a"b`: `"a\"b"`, "\xff": `"\xff"`,
	} {
		if got := Quote(name); got != want {
			t.Errorf("quote(%q) = %s, want %s", name, got, want)
		}
	}
}
