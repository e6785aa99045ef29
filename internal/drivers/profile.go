package drivers

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/wrap"
)

// A Profile contains the best driver for each package, according to measurements on
// one machine. The command "cipherlane tune" writes it to a file, in the format of
// encoding/json; [LoadProfile] and the variable CIPHERLANE_PROFILE activate it. It is
// valid for that machine and that version of cipherlane only.
type Profile struct {
	Schema   int    `json:"schema"`   // 1
	Version  string `json:"version"`  // of cipherlane
	CPU      string `json:"cpu"`      // model name; may be empty
	Arch     string `json:"arch"`     // GOARCH
	Features string `json:"features"` // of the CPU, separated by spaces

	// Features that the system does not tell and that passed tests, separated by spaces,
	// and the kernel under which they did. They are used only if CIPHERLANE_PROFILE names
	// the file when the program starts.
	Tried  string `json:"tried,omitempty"`
	Kernel string `json:"kernel,omitempty"`

	Drivers map[string]Choice `json:"drivers"` // by package

	Linux      string      `json:"linux,omitempty"` // release on which the crossovers were measured
	Crossovers []Crossover `json:"crossovers,omitempty"`

	listed []string // the packages of Drivers in a file: a loop over a map is 6 kB in every program
}

// A Choice is a [Plan] with the names of drivers. Short and BulkMin are set only if
// inputs below BulkMin bytes, but not below ShortMin, use another driver, Short. Serial is set only if it is not
// that for short inputs, and Many only if it is not Bulk.
type Choice struct {
	Short   string `json:"short,omitempty"`
	Bulk    string `json:"bulk"`
	BulkMin int    `json:"bulk_min,omitempty"`
	Serial  string `json:"serial,omitempty"`
	Many    string `json:"many,omitempty"`

	ShortMin int `json:"short_min,omitempty"`
}

// names returns the names of the drivers by kind of work.
func (c *Choice) names() [kinds]string {
	short := cmp.Or(c.Short, c.Bulk)
	shortest := short
	if c.ShortMin > 0 {
		shortest = c.Bulk
	}
	return [kinds]string{Short: short, Bulk: c.Bulk, Serial: cmp.Or(c.Serial, shortest), Many: cmp.Or(c.Many, c.Bulk)}
}

// A Crossover contains the size from which on Linux is faster than this library for an
// operation. The time for n bytes is A + B n nanoseconds with Linux's driver and
// SoftA + SoftB n nanoseconds in software.
type Crossover struct {
	Algorithm string  `json:"algorithm"` // "cbc(aes)"
	Driver    string  `json:"driver"`    // Linux's name for it: "cbc-aes-virtio"
	KeySize   int     `json:"key_size"`  // bytes
	Decrypt   bool    `json:"decrypt"`
	A         float64 `json:"a"` // ns
	B         float64 `json:"b"` // ns per byte
	SoftA     float64 `json:"soft_a"`
	SoftB     float64 `json:"soft_b"`
	From      int     `json:"from"` // minimum size, in bytes, for which Linux is used; 0: never
}

// packages lists all packages that register drivers. A program need not link them all,
// so without this list a misspelled name in a profile would look like a package that is
// not linked.
var packages = []string{"aes", "chacha20", "chacha20poly1305", "frodokem", "sm2", "sm3", "sm4"}

// NewProfile returns a profile for this machine without any choices.
func NewProfile() *Profile {
	told, _ := cpu.Told().MarshalText()
	p := &Profile{
		Schema:   schema,
		Version:  version,
		CPU:      cpu.Model(),
		Arch:     runtime.GOARCH,
		Features: string(told),
		Drivers:  map[string]Choice{},
	}
	if cpu.Assertable() != 0 {
		p.Try(cpu.Features() &^ cpu.Told())
	}
	return p
}

// Try sets the features that passed tests although the system does not tell them.
func (p *Profile) Try(passed Features) {
	p.Tried, p.Kernel = "", ""
	if passed != 0 {
		p.Tried, p.Kernel = passed.String(), kernel()
	}
}

// schema is the version of the file format.
const schema = 1

// maxProfile is the maximum size of a profile, in bytes.
const maxProfile = 1 << 20

