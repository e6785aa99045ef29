package bench

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/speed"
	"github.com/cipherlane/cipherlane/kcapi"
)

// Sizes that an algorithm cannot take are refused before anything is measured; the
// largest ones that it can take work.
func TestSpeedMaxBytes(t *testing.T) {
	for _, a := range catalog.All() {
		if a.MaxBytes == 0 {
			continue
		}
		name := inventory.ShellName(a)
		clitest.Call{}.Fails(t, cli.ExitUsage, fmt.Sprintf("%s takes at most %d bytes", name, a.MaxBytes), "speed", name, "--size", fmt.Sprint("64,", a.MaxBytes+1), "--seconds", "0.01")
		clitest.Call{}.OK(t, "speed", name, "--driver", a.Table().Drivers()[a.Table().Auto().Bulk()].Name, "--size", fmt.Sprint(a.MaxBytes), "--seconds", "0.01")
	}
}

func TestSpeedJSON(t *testing.T) {
	var doc struct {
		Schema      int
		Machine     inventory.Machine
		Results     []speedResult
		Unavailable []speedUnavailable
	}
	start := time.Now()
	out := clitest.Call{}.OK(t, "speed", "--seconds", "0.5", "--size", "16,1420", "--json", "sm3", "sm4")
	if took := time.Since(start); took < 500*time.Millisecond || took > 20*time.Second {
		t.Errorf("took %v with --seconds 0.5", took)
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != 1 || doc.Machine.CPU == "" {
		t.Errorf("schema %d, machine %+v", doc.Schema, doc.Machine)
	}
	got := map[string]speedResult{}
	for _, r := range doc.Results {
		got[fmt.Sprint(r.Algorithm, r.Driver, r.Operation, r.Bytes)] = r
		if r.NS <= 0 || r.Slices < 5 || r.Spread < 0 {
			t.Errorf("%+v", r)
		}
		if want := float64(r.Bytes) * 1e3 / r.NS; r.MBPerS < 0.999*want || r.MBPerS > 1.001*want {
			t.Errorf("%+v: want %v MB/s", r, want)
		}
	}
	operations := map[string][]string{
		"sm3": {"hash", "hash-x32", "kdf"}, "ecb(sm4)": {"encrypt", "decrypt"}, "cbc(sm4)": {"encrypt", "decrypt"}, "cts(cbc(sm4))": {"encrypt", "decrypt"},
		"cfb(sm4)": {"encrypt", "decrypt"}, "ofb(sm4)": {"encrypt"}, "ctr(sm4)": {"encrypt"}, "xts(sm4)": {"encrypt", "decrypt"},
		"bc(sm4)": {"encrypt", "decrypt"}, "ofbnlf(sm4)": {"encrypt", "decrypt"}, "hctr(sm4)": {"encrypt", "decrypt"},
		"gcm(sm4)": {"seal", "open"}, "ccm(sm4)": {"seal", "open"}, "gcm-siv(sm4)": {"seal", "open"}, "siv(sm4)": {"seal", "open"}, "cmac(sm4)": {"authenticate"}, "xcbc(sm4)": {"authenticate"},
	}
	count, absent := 0, 0
	for _, a := range clitest.ParseJSON[inventory.Document](t, clitest.Call{}, "list", "--json").Algorithms {
		if operations[a.Name] == nil {
			continue
		}
		for _, d := range a.Drivers {
			if !d.Available {
				absent++
				continue
			}
			for _, operation := range operations[a.Name] {
				large := 1420
				if slices.Contains([]string{"ecb(sm4)", "cbc(sm4)", "bc(sm4)", "ofbnlf(sm4)"}, a.Name) {
					large = 1408
				}
				for _, size := range []int{16, large} {
					r, ok := got[fmt.Sprint(a.Name, d.Name, operation, size)]
					if !ok {
						t.Errorf("nothing for %s, %s, %s, %d bytes", a.Name, d.Name, operation, size)
					}
					if auto := d.Name == a.Auto.Bulk && size >= a.Auto.BulkMin || d.Name == a.Auto.Short && size < a.Auto.BulkMin; r.Auto != auto {
						t.Errorf("%+v: auto should be %v", r, auto)
					}
					count++
				}
			}
		}
	}
	if count != len(doc.Results) || absent != len(doc.Unavailable) {
		t.Errorf("%d results, %d unavailable drivers, want %d and %d", len(doc.Results), len(doc.Unavailable), count, absent)
	}
}

func TestSpeedTable(t *testing.T) {
	out := clitest.Call{}.OK(t, "speed", "sm4-cbc", "sm4-gcm", "--size", "1420", "--size", "64", "--seconds", "0.2")
	for _, want := range []string{
		`(?m)^cbc\(sm4\)  GB/T 17964`,
		`(?m)^ +driver +operation +64 +1408 +×generic$`,
		`(?m)^gcm\(sm4\)  `,
		`(?m)^ +driver +operation +64 +1420 +×generic$`,
		`(?m)^[* ] generic +seal +[0-9.]+~? +[0-9.]+~? +(×1.0|~)$`,
		`(?m)^\* `,
		`(?m)^noise: ±[0-9.]+ %, at worst ±[0-9.]+ %$`,
		`(?m)^sizes are rounded to whole blocks of 16 bytes$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("nothing like %s:\n%s", want, out)
		}
	}
	if out := (clitest.Call{}).OK(t, "speed", "sm4-ecb", "--size", "1", "--seconds", "0.01"); !regexp.MustCompile(`operation +16 +×generic`).MatchString(out) {
		t.Errorf("less than a block:\n%s", out)
	}
	for _, a := range clitest.ParseJSON[inventory.Document](t, clitest.Call{}, "list", "--json", "sm4-gcm").Algorithms {
		for _, d := range a.Drivers {
			if line := "not on this machine: " + d.Name + " (lacks " + strings.Join(d.Missing, " ") + ")"; strings.Contains(out, line) == d.Available {
				t.Errorf("available %v: %s:\n%s", d.Available, line, out)
			}
		}
	}
}

func TestSpeedBench(t *testing.T) {
	out := clitest.Call{}.OK(t, "speed", "sm3", "--driver", "generic", "--size", "64", "--seconds", "0.3", "--format", "bench")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3+3*benchSamples {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	line := regexp.MustCompile(`^BenchmarkSpeed/alg=sm3/op=(hash|hash-x32|kdf)/bytes=64/driver=generic 1 [0-9.e+]+ ns/op [0-9.]+ MB/s$`)
	for _, l := range lines[3:] {
		if !line.MatchString(l) {
			t.Errorf("line %q", l)
		}
	}
}

func TestSpeedLinux(t *testing.T) {
	args := []string{"speed", "--linux", "aes-cbc", "frodokem-976-aes", "--size", "1024", "--seconds", "0.2"}
	if _, err := kcapi.Probe("skcipher", "cbc(aes)"); err != nil {
		clitest.Call{}.Fails(t, cli.ExitUnavailable, "speed --linux: ", args...)
		return
	}
	if out := (clitest.Call{}).OK(t, args...); !strings.Contains(out, "linux-any:") {
		t.Errorf("no row of Linux's:\n%s", out)
	}
}

// TestSpeedInterrupted: speed ends by the signal, so that a shell stops its script, too. It
// needs no handler, so it does not matter how far it has come.
func TestSpeedInterrupted(t *testing.T) {
	// A command inherits that a signal is ignored, but not that there is a handler.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	defer signal.Reset(syscall.SIGINT)
	for _, progress := range []string{"on", "off"} {
		cmd := clitest.Call{}.Command(t, "speed", "sm3", "--seconds", "600", "--progress", progress)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if progress == "on" { // until it measures
			stderr.Read(make([]byte, 1))
		}
		cmd.Process.Signal(os.Interrupt)
		io.Copy(io.Discard, stderr)
		cmd.Wait()
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus); got.Signal() != syscall.SIGINT {
			t.Errorf("--progress %s: ended with %v", progress, cmd.ProcessState)
		}
	}
}

// TestSpeedChecksFirst: a driver that computes wrong results is not measured.
func TestSpeedChecksFirst(t *testing.T) {
	a, _ := catalog.Find("sm3")
	a.Answer.Output = append([]byte(nil), a.Answer.Output...)
	a.Answer.Output[3] ^= 1
	_, _, err := (&SpeedCmd{}).cases([]catalog.Algorithm{a}, []int{64})
	if e, ok := err.(interface{ ExitCode() int }); !ok || e.ExitCode() != 4 || !strings.Contains(err.Error(), "known answer") {
		t.Errorf("error %v, want one with exit code 4", err)
	}
}

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{0.123: "0.12", 9.876: "9.88", 42.42: "42.4", 123.4: "123", 12345.6: "12346"} {
		if got := digits(x); got != want {
			t.Errorf("digits(%v) = %s, want %s", x, got, want)
		}
	}
}

// CIPHERLANE_SECONDS can only shorten the time given by --seconds.
func TestMeasuringTime(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 20 * time.Second, "0.5": time.Second / 2, "60": 20 * time.Second, "0": 20 * time.Second, "-1": 20 * time.Second, "x": 20 * time.Second} {
		t.Setenv("CIPHERLANE_SECONDS", value)
		if got := measuringTime(20); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// varying returns results of which so many vary.
func varying(vary, all int) []speed.Result {
	var list []speed.Result
	for i := range all {
		r := speed.Result{Case: speed.Case{Algorithm: "sm2", Driver: "generic", Operation: fmt.Sprint(i), Bytes: 32}, Slices: []float64{100, 100, 100}}
		if i < vary {
			r.Slices = []float64{100, 200, 400, 500, 600}
		}
		list = append(list, r)
	}
	return list
}

// What varies is marked, and has no ratio. If most of it does, that is an error, and nothing is
// written.
func TestSpeedBusy(t *testing.T) {
	t.Setenv("CIPHERLANE_SECONDS", "")
	for _, c := range []struct {
		vary, all int
		busy      bool
	}{{0, 4, false}, {2, 4, false}, {3, 4, true}, {1, 1, true}, {0, 0, false}} {
		if err := busy([][]speed.Result{varying(c.vary, c.all), nil}); (err != nil) != c.busy {
			t.Errorf("%d of %d: %v", c.vary, c.all, err)
		}
	}
	t.Setenv("CIPHERLANE_SECONDS", "1")
	if err := busy([][]speed.Result{varying(3, 3)}); err != nil {
		t.Errorf("shortened: %v", err)
	}
	var b bytes.Buffer
	p := &cli.Program{Name: "cipherlane", Stdout: bufio.NewWriter(&b), Out: clitest.DevNull(t), Stderr: os.Stderr}
	a, _ := catalog.Find("sm2")
	results := append(varying(1, 2), varying(1, 2)...)
	for i := range results[2:] {
		results[2+i].Driver, results[2+i].Bytes = "adx", 32
	}
	speedTableOperations(p, results, false)
	for i := range results {
		results[i].Bytes = 64
	}
	speedTable(p, a, results)
	p.Flush()
	for _, want := range []string{`(?m)^generic +0 +5000000~ +0.20 +~$`, `(?m)^adx +0 +5000000~ +0.20 +~$`, `(?m)^adx +1 +10000000 +0.10 +×1.0$`,
		`(?m)^adx +0 +320~ +~$`, `(?m)^adx +1 +640 +×1.0$`} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("nothing like %s:\n%s", want, &b)
		}
	}
}

// TestSpeedSM2 checks that the table shows operations per second, and no bytes.
func TestSpeedSM2(t *testing.T) {
	out := clitest.Call{}.OK(t, "speed", "sm2", "--driver", "generic", "--seconds", "0.1")
	for _, want := range []string{"sm2  GB/T 32918", "operations/s", " sign ", " verify ", " generate ", " ecdh ", " encrypt ", " decrypt ", " sign-many ", " verify-many "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "B/s") {
		t.Errorf("bytes per second:\n%s", out)
	}
}

// A measurement may go on for long: no stream comes to its end, whatever the IV is by chance.
func TestSpeedLong(t *testing.T) {
	a, _ := catalog.Find("chacha20")
	const size = 1 << 20
	src, dst := make([]byte, size), make([]byte, size+16)
	for range 20 {
		cases, err := operationsOf(a, "", src, dst)
		if err != nil {
			t.Fatal(err)
		}
		cases[0].Run(1)
	}
	stream := 0
	counted := a
	counted.Stream = func(driver string, key, iv []byte, encrypt bool) (cipher.Stream, error) {
		stream++
		if counter := binary.LittleEndian.Uint32(iv); counter != 0 {
			t.Errorf("the counter begins with %d", counter)
		}
		return a.Stream(driver, key, iv, encrypt)
	}
	cases, err := operationsOf(counted, "", src[:64], dst[:80])
	if err != nil {
		t.Fatal(err)
	}
	before := stream
	cases[0].Run(3)
	cases[0].Run(3)
	if stream != before+2 {
		t.Errorf("%d streams for two slices", stream-before)
	}
}
