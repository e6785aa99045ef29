package kcapi

import (
	"bufio"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// SocketTypes are the types of AF_ALG sockets.
var SocketTypes = []string{"hash", "skcipher", "aead", "rng"}

// A State is the availability of a part of Linux.
type State uint8

const (
	Unknown  State = iota // this process cannot find out
	Ready                 // compiled in, or its module is loaded
	Loadable              // a module, which Linux loads on demand
	Blocked               // built for this kernel, but cannot be loaded or used
	Absent                // not in this kernel
)

func (s State) String() string {
	switch s {
	case Ready:
		return "ready"
	case Loadable:
		return "loadable"
	case Blocked:
		return "blocked"
	case Absent:
		return "absent"
	}
	return "unknown"
}

// A Part is the availability of AF_ALG or of one of its socket types.
type Part struct {
	State State
	Why   string // the reason for State, in words
}

// SeccompMode is the seccomp mode of this process.
type SeccompMode int8

const (
	SeccompUnknown SeccompMode = iota - 1
	SeccompOff
	SeccompStrict
	SeccompFilter // only trying shows whether the filter allows AF_ALG
)

func (m SeccompMode) String() string {
	switch m {
	case SeccompOff:
		return "off"
	case SeccompStrict:
		return "strict"
	case SeccompFilter:
		return "filter"
	}
	return "unknown"
}

// An Environment describes Linux, AF_ALG and this process, according to files alone.
type Environment struct {
	Supported bool   // this program has code for AF_ALG; if not, nothing else is known
	Release   string // "6.12.107+deb13-amd64"

	AFALG Part
	Types map[string]Part // by socket type

	// HidesEngines: Linux is 7.2 or later and hides drivers of hardware beside
	// the CPU from sockets. Some vendors have backported this change to earlier
	// versions, which HidesEngines does not detect.
	HidesEngines bool
	// Restrict is crypto.af_alg_restrict: 0 open, 1 a list of algorithms, 2
	// closed. It is -1 if there is no such setting, or not before AF_ALG is loaded.
	Restrict int
	// Privileged: this process has the capabilities for the longer list of level 1.
	Privileged bool
	FIPS       bool

	Seccomp    SeccompMode
	NoNewPrivs bool
	LSM        string   // the label of this process in a security module, if it is confined
	Container  []string // signs of a container: "docker (/.dockerenv)"

	Algorithms []Record
	Engines    []Record // those of Algorithms that look like hardware beside the CPU
}

// ReadEnvironment returns the environment of this process. It opens no sockets and
// does nothing that would make Linux load a module or instantiate an algorithm. What
// it cannot find out is left unknown.
func ReadEnvironment() *Environment {
	if !supported {
		return &Environment{Restrict: -1, Seccomp: SeccompUnknown}
	}
	return environment(os.DirFS("/"), os.Getenv)
}

// environment reads the environment from the files below root.
func environment(root fs.FS, getenv func(string) string) *Environment {
	s := system{root: root}
	e := &Environment{Supported: true, Release: s.line("proc/sys/kernel/osrelease"), Restrict: -1}
	e.HidesEngines = hidesEngines(e.Release)
	e.FIPS = s.line("proc/sys/crypto/fips_enabled") == "1"
	if n, err := strconv.Atoi(s.line("proc/sys/crypto/af_alg_restrict")); err == nil {
		e.Restrict = n
	}
	s.process(e)
	e.Container = s.container(getenv)
	if f, err := root.Open("proc/crypto"); err == nil {
		e.Algorithms, _ = ParseAlgorithms(f)
		f.Close()
	}
	e.Engines = Engines(e.Algorithms)
	s.parts(e)
	return e
}

// hidesEngines reports whether a release is 7.2 or later.
func hidesEngines(release string) bool {
	var v [2]int
	rest := release
	for i := range v {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		var err error
		if v[i], err = strconv.Atoi(rest[:n]); err != nil {
			return false
		}
		rest = strings.TrimPrefix(rest[n:], ".")
	}
	return v[0] > 7 || v[0] == 7 && v[1] >= 2
}

// Winner is like the function [Winner], for this environment.
func (e *Environment) Winner(typ, name string) (Record, bool) {
	return winner(e.Algorithms, typ, name, e.HidesEngines)
}

// Allowed reports whether crypto.af_alg_restrict, as implemented in Linux 7.3, lets
// this process open a name. The names of drivers are never on the lists of level 1.
func (e *Environment) Allowed(name string) bool {
	switch {
	case e.Restrict <= 0:
		return true
	case e.Restrict > 1:
		return false
	}
	return slices.Contains(forAll, name) || e.Privileged && slices.Contains(forPrivileged, name)
}

// The lists of Linux 7.3.
var (
	forAll = []string{
		"sha1", "xts(aes)", "xts(camellia)", "xts(serpent)", "xts(twofish)", "hctr2(aes)",
		"adiantum(xchacha12,aes)", "adiantum(xchacha20,aes)",
	}
	forPrivileged = []string{
		"md4", "md5", "sha224", "sha256", "sha384", "sha512",
		"hmac(md5)", "hmac(sha1)", "hmac(sha224)", "hmac(sha256)", "hmac(sha384)", "hmac(sha512)", "cmac(aes)",
		"cbc(aes)", "cbc(des)", "cbc(des3_ede)", "cbc(paes)", "ctr(aes)", "ecb(aes)", "ecb(des)", "ccm(aes)",
	}
)

// A system is the file system of a machine.
type system struct{ root fs.FS }

// text returns the contents of a file, up to a limit that none of the files read here
// comes near, and whether it could be read.
func (s system) text(name string) (string, bool) {
	f, err := s.root.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 16<<20))
	return string(b), err == nil
}