// parseProfile parses a profile and checks everything that does not depend on the
// machine.
func parseProfile(text string, float floatParser) (*Profile, error) {
	if len(text) > maxProfile {
		return nil, errors.New("is not a profile: too long")
	}
	// Check the schema first: other schemas may have other fields.
	found := 0
	s := &scanner{text: text}
	s.object(func(name string) {
		if name == "schema" {
			found = s.int()
		} else {
			s.any()
		}
	})
	s.end()
	switch {
	case s.err != nil:
		return nil, wrap.Error("is not a profile: ", s.err, "")
	case found == 0:
		return nil, errors.New("is not a profile: no schema")
	case found != schema:
		return nil, errors.New("has schema " + strconv.Itoa(found) + ", and this version of cipherlane reads schema " + strconv.Itoa(schema))
	}
	p := &Profile{}
	s = &scanner{text: text, float: float}
	p.scan(s)
	if s.err != nil {
		return nil, wrap.Error("is not a profile: ", s.err, "")
	}
	if p.Version == "" || p.Arch == "" || p.Drivers == nil {
		return nil, errors.New("is not a profile: no version, architecture or drivers")
	}
	if _, ok := p.tried(); !ok && cpu.Assertable() != 0 {
		return nil, errors.New("no feature that was tried under kernel " + wrap.Quote(p.Kernel) + " is in " + wrap.Quote(p.Tried))
	}
	for _, c := range p.Crossovers {
		if c.Algorithm == "" || c.Driver == "" || c.KeySize < 0 || c.From < 0 || p.Linux == "" {
			return nil, errors.New("no crossover with Linux " + wrap.Quote(p.Linux) + ": algorithm " + wrap.Quote(c.Algorithm) +
				", driver " + wrap.Quote(c.Driver) + ", key_size " + strconv.Itoa(c.KeySize) + ", from " + strconv.Itoa(c.From))
		}
		if min(c.A, c.B, c.SoftA, c.SoftB) < 0 {
			return nil, errors.New("no crossover of " + wrap.Quote(c.Algorithm) + " with driver " + wrap.Quote(c.Driver) + ": a time is negative")
		}
	}
	return p, nil
}

func (p *Profile) scan(s *scanner) {
	s.fields(
		field{"schema", &p.Schema},
		field{"version", &p.Version},
		field{"cpu", &p.CPU},
		field{"arch", &p.Arch},
		field{"features", &p.Features},
		field{"tried", &p.Tried},
		field{"kernel", &p.Kernel},
		field{"drivers", func() {
			p.Drivers = map[string]Choice{}
			s.object(func(pkg string) {
				var c Choice
				c.scan(s)
				if c.Bulk == "" || c.BulkMin < 0 || (c.Short == "") != (c.BulkMin == 0) || c.ShortMin < 0 || c.ShortMin > max(c.BulkMin-1, 0) {
					s.fail("package " + wrap.Quote(pkg) + ": no choice of drivers: bulk " + wrap.Quote(c.Bulk) +
						", short " + wrap.Quote(c.Short) + ", bulk_min " + strconv.Itoa(c.BulkMin) + ", short_min " + strconv.Itoa(c.ShortMin))
				}
				p.Drivers[pkg] = c
				p.listed = append(p.listed, pkg)
			})
		}},
		field{"linux", &p.Linux},
		field{"crossovers", func() {
			s.array(func() {
				var c Crossover
				c.scan(s)
				p.Crossovers = append(p.Crossovers, c)
			})
		}},
	)
}

func (c *Choice) scan(s *scanner) {
	s.fields(
		field{"short", &c.Short},
		field{"bulk", &c.Bulk},
		field{"bulk_min", &c.BulkMin},
		field{"serial", &c.Serial},
		field{"many", &c.Many},
		field{"short_min", &c.ShortMin},
	)
}

func (c *Crossover) scan(s *scanner) {
	s.fields(
		field{"algorithm", &c.Algorithm},
		field{"driver", &c.Driver},
		field{"key_size", &c.KeySize},
		field{"decrypt", &c.Decrypt},
		field{"a", &c.A},
		field{"b", &c.B},
		field{"soft_a", &c.SoftA},
		field{"soft_b", &c.SoftB},
		field{"from", &c.From},
	)
}

