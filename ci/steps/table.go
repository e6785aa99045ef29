//go:build linux

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// table has all steps. Their order is that of the output, and of what begins first if
// several can.
var table = []step{
	{name: "install", tier: quick, finds: "packages that other steps need and that cannot be installed",
		needs: []string{"strace"}},
	{name: "format", tier: quick, finds: "files that gofmt would change",
		tasks: gofmt},
	{name: "vet", tier: quick, finds: "what go vet finds, here and for other targets",
		tasks: vet},
	{name: "test", tier: quick, finds: "tests that fail on this CPU, and drivers that it could run and did not",
		needs: []string{"openssl", "jq", "man:man-db", "wg:wireguard-tools", "ip:iproute2", "curl", "shellcheck", "busybox", "make",
			"gcc", "/usr/include/gcrypt.h:libgcrypt20-dev"},
		tasks: test},
	{name: "staticcheck", tier: quick, finds: "unused code, and mistakes that vet does not know",
		tasks: staticcheck},
	{name: "guests", tier: change, finds: "AF_ALG on Linux 6.12, 7.2 and 7.3: as root, as a user, with faults and with an engine",
		tasks: guests},
	{name: "machines", tier: quick, finds: "other architectures and older CPUs, under emulators: kernels, detection, byte order, 32 bits",
		tasks: machines},
	{name: "lacking", tier: change, finds: "drivers for AVX-512, VAES and GFNI where this CPU lacks them, in Bochs",
		tasks: lacking},
	{name: "bochs", tier: change, finds: "drivers with the instructions for SM3 and SM4, in Bochs",
		tasks: bochs},
	{name: "ctcheck", tier: quick, finds: "branches and addresses in assembly that depend on secrets",
		tasks: ctcheck},
	{name: "prove", tier: change, finds: "kernels of arm64, amd64 and riscv64 that are not proven to compute what their standard says; those whose proofs take long only if their file changed since upstream, for 300 seconds of CPU, and in the tier all",
		tasks: prove},
	{name: "generated", tier: change, finds: "assembly and tables of figures that are not what their generators write",
		tasks: generated},
	{name: "secrets", tier: change, finds: "branches and addresses that depend on secrets, under valgrind",
		needs: []string{"valgrind"}, tasks: secrets},
	{name: "compiled", tier: change, finds: "branches and indices in the compiled portable code that nobody has explained",
		tasks: compiled},
	{name: "checks", tier: change, finds: "a table in docs/timing.md that the source, secrets and compiled contradict",
		after: []string{"secrets", "compiled"}, tasks: checks},
	{name: "race", tier: change, finds: "data races", needs: []string{"gcc", "/usr/include/stdio.h:libc6-dev"},
		tasks: race},
	{name: "purego", tier: change, finds: "what does not work without assembly",
		tasks: purego},
	{name: "newest", tier: change, finds: "what does not work with the newest Go",
		tasks: newest},
	{name: "older", tier: change, finds: "what does not work with the oldest Go that go.mod allows, and the next one",
		tasks: older},
	{name: "std", tier: change, finds: "Go's own tests that fail with our kernels in the standard library, or with TLS with SM; programs on gmsm",
		tasks: std},
	{name: "dist", tier: change, finds: "recipes, packages, images, services and releases that do not work",
		needs: []string{"shellcheck", "busybox", "make", "lintian"}, tasks: dist},
	{name: "texts", tier: quick, finds: "commands and snippets in documentation and help that fail",
		needs: []string{"man:man-db", "jq"}, tasks: texts},
	{name: "counts", tier: change, finds: "libraries to compare with that cannot be installed, or give other results",
		needs: []string{"aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu"}, tasks: counts},
	{name: "sizes", tier: change, finds: "programs that grew over their limits",
		tasks: sizes},
	{name: "mutate", tier: change, finds: "changes to the code that no test notices",
		tasks: mutate},
	{name: "build", tier: all, finds: "what vet does not see of other systems: linking and compilation",
		tasks: build},
	{name: "fuzz", tier: all, finds: "inputs that nobody thought of",
		tasks: fuzz},
}

