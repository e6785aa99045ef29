package report

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cipherlane/cipherlane/ci/figures/data"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/doctor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

// TestFile: a report is a file of docs/machines as it is, and speed --compare reads it.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	shown := c.OK(t, "report", "sm3", "aes-gcm", "--name", "Example board", "--seconds", "0.01", "-o", "board.json")
	f, err := data.Read(filepath.Join(dir, "board.json"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, r := range f.Rows {
		names[r.Operation] = true
	}
	if f.Machine.Name != "Example board" || f.Machine.Arch == "" || f.Machine.Go == "" || f.Command != "cipherlane report sm3 aes-gcm" || !names["SM3"] || !names["AES-128-GCM seal"] {
		t.Errorf("%+v, %v", f.Machine, names)
	}
	if out := c.OK(t, "speed", "--compare", "board.json", "board.json"); !strings.Contains(out, "sm3") {
		t.Errorf("speed --compare: %s", out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "board.json"))
	if err != nil {
		t.Fatal(err)
	}
	// What is shown is the file without its last parts.
	head, _, ok := strings.Cut(string(text), ",\n  \"unavailable\"")
	if !ok || shown != head+"\n}\n" {
		t.Errorf("shown:\n%s\nwritten:\n%s", shown, text)
	}
	c.Fails(t, cli.ExitFailed, "exists", "report", "sm3", "--seconds", "0.01", "-o", "board.json")
	if o := c.Fails(t, cli.ExitFailed, "no such file", "report", "sm3", "--seconds", "0.01", "-o", "none/board.json"); o.Stdout != "" {
		t.Errorf("there is no such folder, but it measured: %s", o.Stdout)
	}
	if out := c.OK(t, "report", "sm3", "--seconds", "0.01", "-o", "-"); strings.Count(out, `"results"`) != 1 || strings.Count(out, `"title"`) != 1 {
		t.Errorf("-o -: %s", out)
	}
}

// TestContents: the parts say what the other verbs say.
func TestContents(t *testing.T) {
	out := clitest.Call{Env: []string{"CIPHERLANE=sm3:generic"}}.OK(t, "report", "sm3", "--seconds", "0.01")
	var doc struct {
		Cipherlane string
		Machine    struct {
			CPU      string
			Features []string
		}
		Linux    *doctor.Linux
		Packages []plan
		Selftest selftestResult
		Results  []struct{ Driver string }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Cipherlane != "sm3:generic" || doc.Machine.CPU == "" || !slices.Equal(doc.Machine.Features, cpu.Features().Names()) {
		t.Errorf("%+v", doc)
	}
	if (doc.Linux != nil) != (doctor.Kernel() != nil) || doc.Linux != nil && doc.Linux.Release != doctor.Kernel().Release {
		t.Errorf("Linux: %+v", doc.Linux)
	}
	if len(doc.Packages) != 1 || doc.Packages[0].Auto.Bulk != "generic" || doc.Packages[0].Drivers[0] != "generic" {
		t.Errorf("packages: %+v", doc.Packages)
	}
	if doc.Selftest.Passed == 0 || doc.Selftest.Failed != 0 || len(doc.Results) == 0 {
		t.Errorf("selftest: %+v, %d results", doc.Selftest, len(doc.Results))
	}
	for line := range strings.Lines(out) { // of the results each has one
		if strings.Contains(line, `"ns"`) && !regexp.MustCompile(`^    \{ "algorithm": "sm3", [^{]*\},?\n$`).MatchString(line) {
			t.Errorf("line %q", line)
		}
	}
}

// TestPrivate: nothing that names the machine or its user is in a report.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home-of-someone")
	c := clitest.Call{Dir: dir, Env: []string{"HOME=" + home, "USER=someone-here", "LOGNAME=someone-here", "HOSTNAME=host-of-someone", "container=box-of-someone"}}
	out := c.OK(t, "report", "sm3", "--seconds", "0.01")
	secrets := []string{dir, "someone"}
	if name, err := os.Hostname(); err == nil && len(name) > 3 {
		secrets = append(secrets, `"`+name, " "+name)
	}
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		if mac := i.HardwareAddr.String(); mac != "" && mac != "00:00:00:00:00:00" {
			secrets = append(secrets, mac)
		}
	}
	for _, s := range secrets {
		if strings.Contains(out, s) {
			t.Errorf("has %q:\n%s", s, out)
		}
	}
	if at := regexp.MustCompile(`["( ]/\w[^"]*|(\w\w:){5}`).FindString(out); at != "" {
		t.Errorf("has %q", at)
	}
	l := &doctor.Linux{LSM: "/usr/bin/x//private (enforce)", Container: []string{"box (environment variable container)"}}
	l.AFALG.Why = "blocked in /etc/modprobe.d/someone.conf"
	if err := json.Unmarshal([]byte(`{"types":{"hash":{"state":"blocked","why":"blocked in /etc/modprobe.d/someone.conf"},"aead":{"why":"in the kernel"}}}`), l); err != nil {
		t.Fatal(err)
	}
	got := public(l)
	if hash := got.Types["hash"]; hash.State != "blocked" || hash.Why != "" || got.Types["aead"].Why != "in the kernel" {
		t.Errorf("%+v", got.Types)
	}
	if got.LSM != "confined" || !slices.Equal(got.Container, []string{"container"}) || got.AFALG.Why != "" {
		t.Errorf("%+v", got)
	}
	if public(nil) != nil || public(&doctor.Linux{LSM: "unconfined"}).LSM != "unconfined" {
		t.Error("without Linux, or unconfined")
	}
}