// check returns an error if the profile is not for this machine and this program.
func (p *Profile) check(tables []*Table) error {
	if err := p.bound(); err != nil {
		return err
	}
	if tried, _ := p.tried(); p.Tried != "" && (cpu.Assertable() == 0 || tried != cpu.Features()&^cpu.Told()) {
		return mismatchError("has features that the system does not tell (" + p.Tried + "): they are used only if " + variable + " names the profile when the program starts, on an architecture where that is safe")
	}
	for _, pkg := range p.listed {
		if !slices.Contains(packages, pkg) && !slices.ContainsFunc(tables, func(t *Table) bool { return t.pkg == pkg }) {
			return errors.New("no package " + wrap.Quote(pkg))
		}
	}
	for _, t := range tables {
		if c, ok := p.Drivers[t.pkg]; ok {
			if err := t.suits(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// tried returns the features that the profile adds to those that the system tells, and
// whether they are valid.
func (p *Profile) tried() (s Features, ok bool) {
	if cpu.Assertable() == 0 {
		return 0, p.Tried == ""
	}
	for rest, name := p.Tried, ""; rest != ""; {
		name, rest, _ = strings.Cut(rest, " ")
		feature := cpu.Parse(name)
		if feature == 0 || p.Kernel == "" {
			return 0, false
		}
		s |= feature
	}
	return s, true
}

// bound returns an error if the profile was made for another machine or another version.
func (p *Profile) bound() error {
	told, _ := cpu.Told().MarshalText()
	release := ""
	switch {
	case p.Tried != "" && cpu.Assertable() == 0: // check refuses it
		release = p.Kernel
	case p.Tried != "":
		release = kernel()
	}
	for _, c := range []struct{ what, got, want string }{
		{"version of cipherlane", p.Version, version},
		{"architecture", p.Arch, runtime.GOARCH},
		{"CPU", p.CPU, cpu.Model()},
		{"set of CPU features", p.Features, string(told)},
		{"kernel", p.Kernel, release},
	} {
		if c.got != c.want {
			return mismatchError("is for another " + c.what + ": " + wrap.Quote(c.got) + ", and this is " + wrap.Quote(c.want) + " (cipherlane tune makes a new one)")
		}
	}
	return nil
}

// assert adds the features of the profile that CIPHERLANE_PROFILE names to those that the
// system tells. It runs before tables exist, and does nothing on architectures where
// features cannot be added. If the profile is not valid, ask reports that later.
func assert() {
	if cpu.Assertable() == 0 {
		return
	}
	path, _ := getenv(variable)
	if path == "" {
		return
	}
	if p, _, err := readProfile(path, nil); err == nil && p.bound() == nil {
		if tried, _ := p.tried(); cpu.Assertable().Has(tried) {
			cpu.Assert(tried)
		}
	}
}

// mismatchError is the error for a profile of another machine or version. It matches
// [ErrUnavailable].
type mismatchError string

func (e mismatchError) Error() string      { return string(e) }
func (mismatchError) Is(target error) bool { return target == ErrUnavailable }

// suits returns an error if a choice is not valid for the table on this CPU.
func (t *Table) suits(c Choice) error {
	for _, name := range c.names() {
		i := index(t.rows, name)
		if i < 0 {
			return t.unknown(name)
		}
		// Not Missing, which includes features that CIPHERLANE disables.
		if missing := t.rows[i].Needs &^ cpu.Features(); missing != 0 {
			return t.lacks(name, missing)
		}
	}
	return nil
}

// plan returns the plan of the profile for a table, and false if the profile is nil or
// contains no plan for it that this program can use now.
func (p *Profile) plan(t *Table) (Plan, bool) {
	if p == nil {
		return 0, false
	}
	c, ok := p.Drivers[t.pkg]
	if !ok || t.suits(c) != nil { // the package may have been linked after check
		return 0, false
	}
	var rows [kinds]uint8
	for kind, name := range c.names() {
		i := index(t.rows, name)
		if !t.rows[i].Available() { // CIPHERLANE disables a feature
			return 0, false
		}
		rows[kind] = uint8(i)
	}
	return NewPlan(rows[Short], rows[Bulk], rows[Serial], rows[Many], c.BulkMin).From(c.ShortMin), true
}

// inForce is the active profile, guarded by the mutex of linked.
var inForce profileState

type profileState struct {
	asked   bool     // CIPHERLANE_PROFILE has been read
	failure error    // why it has no effect
	profile *Profile // nil if there is none; its crossovers may lack numbers
	text    string
	source  string
}

// whole returns a copy of the profile, with the numbers of crossovers.
func (s *profileState) whole() *Profile {
	p, _ := parseProfile(s.text, strconv.ParseFloat) // no error: the text is that of a profile
	return p
}

// variable names the environment variable.
const variable = "CIPHERLANE_PROFILE"

// ask reads the profile that CIPHERLANE_PROFILE names, once. It is not called before
// the profile is needed, so that programs that use no algorithm do not read the file.
// The mutex must be held.
func ask() {
	if inForce.asked {
		return
	}
	inForce.asked = true
	path, err := getenv(variable)
	if path == "" {
		inForce.failure = err
		return
	}
	p, text, err := readProfile(path, nil)
	if err == nil {
		err = p.check(linked.tables)
	}
	if err != nil {
		inForce.failure = wrap.Error(path+": ", err, "")
		return
	}
	inForce.profile, inForce.text, inForce.source = p, text, path
}

var errNotRegular = errors.New("is not a regular file")

func readProfile(path string, float floatParser) (*Profile, string, error) {
	text, distrust, err := readFile(path)
	if err != nil {
		return nil, "", reason(err)
	}
	p, err := parseProfile(text, float)
	if err == nil && p.Tried != "" && distrust != nil {
		return nil, "", wrap.Error("has features that the system does not tell ("+p.Tried+"): ", distrust, "")
	}
	return p, text, err
}

// readProfileFrom also returns the text.
func readProfileFrom(r io.Reader, float floatParser) (*Profile, string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, "", reason(err)
	}
	p, err := parseProfile(string(text), float)
	return p, string(text), err
}

// reason removes the path from an error, because messages begin with it.
func reason(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

// LoadProfile activates the profile in a file and replaces any other profile. Objects
// made from now on use the drivers that it names, except where CIPHERLANE names
// others. If the file is not a valid profile for this machine and this program,
// LoadProfile returns an error and changes nothing. The error wraps [ErrUnavailable]
// if the profile was made on another machine or by another version. LoadProfile may be
// called at any time.
func LoadProfile(path string) error {
	p, text, err := readProfile(path, strconv.ParseFloat)
	if err == nil {
		err = p.use(text, path)
	}
	if err != nil {
		return wrap.Error("driver: profile "+path+": ", err, "")
	}
	return nil
}

// UseProfile is like [LoadProfile], for a profile that is not in a file, such as an
// embedded one. The name is used in messages.
func UseProfile(r io.Reader, name string) error {
	p, text, err := readProfileFrom(r, strconv.ParseFloat)
	if err == nil {
		err = p.use(text, name)
	}
	if err != nil {
		return wrap.Error("driver: profile "+name+": ", err, "")
	}
	return nil
}

func (p *Profile) use(text, source string) error {
	linked.Lock()
	defer linked.Unlock()
	ask() // now, so that it does not replace p later
	if err := p.check(linked.tables); err != nil {
		return err
	}
	inForce.profile, inForce.text, inForce.source = p, text, source
	for _, t := range linked.tables {
		t.decide()
	}
	return nil
}

// ProfileInForce returns a copy of the active profile and the name of its file, or nil
// and "" if there is none.
func ProfileInForce() (p *Profile, source string) {
	linked.Lock()
	defer linked.Unlock()
	ask()
	if inForce.profile == nil {
		return nil, ""
	}
	return inForce.whole(), inForce.source
}

// Crossovers returns the crossovers of the active profile, if they were measured on
// the running release of Linux.
func Crossovers() []Crossover {
	p, _ := ProfileInForce()
	if p == nil || len(p.Crossovers) == 0 || p.Linux != linuxRelease() {
		return nil
	}
	return p.Crossovers
}

// linuxRelease returns the output of uname -r, or "" on other systems.
func linuxRelease() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil || runtime.GOOS != "linux" {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// profileWarnings returns why CIPHERLANE_PROFILE, or a part of the active profile, has
// no effect.
func profileWarnings() []string {
	linked.Lock()
	defer linked.Unlock()
	ask()
	var list []string
	if inForce.failure != nil {
		list = append(list, variable+": "+inForce.failure.Error())
	}
	if inForce.profile != nil {
		for _, t := range linked.tables { // some may have been linked later
			if c, ok := inForce.profile.Drivers[t.pkg]; ok {
				if err := t.suits(c); err != nil {
					list = append(list, "profile "+inForce.source+": "+err.Error())
				}
			}
		}
	}
	return list
}
