package section

import "testing"

func TestSection(t *testing.T) {
	heading := "## Counts on arm64"
	text := heading + "\n\nnew\n"
	for before, want := range map[string]string{
		"# A\n\n## B\n\nb\n\n## Files\n\nf\n":                       "# A\n\n## B\n\nb\n\n" + text + "\n## Files\n\nf\n",
		"# A\n\n" + heading + "\n\nold\n\n### x\n\n## Files\n\nf\n": "# A\n\n" + text + "\n## Files\n\nf\n",
		"# A\n\n" + heading + "\n\nold\n":                           "# A\n\n" + text,
		"# A\n":                                                     "# A\n" + text,
		"# A\n\n" + heading + " of others\n\nx\n\n" + heading + "\n\n## B\nb\n": "# A\n\n" + heading + " of others\n\nx\n\n" + text + "\n## B\nb\n",
	} {
		if got := With(before, text); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", before, got, want)
		}
	}
}