// TestFailure: if a self-test fails, the report says what failed.
func TestFailure(t *testing.T) {
	doc := &document{Selftest: selftestResult{Summary: selftest.Summary{Failed: 1}, Failures: []selftest.Result{{Algorithm: "sm3", Driver: "avx2", Status: "failed", Error: "wrong"}}}}
	if out := text(doc); !strings.Contains(out, `{ "algorithm": "sm3", "driver": "avx2", "status": "failed", "checks": 0, "error": "wrong" }`) || strings.Contains(out, "results") {
		t.Error(out)
	}
}

func TestMachine(t *testing.T) {
	for _, test := range []struct{ cpuinfo, model, clock, want string }{
		{"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nstepping\t: 8\ncpu MHz\t: 2000.1\nflags\t: fpu  vme\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nstepping\t: 8\ncpu MHz\t: 2100\nflags\t: fpu vme\n", "", "3800000\n",
			`{"name":"given","family":"family 6, model 143, stepping 8","clock":"3.8 GHz","cpus":[{"count":2,"facts":{"cpu family":"6","flags":"fpu vme","model":"143","stepping":"8","vendor_id":"GenuineIntel"}}]}`},
		{"processor\t: 0\nFeatures\t: fp asimd\nCPU part\t: 0xd03\n\nprocessor\t: 1\nCPU part\t: 0xd03\nFeatures\t: fp asimd\n\nprocessor : 2\nCPU part : 0xd08\n\nHardware\t: BCM2835\nRevision\t: c03111\nSerial\t\t: 10000000abcdef01\nModel\t\t: Raspberry Pi 4 Model B Rev 1.1\n", "Raspberry Pi 4 Model B Rev 1.1\x00", "1500000\n",
			`{"name":"given","board":"Raspberry Pi 4 Model B Rev 1.1","clock":"1.5 GHz","cpus":[{"count":2,"facts":{"CPU part":"0xd03","Features":"fp asimd"}},{"count":1,"facts":{"CPU part":"0xd08"}}]}`},
		{"system type\t\t: MediaTek MT7621 ver:1 eco:3\nmachine\t\t\t: Example\nprocessor\t\t: 0\ncpu model\t\t: MIPS 1004Kc V2.15\n\nprocessor\t\t: 1\ncpu model\t\t: MIPS 1004Kc V2.15\n", "", "",
			`{"name":"given","cpus":[{"count":2,"facts":{"cpu model":"MIPS 1004Kc V2.15","machine":"Example","system type":"MediaTek MT7621 ver:1 eco:3"}}]}`},
		{"", "", "x", `{"name":"given"}`},
	} {
		m := thisMachine(fstest.MapFS{
			"proc/cpuinfo":           {Data: []byte(test.cpuinfo)},
			"proc/device-tree/model": {Data: []byte(test.model)},
			"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": {Data: []byte(test.clock)},
		}, "given")
		out, err := json.Marshal(struct {
			Name   string  `json:"name"`
			Board  string  `json:"board,omitempty"`
			Family string  `json:"family,omitempty"`
			Clock  string  `json:"clock,omitempty"`
			CPUs   []cores `json:"cpus,omitempty"`
		}{m.Name, m.Board, m.Family, m.Clock, m.CPUs})
		if err != nil || string(out) != test.want {
			t.Errorf("%q:\n%s, want\n%s", test.cpuinfo, out, test.want)
		}
	}
	if m := thisMachine(fstest.MapFS{"proc/device-tree/model": {Data: []byte("Board\x00")}}, ""); m.Name != "Board" {
		t.Errorf("name %q", m.Name)
	}
	if m := thisMachine(fstest.MapFS{}, ""); m.Name != m.CPU || m.Name == "" {
		t.Errorf("name %q", m.Name)
	}
}
