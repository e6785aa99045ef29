module github.com/cipherlane/cipherlane/cmd/cipherlane

go 1.26.0

// The library in this repository: both are released together.
require github.com/cipherlane/cipherlane v0.0.0-00010101000000-000000000000

replace github.com/cipherlane/cipherlane => ../..

// Flags and subcommands from struct tags, with help.
require github.com/alecthomas/kong v1.17.0

// scrypt, for encrypted private keys.
require golang.org/x/crypto v0.58.0

// Tables that wrap to the terminal, and colours that respect NO_COLOR.
require charm.land/lipgloss/v2 v2.0.6

// Is it a terminal, and how wide?
require golang.org/x/term v0.47.0

// Files without a name, on Linux.
require golang.org/x/sys v0.49.0

// What lipgloss needs.
require (
	github.com/charmbracelet/colorprofile v0.4.3 // indirect
	github.com/charmbracelet/ultraviolet v0.0.0-20260811164956-006e29f97886 // indirect
	github.com/charmbracelet/x/ansi v0.11.8 // indirect
	github.com/charmbracelet/x/term v0.2.2 // indirect
	github.com/charmbracelet/x/termios v0.1.1 // indirect
	github.com/charmbracelet/x/windows v0.2.2 // indirect
	github.com/clipperhouse/displaywidth v0.11.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/lucasb-eyer/go-colorful v1.4.1 // indirect
	github.com/mattn/go-runewidth v0.0.24 // indirect
	github.com/muesli/cancelreader v0.2.2 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/xo/terminfo v0.0.0-20220910002029-abceb7e1c41e // indirect
	golang.org/x/sync v0.22.0 // indirect
)