// line returns the first line of a file.
func (s system) line(name string) string {
	t, _ := s.text(name)
	t, _, _ = strings.Cut(t, "\n")
	return printable(t)
}

// printable removes control characters, which could affect a terminal.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c == '\t' {
			return ' '
		}
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, s))
}

func (s system) exists(name string) bool {
	_, err := fs.Stat(s.root, name)
	return err == nil
}

// process reads the properties of this process.
func (s system) process(e *Environment) {
	e.Seccomp = SeccompUnknown
	status, _ := s.text("proc/self/status")
	var capabilities uint64
	for line := range strings.Lines(status) {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch field {
		case "Seccomp":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n <= 2 {
				e.Seccomp = SeccompMode(n)
			}
		case "NoNewPrivs":
			e.NoNewPrivs = value == "1"
		case "CapEff":
			capabilities, _ = strconv.ParseUint(value, 16, 64)
		}
	}
	const netAdmin, sysAdmin = 1 << 12, 1 << 21
	// Only capabilities in the initial user namespace count. All users are mapped to
	// themselves there.
	users := strings.Fields(s.line("proc/self/uid_map"))
	first := len(users) == 0 || slices.Equal(users, []string{"0", "0", "4294967295"})
	e.Privileged = first && capabilities&(netAdmin|sysAdmin) != 0

	label := s.line("proc/self/attr/apparmor/current")
	if label == "" {
		label = s.line("proc/self/attr/current")
	}
	switch {
	case label == "", label == "unconfined", label == "kernel":
	case strings.HasSuffix(label, " (unconfined)"), strings.Contains(label, ":unconfined_t:"):
	default:
		e.LSM = label
	}
}

// container collects signs of a container. None of them is proof.
func (s system) container(getenv func(string) string) []string {
	var signs []string
	if s.exists(".dockerenv") {
		signs = append(signs, "docker (/.dockerenv)")
	}
	if s.exists("run/.containerenv") {
		signs = append(signs, "podman (/run/.containerenv)")
	}
	if name := s.line("run/systemd/container"); name != "" {
		signs = append(signs, name+" (/run/systemd/container)")
	}
	if name := getenv("container"); name != "" {
		signs = append(signs, printable(name)+" (environment variable container)")
	}
	if getenv("KUBERNETES_SERVICE_HOST") != "" {
		signs = append(signs, "kubernetes (environment variable KUBERNETES_SERVICE_HOST)")
	}
	groups, _ := s.text("proc/self/cgroup")
	for _, word := range []string{"docker", "kubepods", "containerd", "libpod", "lxc"} {
		if strings.Contains(groups, word) {
			signs = append(signs, word+" (/proc/self/cgroup)")
		}
	}
	return signs
}

// moduleOf returns the name of the module for a socket type.
func moduleOf(typ string) string { return "algif_" + typ }

