package cli

import (
	"os"
	"runtime"
	"strconv"
)

// A style is a number of ECMA-48's control function SGR.
type style string

const (
	bold  style = "1"
	green style = "32"
)

// styled returns text in a style, as far as the terminal and the user want that.
func styled(s style, text string) string {
	if !wantsStyle(s, os.Getenv) {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// wantsStyle reports whether the environment lets a terminal show a style: NO_COLOR
// (no-color.org) is against colours, a terminal without a name or with the name "dumb" has no
// styles, and CLICOLOR_FORCE (bixense.com/clicolors) says that it has.
func wantsStyle(s style, getenv func(string) string) bool {
	if s == green && getenv("NO_COLOR") != "" {
		return false
	}
	if forced, _ := strconv.ParseBool(getenv("CLICOLOR_FORCE")); forced {
		return true
	}
	name := getenv("TERM")
	return name != "dumb" && (name != "" || runtime.GOOS == "windows") // Windows does not set it
}
