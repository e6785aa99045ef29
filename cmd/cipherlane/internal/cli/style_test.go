package cli

import (
	"runtime"
	"testing"
)

func TestStyles(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		bold, green bool
	}{
		{map[string]string{"TERM": "xterm"}, true, true},
		{map[string]string{"TERM": "linux", "NO_COLOR": ""}, true, true},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "yes"}, true, false},
		{map[string]string{"TERM": "dumb"}, false, false},
		{map[string]string{"TERM": "dumb", "CLICOLOR_FORCE": "0"}, false, false},
		{map[string]string{"TERM": "dumb", "CLICOLOR_FORCE": "1"}, true, true},
		{map[string]string{"TERM": "dumb", "CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, true, false},
		{nil, runtime.GOOS == "windows", runtime.GOOS == "windows"},
	} {
		getenv := func(name string) string { return c.environment[name] }
		if b, g := wantsStyle(bold, getenv), wantsStyle(green, getenv); b != c.bold || g != c.green {
			t.Errorf("%v: bold %v, green %v, want %v and %v", c.environment, b, g, c.bold, c.green)
		}
	}
}
