// Package doctor has the verb doctor: what this CPU and its Linux kernel provide, what prevents its
// use, and trials of CPU features that the system does not tell.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/linux"
)

// Cmd is the verb doctor.
type Cmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, aes-gcm) or packages (sm4); default: all."`
	Probe      bool     `help:"Also open each algorithm in Linux."`
	Try        []string `placeholder:"FEATURES" help:"Test CPU features that the system does not report, such as zba,zbb, instead."`
	Output     string   `short:"o" placeholder:"FILE" help:"With --try: write the features that passed into this profile."`
	Force      bool     `short:"f" help:"Replace an existing file."`
	JSON       bool     `help:"Print JSON."`
}

// Help returns the description of the verb, with examples.
func (Cmd) Help() string {
	return `Shows the CPU, the profile in force (see cipherlane tune), whether programs can use the
cryptography of the Linux kernel through AF_ALG and what prevents it, and the crypto
engines, which are hardware separate from the CPU. For each algorithm it then shows the
selected driver and the driver that Linux provides.

Drivers inside Linux are used only if CIPHERLANE enables them: linux=engine enables
drivers for crypto engines, and linux=any also drivers that run on the CPU. Either is
used only from the size at which it was measured to be faster.

Without --probe, doctor only reads files. With --probe, it opens each algorithm through
AF_ALG and, if CIPHERLANE contains linux=engine or linux=any, measures it. This may make
Linux load modules and instantiate ciphers, which remain loaded, and may alert security
monitoring. The exit code is 0 even if AF_ALG is not available.

Some systems do not report all features of a riscv64 CPU: OpenBSD, and Linux before
6.4. --try runs the self-tests of the drivers that need a feature in a process of its own,
which an illegal instruction may end. With -o, it writes the features that passed into a
profile, which is valid for this CPU, this kernel and this version of cipherlane only, and
must be a file to which nobody else may write. The features are used if
CIPHERLANE_PROFILE names that file when a program starts. Vectors cannot be tried, because
the kernel must save their registers, nor can Zkt, because it is a promise about time.

Examples:

    cipherlane doctor
    cipherlane doctor --probe aes
    CIPHERLANE=linux=engine cipherlane doctor --probe
    cipherlane doctor --try zba,zbb -o board.json
    cipherlane doctor --json | jq .linux.af_alg`
}

type doctorPart struct {
	State string `json:"state"` // ready, loadable, blocked, absent or unknown
	Why   string `json:"why"`
}

type doctorDriver struct {
	Algorithm string `json:"algorithm"`
	Driver    string `json:"driver"`
	Module    string `json:"module"`
	Type      string `json:"type"`
	Priority  int    `json:"priority"`
	Async     bool   `json:"async"`
}

// Linux is what doctor --json prints of the kernel.
type Linux struct {
	Release      string                `json:"release"`
	Supported    bool                  `json:"supported"` // this program can use AF_ALG
	AFALG        doctorPart            `json:"af_alg"`
	Types        map[string]doctorPart `json:"types"`
	HidesEngines bool                  `json:"hides_engines"`
	Engines      []doctorDriver        `json:"engines"`
	Restrict     *int                  `json:"af_alg_restrict"` // null: the setting does not exist, or not yet
	Privileged   bool                  `json:"privileged"`
	FIPS         bool                  `json:"fips"`
	Seccomp      string                `json:"seccomp"` // off, strict, filter or unknown
	NoNewPrivs   bool                  `json:"no_new_privs"`
	LSM          string                `json:"lsm"`
	Container    []string              `json:"container"`
}

type doctorOffer struct {
	Type    string        `json:"type"`
	State   string        `json:"state"`   // of AF_ALG for this type
	Allowed bool          `json:"allowed"` // by af_alg_restrict
	Driver  *doctorDriver `json:"driver"`  // null: none is registered
	Engine  bool          `json:"engine"`  // the driver is for a crypto engine, separate from the CPU
	Probe   *Probe        `json:"probe,omitempty"`
	Uses    []doctorUse   `json:"uses"` // empty if package linux does not support the algorithm
}