// parts determines the availability of AF_ALG and its socket types.
func (s system) parts(e *Environment) {
	protocols, seen := s.text("proc/net/protocols")
	loaded, modular := map[string]bool{}, false
	if text, ok := s.text("proc/modules"); ok {
		modular = true
		for line := range strings.Lines(text) {
			name, _, _ := strings.Cut(line, " ")
			loaded[name] = true
		}
	}
	if !seen { // /proc hides files from us
		modular = true
	}
	k := kernel{
		modular: modular, loaded: loaded,
		config: s.config(e.Release),
		rules:  s.rules(),
	}
	k.files, k.builtin = s.modules(e.Release)
	if k.files == nil && len(e.Container) > 0 { // these are the container's rules, but the host's apply
		k.rules = map[string]string{}
	}
	switch {
	case s.line("proc/sys/kernel/modules_disabled") == "1":
		k.closed = "loading modules is switched off (kernel.modules_disabled)"
	case modular && s.exists("proc/sys/kernel/modprobe") && s.line("proc/sys/kernel/modprobe") == "":
		k.closed = "Linux has no program to load modules with (kernel.modprobe)"
	}
	commandLine := s.line("proc/cmdline")
	if k.closed == "" && modular && slices.Contains(strings.Fields(commandLine), "nomodule") {
		k.closed = "loading modules is switched off (nomodule at boot)"
	}
	k.boot(commandLine)

	registered := false
	for line := range strings.Lines(protocols) {
		if f := strings.Fields(line); len(f) > 0 && f[0] == "ALG" {
			registered = true
		}
	}
	e.AFALG = k.part("af_alg", "CRYPTO_USER_API", "net-pf-38")
	switch {
	case registered && e.Restrict == 2:
		e.AFALG = Part{Blocked, "crypto.af_alg_restrict is 2"}
	case registered && loaded["af_alg"]:
		e.AFALG = Part{Ready, "module af_alg is loaded"}
	case registered:
		e.AFALG = Part{Ready, "compiled in"}
	case seen && e.AFALG.State == Ready: // compiled in, so it would be registered unless its initialisation was prevented
		e.AFALG = Part{Blocked, "compiled in, but not started"}
	}
	e.Types = map[string]Part{}
	for _, typ := range SocketTypes {
		p := k.part(moduleOf(typ), "CRYPTO_USER_API_"+strings.ToUpper(typ), "algif-"+typ)
		switch {
		case p.State == Absent || p.State == Blocked:
		case e.AFALG.State == Absent || e.AFALG.State == Blocked:
			p = Part{e.AFALG.State, "AF_ALG is " + e.AFALG.State.String()}
		}
		e.Types[typ] = p
	}
}

// A kernel is what is known about the modules of a kernel and how it was built.
type kernel struct {
	modular     bool // supports modules
	loaded      map[string]bool
	files       map[string]bool   // modules in /lib/modules; nil if it has no list
	builtin     map[string]bool   // compiled in, according to /lib/modules
	config      map[string]string // "y", "m" or "n"; nil if not known
	rules       map[string]string // modules and aliases that must not be loaded, with the reason
	neverReason map[string]string // compiled in but not initialised, with the reason
	closed      string            // why no module can be loaded
}

// part determines the availability of a part that can be a module. It checks the most
// reliable evidence first.
func (k *kernel) part(module, option, alias string) Part {
	if k.loaded[module] {
		return Part{Ready, "module " + module + " is loaded"}
	}
	c := k.config[option]
	if c == "y" || k.builtin[module] {
		if why := k.neverReason[module]; why != "" {
			return Part{Blocked, why}
		}
		return Part{Ready, "compiled in"}
	}
	switch {
	case c == "n" || c == "" && k.config != nil:
		return Part{Absent, "not compiled into this Linux (CONFIG_" + option + ")"}
	case !k.modular && c == "m":
		return Part{Absent, "a module, and this Linux has none"}
	case !k.modular:
		// It could be compiled in, but then AF_ALG itself would be registered.
		if module == "af_alg" {
			return Part{Absent, "not compiled into this Linux, which has no modules"}
		}
		return Part{Unknown, "only a try can tell"}
	case k.files != nil && !k.files[module]:
		if c == "m" {
			return Part{Blocked, "module " + module + " is not installed"}
		}
		return Part{Absent, "no module " + module + " is installed"}
	case k.closed != "":
		return Part{Blocked, "module " + module + " is not loaded, and " + k.closed}
	}
	for _, name := range []string{module, alias} {
		if why := k.rules[canonical(name)]; why != "" {
			return Part{Blocked, why}
		}
	}
	if k.files[module] || c == "m" {
		return Part{Loadable, "module " + module + " is not loaded yet"}
	}
	return Part{Unknown, "module " + module + " is not loaded, and where modules come from is not to be seen here"}
}

