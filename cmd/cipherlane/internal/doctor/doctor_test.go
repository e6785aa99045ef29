package doctor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/kcapi"
)

func TestDoctor(t *testing.T) {
	out := clitest.Call{}.OK(t, "doctor")
	doc := clitest.ParseJSON[inventory.Document](t, clitest.Call{}, "list", "--json")
	if !strings.HasPrefix(out, "CPU        "+doc.Machine.CPU+", ") {
		t.Errorf("does not begin with the CPU:\n%s", out)
	}
	for _, a := range doc.Algorithms {
		if !strings.Contains(out, "\n"+a.Name+" ") || !strings.Contains(out, a.Auto.Bulk) {
			t.Errorf("no %s on %s:\n%s", a.Name, a.Auto.Bulk, out)
		}
	}
	if !strings.Contains(out, "\nAF_ALG ") {
		t.Errorf("nothing about AF_ALG:\n%s", out)
	}
	if n := strings.Count(out, "\n"); n > 20+len(doc.Algorithms) {
		t.Errorf("%d lines:\n%s", n, out)
	}
	one := clitest.Call{}.OK(t, "doctor", "sm4-gcm")
	if regexp.MustCompile(`(?m)^sm3|\(sm3\)`).MatchString(one) || !strings.Contains(one, "gcm(sm4)") {
		t.Errorf("of sm4-gcm:\n%s", one)
	}
	clitest.Call{}.Fails(t, cli.ExitUsage, "no such algorithm", "doctor", "nosuch")
	clitest.Call{}.Fails(t, cli.ExitUsage, "unknown flag", "doctor", "--prob")
}

func TestDoctorJSON(t *testing.T) {
	for _, args := range [][]string{nil, {"--probe"}} {
		out := clitest.Call{}.OK(t, slices.Concat([]string{"doctor", "--json"}, args)...)
		var doc doctorReport
		d := json.NewDecoder(strings.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		if doc.Schema != 1 || doc.Machine.CPU == "" || len(doc.Algorithms) != len(catalog.All()) {
			t.Errorf("%+v", doc)
		}
		if (doc.Linux != nil) != (runtime.GOOS == "linux") {
			t.Errorf("Linux: %+v", doc.Linux)
		}
		for _, a := range doc.Algorithms {
			if a.Auto.Bulk == "" || a.Auto.Why == "" || (a.Linux != nil) != (doc.Linux != nil && a.Package != "frodokem" && a.Package != "sm2") {
				t.Errorf("%+v", a)
			}
			if a.Linux == nil {
				continue
			}
			if probe := a.Linux.Probe; (probe != nil) != (args != nil) {
				t.Errorf("%s: %+v", a.Name, probe)
			} else if probe != nil && (probe.Opened != (probe.Error == "") || probe.Opened && doc.Linux.AFALG.State != "ready") {
				t.Errorf("%s: %+v, but AF_ALG is %+v", a.Name, probe, doc.Linux.AFALG)
			} else if probe != nil && probe.Opened && a.Linux.Driver == nil {
				t.Errorf("%s: opened, but there is no driver", a.Name)
			}
		}
		if doc.Linux != nil && ((doc.Linux.Release == "") == doc.Linux.Supported || doc.Linux.Engines == nil || doc.Linux.Container == nil || strings.Contains(out, `"types": null`)) { // a build without AF_ALG reads nothing
			t.Errorf("%+v", doc.Linux)
		}
	}
}

// screen returns what doctor prints for an environment.
func screen(t *testing.T, list []catalog.Algorithm, env *kcapi.Environment, probe func(typ, name string) error) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	p := &cli.Program{Name: "cipherlane", Stdout: bufio.NewWriter(&b), Out: f, Stderr: os.Stderr}
	diagnose(list, env, nil, probe, func() *kcapi.Environment { return env }).print(p)
	p.Stdout.Flush()
	return b.String()
}