// A doctorUse describes how package linux handles an operation in this program.
type doctorUse struct {
	KeySize   int    `json:"key_size"`
	Operation string `json:"operation"`
	State     string `json:"state"`
	Driver    string `json:"driver"`
	From      int    `json:"from"`  // in bytes; 0: Linux is not used
	Calls     int64  `json:"calls"` // passed to Linux by this process
	Why       string `json:"why"`   // why Linux is not used
}

// A Probe is what became of an attempt to use an algorithm of Linux.
type Probe struct {
	Opened bool   `json:"opened"`
	Reason string `json:"reason"`
	Error  string `json:"error"`
}

type doctorAlgorithm struct {
	Name    string         `json:"name"`
	Package string         `json:"package"`
	Auto    inventory.Plan `json:"auto"`
	Linux   *doctorOffer   `json:"linux"` // null on other systems
}

type doctorReport struct {
	Schema     int                `json:"schema"`
	Machine    inventory.Machine  `json:"machine"`
	Profile    *inventory.Profile `json:"profile"` // null if none is in force
	Linux      *Linux             `json:"linux"`   // null on other systems
	Algorithms []doctorAlgorithm  `json:"algorithms"`
}

// Run runs the verb.
func (c *Cmd) Run(p *cli.Program) error {
	if len(c.Try) > 0 {
		return c.try(p)
	}
	if c.Output != "" || c.Force {
		return cli.Usagef("-o and -f are for --try")
	}
	list, err := inventory.Choose(c.Algorithms)
	if err != nil {
		return err
	}
	var report *doctorReport
	var uses []linux.Use
	if runtime.GOOS == "linux" {
		if mode, _ := drivers.Linux(); c.Probe && mode != drivers.LinuxOff {
			var names []string
			for _, a := range list {
				names = append(names, a.Name)
			}
			linux.Prepare(names...)
			tryLinux(linux.Status(), names)
		}
		uses = linux.Status()
		env := kcapi.ReadEnvironment()
		var probe func(typ, name string) error
		if c.Probe {
			probe = func(typ, name string) error {
				_, err := kcapi.Probe(typ, name)
				return err
			}
		}
		report = diagnose(list, env, uses, probe, kcapi.ReadEnvironment)
	} else {
		report = diagnose(list, nil, nil, nil, nil)
	}
	if c.JSON {
		return p.JSON(report)
	}
	report.print(p)
	return nil
}

// diagnose assembles the report. env is nil on systems other than Linux. After a probe,
// diagnose calls reread to read the environment once more, because probing may load
// modules.
func diagnose(list []catalog.Algorithm, env *kcapi.Environment, uses []linux.Use, probe func(typ, name string) error, reread func() *kcapi.Environment) *doctorReport {
	report := &doctorReport{Schema: 1, Machine: inventory.ThisMachine(), Profile: inventory.ProfileInForce()}
	probes := map[string]*Probe{}
	if env != nil && probe != nil {
		for _, a := range list {
			if !a.PublicKey() {
				probes[a.Name] = Probed(probe(SocketType(a), a.Name))
			}
		}
		env = reread()
		maskedEngines(env, probe)
	}
	if env != nil {
		report.Linux = linuxOf(env)
	}
	for _, a := range list {
		t := a.Table()
		entry := doctorAlgorithm{
			Name: a.Name, Package: a.Package,
			Auto: inventory.AutomaticPlan(t),
		}
		if env != nil && !a.PublicKey() {
			typ := SocketType(a)
			entry.Linux = &doctorOffer{Type: typ, State: env.Types[typ].State.String(), Allowed: env.Allowed(a.Name), Probe: probes[a.Name], Uses: usesOf(uses, a.Name)}
			if r, ok := env.Winner(typ, a.Name); ok {
				d := driverOf(r)
				entry.Linux.Driver = &d
				entry.Linux.Engine = slices.ContainsFunc(env.Engines, func(e kcapi.Record) bool { return e.Driver == r.Driver })
			}
		}
		report.Algorithms = append(report.Algorithms, entry)
	}
	return report
}

