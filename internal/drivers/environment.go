package drivers

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/internal/wrap"
)

// environment contains the settings of CIPHERLANE when the program started. The
// variable is read only here.
var environment = func() settings {
	text, err := getenv("CIPHERLANE")
	e := parse(text)
	if err != nil {
		e.warnings = append(e.warnings, "CIPHERLANE: "+err.Error())
	}
	return e
}()

var errPrivileged = errors.New("ignored, because this program has rights that its caller need not have (setuid, setgid or file capabilities)")

// getenv returns the value of an environment variable. If the variable is set and this
// program has more privileges than its caller, who controls the environment, getenv
// returns an error instead.
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
	disabled Features
	linux    LinuxMode
	linuxSet bool // there is a term for linux
	warnings []string
}

func parse(s string) settings {
	e := settings{use: map[string]string{}}
	for term := ""; s != ""; {
		term, s, _ = strings.Cut(s, ",")
		if term = strings.Trim(term, " \t\r\n"); term != "" && !e.take(term) {
			e.warnings = append(e.warnings, "CIPHERLANE: unknown term "+wrap.Quote(term))
		}
	}
	return e
}

// take applies a term to the settings, and reports whether the term is valid.
func (e *settings) take(term string) bool {
	if name, ok := strings.CutPrefix(term, "-"); ok {
		feature := cpu.Parse(name)
		e.disabled |= feature
		return feature != 0
	}
	if name, ok := strings.CutPrefix(term, "linux="); ok {
		i := slices.Index(linuxModes[:], name)
		e.linux, e.linuxSet = LinuxMode(max(i, 0)), true // an unknown value means off
		return i >= 0
	}
	pkg, name, _ := strings.Cut(term, ":")
	if pkg == "" || pkg == "linux" || name == "" || strings.Trim(pkg, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return false
	}
	e.use[pkg] = name
	return true
}

// Choices returns the drivers that CIPHERLANE names, by package, including packages
// that are not linked into this program.
func Choices() map[string]string { return maps.Clone(environment.use) }

// A LinuxMode selects the drivers inside Linux that may process messages.
type LinuxMode uint8

const (
	LinuxOff    LinuxMode = iota // none
	LinuxEngine                  // drivers of crypto engines beside the CPU
	LinuxAny                     // whatever driver Linux selects
)

var linuxModes = [...]string{LinuxOff: "off", LinuxEngine: "engine", LinuxAny: "any"}

// String returns the name of the mode in CIPHERLANE.
func (m LinuxMode) String() string {
	if int(m) >= len(linuxModes) {
		return "unknown"
	}
	return linuxModes[m]
}

// Linux returns the mode that CIPHERLANE sets for drivers inside Linux, and whether it
// sets one: "linux=off" forbids them, even if the program enables them. Only programs
// that import package linux can use them.
func Linux() (mode LinuxMode, ok bool) { return environment.linux, environment.linuxSet }

// Warnings returns lines for people about:
//   - CIPHERLANE, if it is ignored because the program is privileged;
//   - terms of CIPHERLANE that have no effect: unknown terms, drivers that a linked
//     package does not have or that cannot run on this machine, and linux=engine or
//     linux=any in a program without package linux;
//   - the reason why the profile in CIPHERLANE_PROFILE is not active;
//   - drivers inside Linux that are no longer used because they failed;
//   - the state of all drivers inside Linux that were tried: which requests they get
//     and how many they have handled, or why they get none.
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
		list = append(list, "CIPHERLANE: linux="+environment.linux.String()+": this program does not import package linux")
	}
	list = append(list, profileWarnings()...)
	return append(list, offload.Warnings()...)
}