func TestDoctorScreens(t *testing.T) {
	list, err := inventory.Choose([]string{"aes-cbc", "aes-gcm", "sm3"})
	if err != nil {
		t.Fatal(err)
	}
	record := func(name, driver, typ string, priority int) kcapi.Record {
		return kcapi.Record{Name: name, Driver: driver, Module: "kernel", Priority: priority, SelfTest: "passed", Type: typ}
	}
	engine := record("cbc(aes)", "cbc-aes-hw", "skcipher", 500)
	engine.Async = true
	ready := kcapi.Part{State: kcapi.Ready, Why: "compiled in"}
	variant := func(f func(*kcapi.Environment)) *kcapi.Environment {
		e := &kcapi.Environment{
			Supported: true, Release: "6.12.1", AFALG: ready, Restrict: -1, Seccomp: kcapi.SeccompOff,
			Types:      map[string]kcapi.Part{"hash": ready, "skcipher": ready, "aead": ready, "rng": ready},
			Algorithms: []kcapi.Record{record("cbc(aes)", "cbc-aes-soft", "skcipher", 100), record("gcm(aes)", "gcm-aes-soft", "aead", 120)},
		}
		if f != nil {
			f(e)
		}
		return e
	}
	withEngine := func(f func(*kcapi.Environment)) *kcapi.Environment {
		return variant(func(e *kcapi.Environment) {
			e.Algorithms = append(e.Algorithms, engine)
			e.Engines = []kcapi.Record{engine}
			if f != nil {
				f(e)
			}
		})
	}
	for _, test := range []struct {
		what  string
		env   *kcapi.Environment
		probe func(typ, name string) error
		want  []string
		not   []string
	}{
		{"another system", nil, nil, []string{"only Linux has it", "cbc(aes)"}, []string{"Linux offers", "engines", "process"}},
		{"built without", &kcapi.Environment{}, nil, []string{"AF_ALG     this program was built without it"}, []string{"Linux offers"}},
		{"ready", variant(nil), nil, []string{"AF_ALG     ready: compiled in\n", "cbc-aes-soft, priority 100\n", "gcm-aes-soft, priority 120\n", "none yet\n", "--probe requests", "no seccomp filter", "no sign of a container", "engines    none registered", "with CIPHERLANE=linux=engine, crypto engines"}, []string{"tried"}},
		{"an engine", withEngine(nil), nil, []string{"engines    cbc-aes-hw for cbc(aes), priority 500\n", "cbc-aes-hw, priority 500, an engine\n"}, nil},
		{"a hidden engine", withEngine(func(e *kcapi.Environment) { e.HidesEngines = true }), nil, []string{"hidden from programs", "cbc-aes-soft, priority 100\n", "engines are hidden, as by Linux since 7.2"}, []string{"an engine\n"}},
		{"absent", variant(func(e *kcapi.Environment) {
			e.AFALG = kcapi.Part{State: kcapi.Absent, Why: "so it is"}
			e.Types = map[string]kcapi.Part{"hash": e.AFALG, "skcipher": {State: kcapi.Blocked}, "aead": e.AFALG, "rng": e.AFALG}
		}), nil, []string{"AF_ALG     absent: so it is\n", "Linux has for itself", "cbc-aes-soft, priority 100\n"}, []string{"blocked", "--probe", "what it offers"}},
		{"no aead", variant(func(e *kcapi.Environment) {
			e.Types["aead"] = kcapi.Part{State: kcapi.Blocked, Why: "module algif_aead is on the black list"}
		}), nil, []string{"aead blocked: module algif_aead is on the black list\n", "none: aead is blocked\n"}, []string{"gcm-aes-soft"}},
		{"a list", variant(func(e *kcapi.Environment) { e.Restrict = 1 }), nil, []string{"crypto.af_alg_restrict is 1: a short list", "none: not allowed\n"}, []string{"cbc-aes-soft"}},
		{"a longer list", variant(func(e *kcapi.Environment) { e.Restrict, e.Privileged = 1, true }), nil, []string{"the longer one", "none: not allowed\n", "cbc-aes-soft"}, []string{"gcm-aes-soft"}},
		{"a sandbox", variant(func(e *kcapi.Environment) {
			e.Seccomp, e.LSM, e.Container, e.FIPS = kcapi.SeccompFilter, "docker-default (enforce)", []string{"docker (/.dockerenv)"}, true
		}), nil, []string{"a seccomp filter", "confined as docker-default (enforce)", "signs of a container: docker (/.dockerenv)", "FIPS mode"}, nil},
		{"a try", variant(nil), func(typ, name string) error {
			if name == "cbc(aes)" {
				return nil
			}
			return &kcapi.Error{Op: "bind", Algorithm: name, Reason: kcapi.ErrNotAllowed, Detail: typ}
		}, []string{"tried\n", "opened\n", kcapi.ErrNotAllowed.Error() + ": hash\n", kcapi.ErrNotAllowed.Error() + ": aead\n"}, []string{"none yet"}},
		{"a vendor hides the engine", withEngine(nil), func(typ, name string) error {
			if name == engine.Driver && typ == "skcipher" {
				return &kcapi.Error{Op: "bind", Algorithm: name, Reason: kcapi.ErrNoAlgorithm}
			}
			return nil
		}, []string{"hidden from programs", "engines are hidden, as by Linux since 7.2", "cbc-aes-soft, priority 100"}, []string{"an engine\n"}},
		{"nobody hides it", withEngine(nil), func(typ, name string) error { return nil }, []string{"an engine  opened\n"}, []string{"hidden"}},
	} {
		if test.what == "built without" && runtime.GOOS != "linux" {
			continue
		}
		out := screen(t, list, test.env, test.probe)
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q:\n%s", test.what, want, out)
			}
		}
		for _, not := range test.not {
			if strings.Contains(out, not) {
				t.Errorf("%s: has %q:\n%s", test.what, not, out)
			}
		}
	}
}