func usesOf(list []linux.Use, name string) []doctorUse {
	uses := []doctorUse{}
	for _, u := range list {
		if u.Algorithm == name {
			uses = append(uses, doctorUse{u.KeySize, u.Operation, u.State.String(), u.Driver, u.From, u.Calls, u.Why})
		}
	}
	return uses
}

// Probed describes the result of an attempt.
func Probed(err error) *Probe {
	if err == nil {
		return &Probe{Opened: true}
	}
	r := &Probe{Reason: err.Error(), Error: err.Error()}
	if e := new(kcapi.Error); errors.As(err, &e) {
		r.Reason = e.Reason.Error()
		if e.Detail != "" {
			r.Reason += ": " + e.Detail
		}
	}
	return r
}

// SocketType returns the AF_ALG socket type for an algorithm.
func SocketType(a catalog.Algorithm) string {
	switch {
	case a.Hash != nil || a.MAC != nil:
		return "hash"
	case a.AEAD != nil:
		return "aead"
	default:
		return "skcipher"
	}
}

func driverOf(r kcapi.Record) doctorDriver {
	return doctorDriver{r.Name, r.Driver, r.Module, r.Type, r.Priority, r.Async}
}

// Kernel returns what Linux tells of its crypto API, or nil on another system.
func Kernel() *Linux {
	if runtime.GOOS != "linux" {
		return nil
	}
	return linuxOf(kcapi.ReadEnvironment())
}

func linuxOf(env *kcapi.Environment) *Linux {
	part := func(p kcapi.Part) doctorPart { return doctorPart{p.State.String(), p.Why} }
	l := &Linux{
		Release: env.Release, Supported: env.Supported,
		AFALG: part(env.AFALG), Types: map[string]doctorPart{},
		HidesEngines: env.HidesEngines, Engines: []doctorDriver{},
		Privileged: env.Privileged, FIPS: env.FIPS, Seccomp: env.Seccomp.String(), NoNewPrivs: env.NoNewPrivs,
		LSM: env.LSM, Container: append([]string{}, env.Container...),
	}
	if !env.Supported {
		l.AFALG.Why = env.Summary()
	}
	for typ, p := range env.Types {
		l.Types[typ] = part(p)
	}
	for _, r := range env.Engines {
		l.Engines = append(l.Engines, driverOf(r))
	}
	if env.Restrict >= 0 {
		l.Restrict = &env.Restrict
	}
	return l
}