// gofmt lists its files with git, so that it is never remembered.
func gofmt(*runner) ([]task, error) {
	return []task{bash("gofmt", `bad=$(gofmt -l $(git ls-files '*.go'))
[ -z "$bad" ] || { echo "not formatted by gofmt: $bad"; exit 1; }`)}, nil
}

func bash(name, script string) task {
	return task{name: name, args: []string{"bash", "-euo", "pipefail", "-c", script}}
}

// tool returns a task that runs a command through ci/once.
func tool(name string, args ...string) task {
	return task{name: name, args: args, onceFlags: remember}
}

// lines runs a command and returns the lines of its output.
func lines(args ...string) ([]string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return strings.FieldsFunc(string(output), func(c rune) bool { return c == '\n' }), nil
}

// parts returns a task for each part of what a tool of ci does: those that its flag -list
// prints.
func parts(command ...string) ([]task, error) {
	names, err := lines(append(slices.Clone(command[:3]), "-list")...)
	return tasksFor(names, func(name string) task { return tool(name, append(slices.Clone(command), name)...) }), err
}

// gotest returns a task that runs tests whose results are remembered: in this process, or
// with an emulator.
func (r *runner) gotest(name, emulator string, args ...string) task {
	exec := r.oncePath + " -exec -native -plain ./ci/rig,./ci/once" + // which trace something themselves
		" -whole ./cmd/cipherlane/internal/substitute,./ci/mutate" // which start hundreds of compilers
	if emulator != "" {
		exec = r.oncePath + " -exec " + emulator
	}
	return task{name: name, args: slices.Concat([]string{"go", "test", "-timeout", "40m", "-exec", exec}, args)}
}

// inGuest returns a task that runs tests in a guest (see ci/guest).
func (r *runner) inGuest(name, options string, env []string, args string) task {
	t := bash(name, fmt.Sprintf(`command=$(ci/guest -command %s) || exit
[ -n "$command" ] || exit 0 # lacks something, and has said so
exec go test -vet=off -short -exec '%s -guest '"$command" %s`, options, r.oncePath, args))
	t.env = append([]string{"CGO_ENABLED=0"}, env...) // linked statically: most guests have no libraries
	return t
}

func vet(r *runner) ([]task, error) {
	tasks := []task{tool("work", "go", "vet", "work")}
	if r.tier == quick {
		return tasks, nil
	}
	tasks = append(tasks, tool("purego", "go", "vet", "-tags", "purego", "./..."),
		tool("linux/arm purego", "go", "run", "./_gen/platforms", "-tags", "purego", "linux/arm"))
	// Each system and each architecture that we have code for; all of their pairs in the tier all.
	targets := "linux/386 linux/arm linux/arm64 linux/riscv64 linux/mips linux/loong64 openbsd/amd64 openbsd/arm64 " +
		"freebsd/arm64 netbsd/amd64 darwin/arm64 windows/amd64 js/wasm"
	if r.tier == all {
		targets += " openbsd/riscv64 freebsd/amd64 netbsd/arm64 darwin/amd64 windows/arm64"
	}
	for target := range strings.FieldsSeq(targets) {
		tasks = append(tasks, tool(target, "go", "run", "./_gen/platforms", target))
	}
	return tasks, nil
}

// forTarget returns a task for another system and architecture: GOOS/GOARCH.
func forTarget(target string, args ...string) task {
	t := tool(target, args...)
	goos, goarch, _ := strings.Cut(target, "/")
	t.env = []string{"GOOS=" + goos, "GOARCH=" + goarch, "GOMIPS=softfloat", "CGO_ENABLED=0"}
	return t
}