// TestDoctorBoard: what is told about the engine of a K1 depends on its kernel.
func TestDoctorBoard(t *testing.T) {
	const k1 = "spacemit,x60"
	engine := []doctorDriver{{Algorithm: "cbc(aes)", Driver: "cbc-aes-hw"}}
	ready := doctorPart{State: "ready"}
	for _, test := range []struct {
		cpu  string
		l    Linux
		want string
	}{
		{"AMD EPYC", Linux{Supported: true, AFALG: ready, Engines: engine}, ""},
		{k1, Linux{Engines: engine}, ""}, // built without AF_ALG
		{k1, Linux{Supported: true, AFALG: ready, Engines: engine}, "cipherlane tune --linux engine"},
		{k1, Linux{Supported: true, AFALG: doctorPart{State: "absent"}, Engines: engine}, "without AF_ALG"},
		{k1, Linux{Supported: true, AFALG: ready}, "no driver"},
		{k1, Linux{Supported: true, AFALG: ready, HidesEngines: true, Engines: engine}, "hides its engine"},
		{k1, Linux{Supported: true, AFALG: ready, HidesEngines: true}, "hides its engine"},
	} {
		if got := test.l.board(test.cpu); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s, %+v: %q", test.cpu, test.l, got)
		}
	}
	report := doctorReport{Machine: inventory.Machine{CPU: k1}, Linux: &Linux{Supported: true, AFALG: ready, Engines: []doctorDriver{}}}
	var b bytes.Buffer
	p := &cli.Program{Stdout: bufio.NewWriter(&b), Out: os.Stdout, Stderr: os.Stderr}
	report.print(p)
	p.Stdout.Flush()
	if !strings.Contains(b.String(), "K1         Linux itself has no driver") {
		t.Errorf("%s", b.String())
	}
}

// TestDoctorPublicKey: SM2 is not reported as a KEM.
func TestDoctorPublicKey(t *testing.T) {
	list, err := inventory.Choose([]string{"sm2", "frodokem-976-aes"})
	if err != nil {
		t.Fatal(err)
	}
	out := screen(t, list, &kcapi.Environment{Supported: true, AFALG: kcapi.Part{State: kcapi.Ready}}, nil)
	if strings.Count(out, "none: AF_ALG has no public-key algorithms\n") != 2 || strings.Contains(out, "KEMs") {
		t.Error(out)
	}
}

func TestSocketType(t *testing.T) {
	for name, want := range map[string]string{"sm3": "hash", "cmac(aes)": "hash", "gcm(aes)": "aead", "cbc(aes)": "skcipher", "ecb(aes)": "skcipher", "xts(aes)": "skcipher", "kw(aes)": "skcipher", "ctr(sm4)": "skcipher"} {
		a, ok := catalog.Find(name)
		if !ok || SocketType(a) != want {
			t.Errorf("%s: %q", name, SocketType(a))
		}
	}
}