func (r *doctorReport) print(p *cli.Program) {
	line := func(name, format string, args ...any) {
		p.Title(fmt.Sprintf("%-9s", name), fmt.Sprintf(format, args...))
	}
	line("CPU", "%s", r.Machine)
	line("features", "%s", cmp.Or(strings.Join(r.Machine.Features, " "), "none that this build uses"))
	if tried := cpu.Features() &^ cpu.Told(); tried != 0 {
		line("tried", "%v: from the profile; the system does not report them", tried)
	}
	if untold := cpu.Known(r.Machine.CPU) &^ cpu.Features(); untold != 0 && runtime.GOARCH == "riscv64" {
		text := fmt.Sprintf("CPUs of this model have %v, and the system does not report it", untold)
		if can := untold & cpu.Assertable(); can != 0 {
			text += "; try it: cipherlane doctor --try " + strings.Join(can.Names(), ",")
		}
		line("untold", "%s", text)
	}
	if cpu.Features().Has(cpu.V) { // this command is built with a newer one
		line("Go", "programs that are built with Go 1.24 do not have the drivers with vectors; since Go 1.25 they do")
	}
	if r.Profile != nil {
		line("profile", "%s", r.Profile)
	}
	if l := r.Linux; l == nil {
		line("AF_ALG", "only Linux has it, and this is %s", r.Machine.OS)
	} else {
		l.print(line)
		if hint := l.board(r.Machine.CPU); hint != "" {
			line("K1", "%s", hint)
		}
	}
	p.Say("\n")

	rows := cli.Table{Header: []string{"", "algorithm", "driver", "why"}}
	reachable, tried, missing := r.Linux != nil && r.Linux.reachable(), false, false
	switch {
	case reachable:
		rows.Header = append(rows.Header, "Linux offers")
	case r.Linux != nil:
		rows.Header = append(rows.Header, "Linux has for itself")
	}
	for _, a := range r.Algorithms {
		why := a.Auto.Why
		for _, kind := range inventory.Kinds {
			if rule := a.Auto.Rules[kind.Name]; rule != "" {
				why += "; " + kind.Text + ": " + rule
			}
		}
		cells := []string{"", a.Name, inventory.Taking(a.Auto), why}
		if a.Linux != nil {
			cells = append(cells, a.Linux.describe(reachable))
			missing = missing || a.Linux.Driver == nil
			if a.Linux.Probe != nil {
				tried = true
				cells = append(cells, a.Linux.Probe.String())
			}
		} else if r.Linux != nil {
			cells = append(cells, "none: AF_ALG has no public-key algorithms")
		}
		rows.Add(cells...)
	}
	if tried {
		rows.Header = append(rows.Header, "tried")
	}
	p.Table(rows)
	switch {
	case !reachable:
		return
	case missing && !tried:
		p.Say("\nnone yet: Linux loads and instantiates drivers on request; --probe requests them.\n")
	}
	p.Say("\n")
	r.printUses(p)
}

// printUses prints which operations use Linux in this program, and why others do not.
func (r *doctorReport) printUses(p *cli.Program) {
	mode, said := drivers.Linux()
	switch {
	case mode != drivers.LinuxOff:
	case said:
		p.Say("Linux is not used: CIPHERLANE=linux=off disables it.\n")
		return
	default:
		p.Say("Linux is not used: with CIPHERLANE=linux=engine, crypto engines process long messages where they are faster.\n")
		return
	}
	rows := cli.Table{Header: []string{"", "operation", "key", "in Linux", "calls", "driver", "why not"}, Right: []int{4}}
	for _, a := range r.Algorithms {
		if a.Linux == nil {
			continue
		}
		for _, u := range a.Linux.Uses {
			state, key, calls := u.State, "", ""
			if u.From > 0 {
				state += fmt.Sprintf(", from %d bytes", u.From)
			}
			if u.KeySize > 0 {
				key = fmt.Sprintf("%d bits", 8*u.KeySize)
			}
			if u.Calls > 0 || u.State == linux.InUse.String() {
				calls = fmt.Sprint(u.Calls)
			}
			rows.Add("", a.Name+" "+u.Operation, key, state, calls, u.Driver, u.Why)
		}
	}
	p.Title("CIPHERLANE", "linux="+mode.String())
	p.Table(rows)
}

// reachable reports whether programs may be able to use AF_ALG.
func (l *Linux) reachable() bool {
	return l.Supported && l.AFALG.State != "absent" && l.AFALG.State != "blocked"
}

