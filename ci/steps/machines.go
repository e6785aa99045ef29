//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// portable are the portable drivers, for which "generic" stands in machines.txt, but for
// FrodoKEM's, which is slow under an emulator and in few lines.
const portable = "sm3:generic,sm4:generic,aes:generic,ghash:generic,chacha20:generic,chacha20poly1305:generic,keccak:generic,sm2:generic"

// A machine is a line of machines.txt.
type machine struct {
	name        string
	environment []string
	emulator    string
	need        []string // drivers, as PACKAGE:DRIVER
	packages    []string // or flags of go test
}

func readMachines(file string) (list []machine, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "|")
		for len(fields) < 5 {
			fields = append(fields, "")
		}
		if len(fields) > 5 || strings.TrimSpace(fields[0]) == "" {
			return nil, fmt.Errorf("%s: %q", file, line)
		}
		need := strings.TrimSpace(fields[3])
		if rest, ok := strings.CutPrefix(need, "generic"); ok {
			need = portable + rest
		}
		m := machine{name: strings.TrimSpace(fields[0]), environment: strings.Fields(fields[1]), emulator: strings.TrimSpace(fields[2]), packages: strings.Fields(fields[4])}
		if need != "" {
			m.need = strings.Split(need, ",")
			m.packages = append(m.packages, "./internal/cpu")
			// These do the same on every CPU of an architecture.
			if goarch := m.environment[0]; !slices.ContainsFunc(list, func(m machine) bool { return m.environment[0] == goarch }) {
				m.packages = append(m.packages, "./internal/guard", "./internal/alias", "./internal/drivers")
			}
		}
		for _, d := range m.need {
			switch pkg, _, _ := strings.Cut(d, ":"); pkg {
			case "ghash", "keccak":
				m.packages = append(m.packages, "./internal/"+pkg+"/...")
			case "aes":
				m.packages = append(m.packages, "./internal/aescore/...", "./aes/...")
			case "chacha20poly1305":
				m.packages = append(m.packages, "./internal/chachapoly/...", "./chacha20poly1305/...")
			default:
				m.packages = append(m.packages, "./"+pkg+"/...")
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// composed are the tests of modes, in aes and sm4, whose code is the same on every CPU. It calls
// kernels that have tests of their own, or, but for those of simple, kernels that no other mode
// calls. No other package has tests with these names.
const (
	simple   = "TestOFB|TestBC|TestCTS|TestSIV|TestKeyWrap|TestCCMParts"
	composed = simple + "|TestOFBNLF|TestCCM|TestCCMMany|TestCMAC|TestCMACMany|TestMAC|TestCBCMAC|TestXCBC|TestGCMSIV|TestHCTR|TestHCTRVectors"
)

// machines runs the suites under an emulator. A line tests the packages that it must run
// drivers of, and skips drivers that are there as well and that another line must run.
func machines(r *runner) (tasks []task, err error) {
	list, err := readMachines(filepath.Join(r.top, "ci", "machines.txt"))
	if err != nil {
		return nil, err
	}
	wanted := strings.Fields(os.Getenv("MACHINES"))
	if len(wanted) == 0 && r.tier == quick {
		wanted = []string{"386", "mips"} // portable code with 32 bits and in the other order of bytes
	}
	var drivers []string
	for _, m := range list {
		for _, d := range m.need {
			_, driver, _ := strings.Cut(d, ":")
			drivers = append(drivers, driver)
		}
	}
	slices.Sort(drivers)
	drivers = slices.Compact(drivers)
	for _, m := range list {
		if len(wanted) > 0 && !slices.Contains(wanted, m.name) {
			continue
		}
		var others []string
		for _, d := range drivers {
			if !slices.ContainsFunc(m.need, func(need string) bool { return strings.HasSuffix(need, ":"+d) }) {
				others = append(others, regexp.QuoteMeta(d))
			}
		}
		// Go takes the first alternative that matches a part of a name, so that of whole
		// tests is first.
		skip := fmt.Sprintf("^(%s)$|/^(%s)$", m.skip(r.tier), strings.Join(others, "|"))
		if r.tier != all && m.emulator != "" {
			// Plans with two drivers need code of an architecture for keys, which the other tests reach.
			skip += fmt.Sprintf("|^(%s)$/^mixed$", composed)
		}
		args := append([]string{"-short", "-vet=off", "-skip", skip}, m.packages...)
		t := r.gotest(m.name, m.emulator, args...)
		t.env = append([]string{"CGO_ENABLED=0", "CIPHERLANE_REQUIRE=" + strings.Join(m.need, ",")}, m.environment...)
		tasks = append(tasks, t)
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(tasks, func(t task) bool { return t.name == name }) {
			return nil, fmt.Errorf("machines.txt has no machine %s", name)
		}
	}
	return tasks, nil
}

// skip returns the tests that a machine leaves out: in the tier all only those that cannot
// work there.
func (m *machine) skip(t tier) string {
	// Tests that start a copy of themselves, which the host could not run, and tests that look at
	// assembly and source text with the go command of the host. The step test runs both. They must not even try: a
	// process that qemu forks waits for ever now and then, for a lock that a thread of its parent
	// held.
	var skip []string
	if m.emulator != "" {
		skip = append(skip, "TestPrivileged", "Test.*FIPS.*", "TestScan", "TestScanFinds", "TestEncodings", "TestSystems")
	}
	if t == all {
		return strings.Join(append(skip, "no test"), "|")
	}
	// Of sm2 and frodokem, what derives keys from passphrases, which takes long on purpose and
	// reaches SM3 and AES only, which have their own tests.
	skip = append(skip, "TestScan", "TestScanFinds", "TestEncodings", "TestEncrypted", "TestEncryptedVectors", "TestEncryptedPrivateKey", "TestSpecScrypt", "ExampleMarshalEncryptedPrivateKey")
	if m.emulator != "" {
		// Of frodokem, DER; of chunked, goroutines that wait for each other, which takes
		// minutes; 386 runs them.
		skip = append(skip, "TestDER", "TestWriter", "TestWritesArePromptAndFew", "TestReaderAtConcurrent", "TestWriterRuns", "TestReadersMixed", "TestReader", "TestReaderAt", "TestReaderAtDamages",
			"TestReaderSourceErrors", "TestWriteToErrors", "TestWriterErrors", "TestNoGoroutinesLeft", "TestLineKeepsBusy", "TestParts.*", "TestDamages")
	}
	if m.emulator != "" && slices.Contains(m.packages, "./frodokem/...") {
		// What counts or repeats calls of kernels that other tests of frodokem reach; no other package of
		// these lines has tests with these names that a driver matters for.
		skip = append(skip, "TestManyForOne", "TestAllocations", "TestEncapsulator", "TestRejection")
		if !slices.Contains([]string{"386", "arm64", "s390x", "zvk-128"}, m.name) {
			skip = append(skip, "TestConformance") // of frodokem alone
		}
	}
	// Of amd64, modes, parameter sets and what remains on stacks, for which sm2 takes minutes there: this
	// CPU has run them with the same drivers in the step test. The purpose is that no kernel uses an
	// instruction that its driver does not need.
	if slices.Contains(m.environment, "GOARCH=amd64") {
		skip = append(skip, modes, "TestHMACMany", "TestSigner", "TestNothingRemains", "TestExchangeRemains", "TestMany", "TestCCMParts", "TestNothingLeftOnTheStack.*")
	}
	switch m.name {
	case "386", "arm64", "power9", "s390x", "mips":
		// Both sizes of words, both orders of bytes, and crypto/aes.
	case "cortex-a7", "pi", "neoverse", "ampere1", "riscv64", "zvk-256":
		// Drivers that have kernels of their own for a composed mode (TestComposedKernels).
		skip = append(skip, simple)
	default:
		skip = append(skip, composed)
	}
	return strings.Join(skip, "|")
}
