package driver

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// environment is what CIPHERLANE said when the program started. This is the
// only place that reads the variable.
var environment = func() settings {
	text, err := getenv("CIPHERLANE")
	e := parse(text)
	if err != nil {
		e.warnings = append(e.warnings, "CIPHERLANE: "+err.Error())
	}
	return e
}()

var errPrivileged = errors.New("ignored, because this program has rights that its caller need not have (setuid, setgid or file capabilities)")

// getenv returns an environment variable, but not to a program with more rights than
// its caller, who has set the variable. Without the variable nothing is asked.
func getenv(name string) (string, error) {
	value := os.Getenv(name)
	if value != "" && privileged() {
		return "", errPrivileged
	}
	return value, nil
}

func differentIDs() bool { return os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() }

type settings struct {
	use      map[string]string // package: driver
	without  Features
	linux    LinuxMode
	linuxSet bool // there is a term about it
	warnings []string
}

func parse(s string) settings {
	e := settings{use: map[string]string{}}
	for term := range strings.SplitSeq(s, ",") {
		if term = strings.TrimSpace(term); term != "" && !e.take(term) {
			e.warnings = append(e.warnings, fmt.Sprintf("CIPHERLANE: unknown term %q", term))
		}
	}
	return e
}

// take notes what a term says, and reports whether it says anything.
func (e *settings) take(term string) bool {
	if name, ok := strings.CutPrefix(term, "-"); ok {
		feature := cpu.Parse(name)
		e.without |= feature
		return feature != 0
	}
	if name, ok := strings.CutPrefix(term, "linux="); ok {
		i := slices.Index(linuxModes[:], name)
		e.linux, e.linuxSet = LinuxMode(max(i, 0)), true // what is not understood was to switch off
		return i >= 0
	}
	pkg, name, _ := strings.Cut(term, ":")
	if pkg == "" || pkg == "linux" || name == "" || strings.Trim(pkg, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return false
	}
	e.use[pkg] = name
	return true
}

// Choices returns the drivers that CIPHERLANE names, by package: also those of
// packages that are not linked into this program.
func Choices() map[string]string { return maps.Clone(environment.use) }

// A LinuxMode says which of the drivers inside Linux may work on messages.
type LinuxMode uint8

const (
	LinuxOff    LinuxMode = iota // none
	LinuxEngine                  // those of crypto engines beside the CPU
	LinuxAny                     // whatever Linux gives
)

var linuxModes = [...]string{LinuxOff: "off", LinuxEngine: "engine", LinuxAny: "any"}

// String returns the word that CIPHERLANE has for it.
func (m LinuxMode) String() string {
	if int(m) >= len(linuxModes) {
		return "unknown"
	}
	return linuxModes[m]
}

// Linux returns what CIPHERLANE says about drivers inside Linux, and whether it
// says anything: "linux=off" forbids them, whatever the program wants. Only
// programs that import package linux have them.
func Linux() (mode LinuxMode, ok bool) { return environment.linux, environment.linuxSet }

// Warnings lists the terms of CIPHERLANE that had no effect: all of them in a setuid
// program, those not understood, those that name a package which is linked into this program
// but has no such driver, or cannot run it here, and those about Linux in a
// program without package linux. It also says why the profile that
// CIPHERLANE_PROFILE names is not in force, and which drivers inside Linux are no
// longer used because they failed; of those that were tried it says which requests
// they get and how many they got, or why they get none.
func Warnings() []string {
	list := append([]string(nil), environment.warnings...)
	for _, t := range List() {
		if name, ok := environment.use[t.pkg]; ok {
			if _, err := t.On(name); err != nil {
				list = append(list, "CIPHERLANE: "+err.Error())
			}
		}
	}
	if environment.linux != LinuxOff && !offload.Linked() {
		list = append(list, fmt.Sprintf("CIPHERLANE: linux=%v: this program does not import package linux", environment.linux))
	}
	list = append(list, profileWarnings()...)
	return append(list, offload.Warnings()...)
}