// build compiles for other targets; those of Linux that the step machines has are there.
func build(*runner) (tasks []task, err error) {
	for _, target := range strings.Fields("linux/386 linux/arm linux/arm64 linux/riscv64 linux/mips openbsd/amd64 darwin/arm64 windows/arm64 js/wasm freebsd/arm64") {
		tasks = append(tasks, forTarget(target, "go", "vet", "./..."))
		if target != "js/wasm" {
			t := forTarget(target, "go", "build", "-o", "/dev/null", "./cmd/cipherlane")
			t.name += " command"
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

// staticcheck is installed by ci/install: "go run" of a version would ask the network for it.
func staticcheck(r *runner) (tasks []task, err error) {
	for _, module := range []string{".", "cmd/cipherlane", "_gen", "peers"} {
		tasks = append(tasks, tool(module, "env", "-C", module, filepath.Join(r.cache, "bin", "staticcheck"), "./..."))
	}
	return tasks, nil
}

func ctcheck(*runner) ([]task, error) {
	return parts("go", "run", "./ci/ctcheck", "-folder")
}

// prove leaves out parts that take long unless a file of theirs changed, and then after 300 seconds, but for the
// tier all.
func prove(r *runner) ([]task, error) {
	list := []string{"go", "run", "./ci/prove", "-list"}
	if r.tier != all {
		changed, err := lines("go", "run", "./ci/mutate", "-changed", "-since", "upstream")
		if err != nil {
			return nil, err
		}
		list = append(list, "-changed", strings.Join(changed, ","))
	}
	names, err := lines(list...)
	tasks := tasksFor(names, func(name string) task { return tool(name, "go", "run", "./ci/prove", "-part", name) })
	// Each part of the faults has a seed of its own, so that the tier all has those of the tier change.
	for seed := 1; seed <= 20 && (seed == 1 || r.tier == all); seed++ {
		tasks = append(tasks, tool(fmt.Sprint("faults ", seed), "go", "run", "./ci/prove", "-faults", "12", "-seed", fmt.Sprint(seed)))
	}
	return tasks, err
}

func generated(*runner) ([]task, error) {
	tasks, err := parts("go", "run", "./ci/generated")
	return append(tasks, tool("figures", "go", "run", "./ci/figures", "-check"),
		task{name: "complete", args: []string{"go", "run", "./ci/generated", "-complete"}}), err
}

func secrets(r *runner) ([]task, error) {
	packages, err := lines("ci/secrets.sh", "-list")
	planted := tool("planted", "ci/secrets.sh", "-planted")
	planted.onceFlags = []string{"-native"}
	return append([]task{planted}, tasksFor(packages, func(pkg string) task {
		result := filepath.Join(r.checks, "secrets.d", strings.ReplaceAll(strings.TrimPrefix(pkg, "./"), "/", "-"))
		return task{name: pkg, args: []string{"ci/secrets.sh", pkg}, onceFlags: []string{"-native", "-out", result}}
	})...), err
}

// compiled checks packages one by one, and those together that have little to compile.
func compiled(r *runner) ([]task, error) {
	lists, err := lines("go", "run", "./ci/compiled", "-list")
	return tasksFor(lists, func(packages string) task {
		name := packages
		if strings.Contains(packages, ",") {
			name = "others"
		}
		result := filepath.Join(r.checks, "compiled.d", strings.ReplaceAll(name, "/", "-"))
		return task{name: name, args: []string{"go", "run", "./ci/compiled", "-package", packages, "-json", result}, onceFlags: []string{"-out", result}}
	}), err
}

// tasksFor returns a task for each name.
func tasksFor(names []string, f func(string) task) (tasks []task) {
	for _, name := range names {
		tasks = append(tasks, f(name))
	}
	return tasks
}

func checks(r *runner) ([]task, error) {
	return []task{{name: "table", args: []string{"go", "run", "./ci/checks", r.checks}}}, nil
}

// race runs what starts goroutines. In the other tests of sm3, sm4, aes, frodokem, sm2 and
// ChaCha20 one goroutine works alone, where there is nothing to find.
func race(r *runner) ([]task, error) {
	test := func(name string, args ...string) task {
		return r.gotest(name, "", append([]string{"-race", "-short"}, args...)...)
	}
	return []task{
		test("streams", "-skip", "^Test(Wycheproof|Damages|FIPS)$", "./internal/drivers", "./chunked", "./internal/offload"),
		test("ciphers", "-run", "//Concurrent|//[0-9]+/Concurrent|Widen|Shared|CTS$", "./sm3", "./sm4", "./aes", "./internal/ghash", "./internal/modes"),
		test("many", "-run", "^Test(AEAD|Stream|XORKeyStreamAt|Signer|.*Many|.*Concurrent|Conformance)$", "./chacha20", "./chacha20poly1305", "./frodokem", "./sm2"),
		test("linux", "-run", "Concurrent|Lifetime|Failures|Slow", "./linux"),
	}, nil
}

// modes are tests of the modes and parameter sets, which take most of the time. They run
// the code of a driver, in the step test.
const modes = "TestConformance|TestGuards|TestRejection|TestSets|TestManyForOne|TestCFB|TestOFB|TestCCM|TestGCMSIV|TestSIV|TestCMAC|TestCBCMAC|TestXCBC|TestXTSVectors|TestCTS|TestBC|TestOFBNLF|TestHCTR|TestHCTRVectors|TestHMAC|TestHMACWycheproof|TestHKDF|TestKDF|TestPBKDF2|TestPBKDF2Many|TestLanesVerify|TestManyRandom|TestWycheproof|TestCBCWycheproof|TestKeyWrap|TestMillion|TestSecret.*"

// sources are tests that look at source text with the go command: the same with each version.
const sources = "TestScan|TestScanFinds|TestEncodings|TestSystems"

// library returns the packages that programs import, and those of internal that they are made of
// with build tags: not the tools that read the source, whose tests are the same without assembly and
// run with one version of Go.
func library(tags string, packages ...string) ([]string, error) {
	all, err := lines("go", "list", "-tags", tags, "./internal/...")
	tools := regexp.MustCompile(`/internal/(ctcheck|machine|prove|repotest)(/|$)`)
	return append(slices.DeleteFunc(all, tools.MatchString), packages...), err
}

// purego tests the packages that have assembly, without it, and what the command says of
// drivers. In the tier change the portable drivers have run with all modes in the step test.
func purego(r *runner) ([]task, error) {
	skip := modes
	if r.tier == all {
		skip = "no test"
	}
	packages, err := library("purego", "./aes", "./chacha20", "./chacha20poly1305", "./frodokem", "./sm2", "./sm3", "./sm4")
	return []task{
		r.gotest("library", "", append([]string{"-vet=off", "-tags", "purego", "-short", "-skip", "^(" + skip + ")$"}, packages...)...),
		r.gotest("command", "", "-vet=off", "-tags", "purego", "-short", "-run", "^Test(List|Speed|Tune|Selftest|Doctor|Plans|FIPS|FMA|Unavailable)",
			"./cmd/cipherlane", "./cmd/cipherlane/internal/bench", "./cmd/cipherlane/internal/doctor", "./cmd/cipherlane/internal/inventory", "./cmd/cipherlane/internal/selftest"),
	}, err
}

// Versions of Go beside that of go.work. The go command fetches them as modules.
const newestGo = "go1.27.4"

var olderGo = []string{"go1.24.13", "go1.25.10"} // the first is that of go.mod

// older checks the library for systems and architectures, so that nothing newer enters it without
// a build tag, and runs its tests here and, with the first version that has vectors, on riscv64.
// Every file is checked with the oldest version or the current one, so in the tier change the
// versions between are only checked where both have files with tags, and run on one CPU with vectors.
// To check types and assemble is enough: what is compiled is the same for both. The tier all compiles.
func older(r *runner) (tasks []task, err error) {
	skip := "TestWorkSum" // go.work needs a newer one
	if r.tier != all {
		skip += "|" + modes + "|" + sources
	}
	packages, err := library("", "./aes", "./chacha20", "./chacha20poly1305", "./chunked", "./frodokem", "./kcapi", "./linux", "./sm2", "./sm3", "./sm4")
	if err != nil {
		return nil, err
	}
	list, err := readMachines(filepath.Join(r.top, "ci", "machines.txt"))
	if err != nil {
		return nil, err
	}
	platforms, err := r.built("./_gen/platforms") // which itself needs a newer Go than those that it asks
	if err != nil {
		return nil, err
	}
	for _, version := range olderGo {
		env := []string{"GOTOOLCHAIN=" + version, "GOWORK=off"}
		add := func(t task) {
			t.name, t.env = version+" "+t.name, append(t.env, env...)
			tasks = append(tasks, t)
		}
		targets := "linux/amd64 linux/riscv64"
		if version == olderGo[0] || r.tier == all {
			targets += " linux/arm64 linux/arm linux/mips linux/386 linux/loong64 openbsd/amd64 darwin/arm64 windows/amd64"
		}
		for _, target := range strings.Fields(targets) {
			add(tool(target, platforms, "-library", target))
			if r.tier == all {
				add(forTarget(target+" compiled", "go", "build", "./..."))
			}
		}
		if version == olderGo[0] || r.tier == all {
			add(r.gotest("library", "", append([]string{"-vet=off", "-short", "-skip", "^(" + skip + ")$"}, packages...)...))
		}
		for _, m := range list {
			if version != olderGo[0] && (m.name == "rvv-256" || m.name == "rvv-512" && r.tier == all) {
				t := r.gotest(m.name, m.emulator, append([]string{"-short", "-vet=off", "-skip", "^(" + m.skip(change) + "|" + modes + "|" + sources + ")$"}, m.packages...)...)
				t.env = append([]string{"CGO_ENABLED=0", "CIPHERLANE_REQUIRE=" + strings.Join(m.need, ",")}, m.environment...)
				add(t)
			}
		}
	}
	return tasks, nil
}

// newest uses the newest Go, which the go command fetches as a module. It does not run the
// tests of peers: their other libraries run with the Go that go.mod names. Nor those that
// build gmsm. Of the command, it runs what depends on the go command. In the tier change it runs
// tests of the library and of what looks at compiled code, but not of other tools.
func newest(r *runner) ([]task, error) {
	skip := modes + "|" + sources
	packages := []string{"./..."}
	if r.tier == all {
		skip = "no test"
	} else {
		var err error
		packages, err = library("", "./aes", "./chacha20", "./chacha20poly1305", "./chunked", "./ci/compiled", "./driver", "./frodokem", "./kcapi", "./linux", "./sm2/...", "./sm3/...", "./sm4/...")
		if err != nil {
			return nil, err
		}
	}
	tasks := []task{
		tool("vet", "go", "vet", "work"),
		r.gotest("library", "", append([]string{"-vet=off", "-short", "-skip", "^(" + skip + ")$"}, packages...)...),
		r.gotest("command", "", "-vet=off", "-short", "-skip", "^TestGMSM", "-run", "^Test(Go|Substitute|Untested|Newer|Replaced|FIPS|FMA|List|Selftest)", "./cmd/cipherlane/..."),
	}
	for i := range tasks {
		tasks[i].env = []string{"GOTOOLCHAIN=" + newestGo}
	}
	return tasks, nil
}

// bochs leaves out two tests that take the most time and reach no kernel that others do not.
func bochs(r *runner) ([]task, error) {
	skip := "^(TestHCTR|TestHMACMany)$"
	if r.tier == all {
		skip = "no test"
	}
	return []task{r.inGuest("arrow_lake", "arrow_lake", []string{"CIPHERLANE_REQUIRE=sm3:sm3ni,sm4:sm4ni-avx2"},
		"-timeout 40m -run '/^(sm3ni|sm4ni-avx2)$' -skip '"+skip+"' ./internal/cpu ./sm3 ./sm4")}, nil
}

// lacking runs drivers that this CPU cannot run for want of AVX-512, VAES or GFNI. Bochs is slow, so
// that in the tier change it leaves out composed modes, whose kernels are proven.
func lacking(r *runner) ([]task, error) {
	has := flags()
	missing := slices.DeleteFunc(strings.Fields("avx512f avx512cd avx512bw avx512dq avx512vl avx512ifma avx512_vbmi2 vaes gfni vpclmulqdq"), func(f string) bool { return has[f] })
	if len(missing) == 0 {
		return nil, nil
	}
	fmt.Fprintln(r.out, "lacking:", strings.Join(missing, " "))
	skip := "^(" + composed + "|TestManyAllocations|TestSecret.*|TestHMAC|TestHMACMany|TestKDF|TestHKDF|TestPBKDF2|TestPBKDF2Many)$"
	if r.tier == all {
		skip = "no test"
	}
	const drivers = "vaes-avx2|vaes-avx512|gfni-avx2|gfni-avx512|vpclmulqdq-avx2|vpclmulqdq-avx512|avx512|bmi2-avx512"
	return []task{r.inGuest("tigerlake", "tigerlake", []string{
		"CIPHERLANE_REQUIRE=sm3:avx512,aes:vaes-avx2,aes:vaes-avx512,sm4:gfni-avx2,sm4:gfni-avx512,ghash:vpclmulqdq-avx2,ghash:vpclmulqdq-avx512,chacha20:avx512,chacha20:bmi2-avx512,chacha20poly1305:avx512,chacha20poly1305:bmi2-avx512"},
		"-timeout 60m -run '/^("+drivers+")$' -skip '"+skip+"' ./sm3 ./aes ./sm4 ./internal/ghash ./chacha20 ./chacha20poly1305")}, nil
}

// guests runs kcapi as root and as an ordinary user, with faults put into system calls
// (kcapi_hook); on Linux 7.3, which hides engines and has a list of what may be opened,
// without it, with it as root and as an ordinary user, and closed, or on Linux 7.2, which
// hides engines, where Debian has no 7.3; and on Debian's kernel with an engine. Package
// linux runs where all is open and where there is an engine.
func guests(r *runner) ([]task, error) {
	tasks := []task{
		bash("kernels", "for thing in um-6.12 um-7.3 debian-6.12 qemu-x86; do nice ci/rig/get $thing || [ $? = 77 ]; done"), // 77: lacks something; ci/guest will say so
	}
	kcapi := func(name, require, options, flags string) {
		t := r.inGuest(name, options+" ", []string{"KCAPI_REQUIRE=" + require}, flags+" ./kcapi/...")
		// Debian's unstable suites may have other versions one day.
		if strings.Contains(options, "uml-7") {
			t.env = append(t.env, "CI=")
		}
		t.after = "kernels"
		tasks = append(tasks, t)
	}
	const env = "-env KCAPI_REQUIRE "
	kcapi("debian", "1", env+"debian", "")
	kcapi("uml", "all", env+"uml", "-tags kcapi_hook")
	kcapi("uml as user", "1", env+"-user uml", "")
	if exec.Command("ci/rig/get", "-n", "um-7.3").Run() == nil || exec.Command("ci/rig/get", "-n", "um-7.2").Run() != nil {
		kcapi("uml-7.3-0", "all", env+"uml-7.3-0", "")
		kcapi("uml-7.3", "1", env+"uml-7.3", "")
		kcapi("uml-7.3 as user", "1", env+"-user uml-7.3", "")
		kcapi("uml-7.3-2", "", env+"uml-7.3-2", "") // nothing can be opened
	} else {
		kcapi("uml-7.2", "all", env+"uml-7.2", "")
	}
	for _, l := range []struct{ machine, engine, run string }{
		{"uml", "none", "Engine|Sockets|Conformance|Sizes|Stack|SM3|Lifetime|Concurrent"},
		{"debian", "virtio_crypto_aes_cbc", "Engine|Sockets"},
	} {
		t := r.inGuest("linux in "+l.machine, "-env LINUX_REQUIRE,LINUX_ENGINE "+l.machine, []string{"LINUX_REQUIRE=1", "LINUX_ENGINE=" + l.engine},
			"-timeout 30m -run '"+l.run+"' ./linux")
		t.after = "kernels"
		tasks = append(tasks, t)
	}
	rig := r.gotest("rig", "", "-short", "-count=1", "./ci/rig")
	if os.Getenv("CI") != "" {
		rig.args = append(rig.args, "-args", "-must")
	}
	rig.after = "kernels"
	return append(tasks, rig), nil
}

// counts looks at some rows of the tables of instructions (ci/count): not their figures, but
// that every library can be had, runs, and passes the checks of the programs that call it. Of what
// cipherlane go replaces, it counts again on which side of the limit some operations are.
func counts(r *runner) ([]task, error) {
	if r.tier == all {
		var tasks []task
		for _, goarch := range []string{"arm64", "arm", "riscv64", "mipsle"} {
			tasks = append(tasks, tool(goarch, "go", "run", "./ci/count", "-goarch", goarch, "-sizes", "64,1420"))
		}
		for _, goarch := range []string{"386", "arm", "mips64le", "ppc64le", "s390x"} {
			tasks = append(tasks, tool("replaced-"+goarch, "go", "run", "./ci/count", "-replaced", "-goarch", goarch, "-sizes", "64"))
		}
		return tasks, nil
	}
	return []task{
		tool("replaced", "go", "run", "./ci/count", "-replaced", "-goarch", "ppc64le", "-match", "^(SM3|SM4-GCM seal|SM2 sign|ChaCha20-Poly1305 seal)$", "-sizes", "64"),
		tool("arm64", "go", "run", "./ci/count", "-goarch", "arm64", "-match", "^(AES-128-GCM seal|SM4-CTR|SM3)$", "-sizes", "64,1420"),
	}, nil
}

func sizes(r *runner) (tasks []task, err error) {
	for _, goarch := range []string{"amd64", "mipsle"} {
		tasks = append(tasks, tool(goarch, "go", "run", "./ci/sizes", "-goarch", goarch))
	}
	return tasks, nil
}

// std runs cipherlane go --std: Go's own tests with our kernels in the standard library,
// here and emulated, and those of ssh; and the example of a service on gmsm. Left out under
// an emulator: tests that start themselves, and of crypto/cipher what takes minutes.
func std(r *runner) ([]task, error) {
	script := func(name, script string) task {
		t := bash(name, `export CIPHERLANE_SOURCE=$PWD
dir=$(mktemp -d)
go build -o "$dir/cipherlane" ./cmd/cipherlane
std() { GOWORK= "$dir/cipherlane" go --std test -short -vet=off "$@"; }
`+script)
		t.onceFlags = []string{"-native"}
		return t
	}
	// Without -trimpath, so that the command finds its source by itself.
	ways := r.gotest("ways", "", "-vet=off", "./cmd/cipherlane/internal/substitute", "-run", "^TestGoStdWays$", "-std-ways")
	ways.env = []string{"GOFLAGS=-buildvcs=false"}
	tasks := []task{
		script("check", `"$dir/cipherlane" go check`),
		script("sm", `"$dir/cipherlane" go --sm check`),
		ways,
		script("examples", `(cd examples/tlcp && GOWORK=off go vet .)
cd peers/rfc8998/grpc && GOWORK=off go vet .`),
		script("http", `cd "$dir" && CGO_ENABLED=0 std net/http`),
		script("ssh", `mkdir "$dir/ssh" && cd "$dir/ssh" && go mod init ssh && go get golang.org/x/crypto@v0.58.0 && CGO_ENABLED=0 std golang.org/x/crypto/ssh`),
	}
	if r.tier == all {
		tasks = append(tasks,
			script("sm handshakes", `sm_go() { GOWORK= "$dir/cipherlane" go --sm "$@"; }
sm() { sm_go test -vet=off "$@"; }
sm -run '^TestSM' crypto/tls crypto/x509
CGO_ENABLED=1 sm -race -run '^TestSM' crypto/tls crypto/x509
fuzz() { # in the copy itself, because go test does not fuzz packages of other modules
	cd "$(sm_go list -f '{{.Dir}}' "$1")"
	for target in $2; do sm -run '^$' -fuzz "^$target\$" -fuzztime 60s -fuzzminimizetime 1x .; done
}
fuzz crypto/tls 'FuzzSMShare FuzzSMPrivateKey'
fuzz crypto/x509 'FuzzSMKeys FuzzSMCertificate'`),
			script("sm "+newestGo, `GOTOOLCHAIN=`+newestGo+` "$dir/cipherlane" go --sm check`))
	}
	const skip = "^(TestFIPS.*|TestGCMNonces.*|TestGCMAEAD|TestCTR_AES_multiblock_.*)$"
	for _, line := range []string{
		"qemu-aarch64 GOARCH=arm64 QEMU_CPU=cortex-a72",
		"qemu-riscv64 GOARCH=riscv64 QEMU_CPU=rv64,v=true,vlen=256",
		"qemu-arm GOARCH=arm GOARM=7 QEMU_CPU=cortex-a7",
		"qemu-mipsel GOARCH=mipsle GOMIPS=softfloat QEMU_CPU=74Kf",
	} {
		emulator, variables, _ := strings.Cut(line, " ")
		tasks = append(tasks, script(emulator, `cd "$dir" && export CGO_ENABLED=0 `+variables+"\nstd -exec "+emulator+" -skip '"+skip+"' crypto/aes crypto/cipher crypto/tls"))
	}
	return tasks, nil
}

// dist tests recipes, packages, images, services, and a release.
func dist(*runner) ([]task, error) {
	return []task{
		tool("openwrt", "dist/openwrt/test"),
		tool("recipes", "dist/test"),
		tool("release", "ci/release/test"),
		tool("debian", "dist/debian/test"),
		tool("image", "bash", "-euc", "cd dist/image && GOWORK=off go vet . && GOWORK=off go test -vet=off ."),
	}, nil
}

// built builds a program and returns its file, which is named after its contents, so that it
// has the same name in every checkout.
func (r *runner) built(pkg string) (string, error) {
	dir, name := filepath.Join(r.cache, "bin"), filepath.Base(pkg)
	file := filepath.Join(dir, fmt.Sprint(name, "-", os.Getpid())) // a new one is not half written
	if output, err := exec.Command("go", "build", "-o", file, pkg).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	named := filepath.Join(dir, fmt.Sprintf("%s-%x", name, sha256.Sum256(text)))
	return named, os.Rename(file, named)
}

// texts runs each text with one command, which is built once.
func texts(r *runner) ([]task, error) {
	command, err := r.built("./cmd/cipherlane")
	if err != nil {
		return nil, err
	}
	names, err := lines("go", "run", "./ci/texts", "-list")
	return tasksFor(names, func(name string) task {
		t := tool(name, "go", "run", "./ci/texts", "-command", command, "-text", name)
		t.onceFlags = []string{"-native"}
		if r.tier == quick { // not what measures, tests or compiles programs of others; nor k1.json, which tune makes
			t.args = append(t.args, "-skip", ` (speed|tune|report|selftest|cipherlane go|-sweep|-bench) |k1\.json`)
		}
		return t
	}), err
}

// mutate makes a few changes in functions that were changed, which tests must notice: the
// same changes for the same difference. A survivor needs a test or an entry in
// equivalents.txt, but one or two do not fail the step. In the tier all it draws from
// everything. Of the command it is for what computes: tests of its verbs start processes.
func mutate(r *runner) ([]task, error) {
	args := []string{"go", "run", "./ci/mutate", "-since", "upstream", "-n", "20", "-allow", "2", "./...",
		"./cmd/cipherlane/internal/goroot", "./cmd/cipherlane/internal/payload", "./cmd/cipherlane/internal/recipients"}
	if r.tier == all {
		args = []string{"go", "run", "./ci/mutate", "-n", "400", "-allow", "40", "./internal/...", "./chacha20", "./chacha20poly1305", "./sm3/..."}
	}
	return []task{{name: "changes", args: args}}, nil
}

// fuzz shares FUZZ_SECONDS among the fuzz targets of this architecture. Go at times takes the
// end of the time in the middle of a step for a failure: that is run again.
func fuzz(*runner) ([]task, error) {
	files, err := lines("git", "grep", "-lE", "^func Fuzz", "--", "*_test.go")
	if err != nil {
		return nil, err
	}
	other := regexp.MustCompile(`/internal/(arm|arm64|loong64|mips|riscv64)/`)
	var targets [][2]string
	for _, file := range files {
		if other.MatchString(file) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Fuzz\w+)`).FindAllSubmatch(text, -1) {
			targets = append(targets, [2]string{filepath.Dir(file), string(m[1])})
		}
	}
	seconds := 2000
	if s := os.Getenv("FUZZ_SECONDS"); s != "" {
		if _, err := fmt.Sscan(s, &seconds); err != nil {
			return nil, fmt.Errorf("FUZZ_SECONDS: %w", err)
		}
	}
	var tasks []task
	for _, t := range targets {
		tasks = append(tasks, bash(t[0]+" "+t[1], fmt.Sprintf(`cd %s
for try in 1 2 3; do
	output=$(go test -run '^$' -fuzz '^%s$' -fuzztime %ds -fuzzminimizetime 1x . 2>&1) && { echo "$output" | tail -1; exit 0; }
	case $try$output in
	[12]*'context deadline exceeded'*) ;;
	*) echo "$output"; exit 1 ;;
	esac
done`, t[0], t[1], max(1, seconds/len(targets)))))
	}
	return tasks, nil
}