// boot reads which modules the kernel's command line disables.
func (k *kernel) boot(line string) {
	k.neverReason = map[string]string{}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		for name := range strings.SplitSeq(value, ",") {
			switch key {
			case "module_blacklist", "modprobe.blacklist":
				k.rules[canonical(name)] = "module " + canonical(name) + " is on the list " + key + " given at boot"
			case "initcall_blacklist":
				if m, ok := strings.CutSuffix(name, "_init"); ok {
					k.neverReason[m] = "switched off at boot (" + word + ")"
				}
			}
		}
	}
}

// canonical returns the name of a module with underscores; tools do not distinguish
// them from hyphens.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// modules returns which modules are in files and which are compiled in,
// according to /lib/modules.
func (s system) modules(release string) (files, builtin map[string]bool) {
	if !fs.ValidPath(release) || strings.Contains(release, "/") || release == "." {
		return nil, nil
	}
	read := func(file string) map[string]bool {
		for _, dir := range []string{"lib/modules", "usr/lib/modules"} {
			text, ok := s.text(path.Join(dir, release, file))
			if !ok {
				continue
			}
			names := map[string]bool{}
			for line := range strings.Lines(text) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), ":")
				name, _, _ := strings.Cut(path.Base(line), ".ko")
				names[canonical(name)] = true
			}
			return names
		}
		return nil
	}
	return read("modules.dep"), read("modules.builtin")
}

// config returns the build options of the kernel that start with CRYPTO_USER, or nil
// if they are not known.
func (s system) config(release string) map[string]string {
	text, found := "", false
	if f, err := s.root.Open("proc/config.gz"); err == nil {
		if z, err := gzip.NewReader(bufio.NewReader(f)); err == nil {
			b, err := io.ReadAll(io.LimitReader(z, 16<<20))
			text, found = string(b), err == nil
		}
		f.Close()
	}
	for _, name := range []string{"boot/config-" + release, path.Join("lib/modules", release, "config")} {
		if !found && fs.ValidPath(name) {
			text, found = s.text(name)
		}
	}
	if !found {
		return nil
	}
	config := map[string]string{}
	whole := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if option, ok := strings.CutPrefix(line, "CONFIG_"); ok {
			name, value, _ := strings.Cut(option, "=")
			whole = whole || name == "CRYPTO" || name == "NET"
			if strings.HasPrefix(name, "CRYPTO_USER") {
				config[name] = value
			}
		} else if option, ok := strings.CutPrefix(line, "# CONFIG_CRYPTO"); ok && strings.HasSuffix(option, " is not set") {
			config["CRYPTO"+strings.TrimSuffix(option, " is not set")] = "n"
		}
	}
	if !whole && len(config) == 0 { // not a kernel configuration
		return nil
	}
	return config
}

// rules reads modprobe's configuration: which modules are blacklisted, replaced by a
// command, or disabled by an alias. A file overrides files of the same name in later
// directories.
func (s system) rules() map[string]string {
	rules := map[string]string{}
	files := map[string]string{}
	for _, dir := range []string{"etc/modprobe.d", "run/modprobe.d", "usr/local/lib/modprobe.d", "usr/lib/modprobe.d", "lib/modprobe.d"} {
		entries, _ := fs.ReadDir(s.root, dir)
		for _, f := range entries {
			if strings.HasSuffix(f.Name(), ".conf") && files[f.Name()] == "" {
				files[f.Name()] = path.Join(dir, f.Name())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text, _ := s.text(files[name])
		text = strings.ReplaceAll(text, "\\\n", " ")
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) < 2 {
				continue
			}
			target := canonical(f[1])
			switch {
			case f[0] == "blacklist":
				rules[target] = "module " + target + " is on the black list in /" + files[name]
			case f[0] == "install" && len(f) > 2 && harmless(f[2:]):
				rules[target] = "module " + target + " is replaced by " + strings.Join(f[2:], " ") + " in /" + files[name]
			case f[0] == "alias" && len(f) > 2 && f[2] == "off":
				rules[target] = f[1] + " is off in /" + files[name]
			}
		}
	}
	return rules
}

// harmless reports whether a command in place of a module loads nothing.
func harmless(command []string) bool {
	return !slices.ContainsFunc(command, func(word string) bool {
		return strings.Contains(word, "modprobe") || strings.Contains(word, "insmod")
	})
}

// Summary describes the availability of AF_ALG in one line, for people.
func (e *Environment) Summary() string {
	if !e.Supported {
		if runtime.GOOS == "linux" {
			return "this program was built without it"
		}
		return "only Linux has it"
	}
	s := e.AFALG.State.String()
	if e.AFALG.Why != "" {
		s += ": " + e.AFALG.Why
	}
	return s
}