func (l *Linux) print(line func(name, format string, args ...any)) {
	if !l.Supported {
		line("AF_ALG", "%s", l.AFALG.Why)
		return
	}
	line("Linux", "%s", cmp.Or(l.Release, "of unknown version"))
	switch {
	case l.AFALG.Why == "":
		line("AF_ALG", "%s", l.AFALG.State)
	default:
		line("AF_ALG", "%s: %s", l.AFALG.State, l.AFALG.Why)
	}
	for _, typ := range kcapi.SocketTypes {
		// Without AF_ALG, the state of its parts does not matter.
		if t := l.Types[typ]; t.State != l.AFALG.State && l.reachable() {
			line("", "%s %s: %s", typ, t.State, t.Why)
		}
	}
	limits := []string{"no crypto.af_alg_restrict"}
	if l.Restrict != nil {
		limits[0] = fmt.Sprintf("crypto.af_alg_restrict is %d: %s", *l.Restrict, level(*l.Restrict, l.Privileged))
	} else if l.AFALG.State != "ready" && l.HidesEngines {
		limits[0] += " visible before AF_ALG is loaded"
	}
	if l.HidesEngines {
		limits = append(limits, "engines are hidden, as by Linux since 7.2")
	}
	if l.FIPS {
		limits = append(limits, "FIPS mode")
	}
	line("limits", "%s", strings.Join(limits, "; "))
	line("process", "%s", strings.Join(l.process(), "; "))
	var engines []string
	for _, e := range l.Engines {
		engines = append(engines, fmt.Sprintf("%s for %s, priority %d", e.Driver, e.Algorithm, e.Priority))
	}
	switch {
	case len(engines) == 0:
		line("engines", "none registered")
	case l.HidesEngines:
		line("engines", "%s; hidden from programs", strings.Join(engines, "; "))
	default:
		line("engines", "%s", strings.Join(engines, "; "))
	}
}

// board says what to type on a CPU whose engine depends on the kernel: the SpacemiT K1 (docs/k1.md).
func (l *Linux) board(cpu string) string {
	if !strings.Contains(cpu, "spacemit,x60") || !l.Supported {
		return ""
	}
	switch {
	case l.HidesEngines:
		return "this Linux hides its engine from programs, and no setting changes that: software is used, also with a profile"
	case len(l.Engines) == 0:
		return "Linux itself has no driver for its engine: the vendor's 6.1 and 6.6 do; elsewhere software is used"
	case !l.reachable():
		return "its engine is there, but programs cannot reach it without AF_ALG"
	default:
		return "to use its engine: cipherlane tune --linux engine -o k1.json; CIPHERLANE_PROFILE=k1.json CIPHERLANE=linux=engine PROGRAM"
	}
}

// level describes a value of crypto.af_alg_restrict.
func level(n int, privileged bool) string {
	switch {
	case n == 0:
		return "everything is allowed"
	case n == 1 && privileged:
		return "a list of algorithms, the longer one for this user"
	case n == 1:
		return "a short list of algorithms"
	default:
		return "nothing is allowed"
	}
}

// process describes what may restrict this process.
func (l *Linux) process() []string {
	list := []string{map[string]string{
		"off":    "no seccomp filter",
		"filter": "a seccomp filter, and only --probe can show what it rejects",
		"strict": "strict seccomp",
	}[l.Seccomp]}
	if list[0] == "" {
		list[0] = "seccomp unknown"
	}
	if l.LSM != "" {
		list = append(list, "confined as "+l.LSM)
	}
	if len(l.Container) > 0 {
		list = append(list, "signs of a container: "+strings.Join(l.Container, ", "))
	} else {
		list = append(list, "no sign of a container")
	}
	return list
}

// describe briefly describes the driver in Linux.
func (o *doctorOffer) describe(reachable bool) string {
	d := o.Driver
	switch {
	case !reachable && d == nil:
		return "none"
	case !reachable:
		return fmt.Sprintf("%s, priority %d", d.Driver, d.Priority)
	case !o.Allowed:
		return "none: not allowed"
	case o.State == "absent" || o.State == "blocked":
		return "none: " + o.Type + " is " + o.State
	case d == nil && o.Probe != nil:
		return "none"
	case d == nil:
		return "none yet"
	case o.Engine:
		return fmt.Sprintf("%s, priority %d, an engine", d.Driver, d.Priority)
	default:
		return fmt.Sprintf("%s, priority %d", d.Driver, d.Priority)
	}
}

func (p *Probe) String() string {
	if p.Opened {
		return "opened"
	}
	return p.Reason
}
