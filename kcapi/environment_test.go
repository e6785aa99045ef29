package kcapi

import (
	"bytes"
	"compress/gzip"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func filesOf(list map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range list {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

const (
	protocols    = "protocol  size sockets  memory press maxhdr  slab module     cl\nPACKET    1600      0      -1   NI       0   no   kernel      n\n"
	withAFALG    = protocols + "ALG        808      0      -1   NI       0   no   af_alg      n\n"
	dependencies = "kernel/crypto/af_alg.ko.xz:\nkernel/crypto/algif_hash.ko.xz: kernel/crypto/af_alg.ko.xz\n" +
		"kernel/crypto/algif_skcipher.ko.xz: kernel/crypto/af_alg.ko.xz\nkernel/crypto/algif_aead.ko: kernel/crypto/af_alg.ko.xz\n"
)

// usual is a typical distribution that has not loaded AF_ALG.
func usual(change map[string]string) map[string]string {
	m := map[string]string{
		"proc/sys/kernel/osrelease":                "6.12.1-amd64\n",
		"proc/sys/kernel/modprobe":                 "/sbin/modprobe\n",
		"proc/sys/kernel/modules_disabled":         "0\n",
		"proc/net/protocols":                       protocols,
		"proc/modules":                             "xfs 1 2 - Live 0x0\n",
		"lib/modules/6.12.1-amd64/modules.dep":     dependencies,
		"lib/modules/6.12.1-amd64/modules.builtin": "kernel/crypto/hmac.ko\n",
	}
	for name, text := range change {
		if text == "" {
			delete(m, name)
		} else {
			m[name] = text
		}
	}
	return m
}

func nothing(string) string { return "" }

func TestParts(t *testing.T) {
	const modules = "lib/modules/6.12.1-amd64/"
	off := map[string]string{modules + "modules.dep": "", modules + "modules.builtin": ""}
	join := func(list ...map[string]string) map[string]string {
		m := map[string]string{}
		for _, l := range list {
			maps.Copy(m, l)
		}
		return m
	}
	for _, test := range []struct {
		what        string
		files       map[string]string
		afalg, hash State
		aead        State
		why         string // in AFALG's, or in aead's
	}{
		{"modules", usual(nil), Loadable, Loadable, Loadable, "not loaded yet"},
		{"loaded", usual(map[string]string{"proc/net/protocols": withAFALG, "proc/modules": "algif_hash 1 0 - Live 0\naf_alg 1 1 algif_hash, Live 0\n"}), Ready, Ready, Loadable, "module af_alg is loaded"},
		{"not installed", usual(map[string]string{modules + "modules.dep": "kernel/fs/xfs.ko:\n"}), Absent, Absent, Absent, "no module af_alg is installed"},
		{"no modules to be seen", usual(off), Unknown, Unknown, Unknown, "not to be seen"},
		{"config says module", usual(join(off, map[string]string{"boot/config-6.12.1-amd64": "CONFIG_CRYPTO=y\nCONFIG_CRYPTO_USER_API=m\nCONFIG_CRYPTO_USER_API_HASH=m\n# CONFIG_CRYPTO_USER_API_AEAD is not set\n"})), Loadable, Loadable, Absent, "not loaded yet"},
		{"config says no", usual(map[string]string{"proc/config.gz": zipped("CONFIG_CRYPTO=y\n# CONFIG_CRYPTO_USER is not set\n")}), Absent, Absent, Absent, "CONFIG_CRYPTO_USER_API"},
		{"broken config", usual(map[string]string{"proc/config.gz": "\x1f\x8bxxxx"}), Loadable, Loadable, Loadable, ""},
		{"another file as config", usual(map[string]string{"boot/config-6.12.1-amd64": "hello\n"}), Loadable, Loadable, Loadable, ""},
		{"no kernel modules", usual(map[string]string{"proc/modules": ""}), Absent, Absent, Absent, "has no modules"},
		{"nothing in /proc", map[string]string{}, Unknown, Unknown, Unknown, ""},
		{"compiled in, no config", map[string]string{"proc/net/protocols": withAFALG}, Ready, Unknown, Unknown, "compiled in"},
		{"compiled in, config", map[string]string{"proc/net/protocols": withAFALG, "proc/config.gz": zipped("CONFIG_CRYPTO=y\nCONFIG_CRYPTO_USER_API=y\nCONFIG_CRYPTO_USER_API_HASH=y\n")}, Ready, Ready, Absent, "compiled in"},
		{"compiled in, modules.builtin", usual(map[string]string{"proc/net/protocols": withAFALG, modules + "modules.builtin": "kernel/crypto/af_alg.ko\nkernel/crypto/algif_hash.ko\n"}), Ready, Ready, Loadable, "compiled in"},
		{"closed", usual(map[string]string{"proc/net/protocols": withAFALG, "proc/sys/crypto/af_alg_restrict": "2\n"}), Blocked, Blocked, Blocked, "af_alg_restrict is 2"},
		{"modules disabled", usual(map[string]string{"proc/sys/kernel/modules_disabled": "1\n"}), Blocked, Blocked, Blocked, "modules_disabled"},
		{"no modprobe", usual(map[string]string{"proc/sys/kernel/modprobe": "\n"}), Blocked, Blocked, Blocked, "kernel.modprobe"},
		{"nomodule", usual(map[string]string{"proc/cmdline": "quiet nomodule\n"}), Blocked, Blocked, Blocked, "at boot"},
		{"black list", usual(map[string]string{"etc/modprobe.d/x.conf": "# blacklist algif_aead\n blacklist  af-alg\n"}), Blocked, Blocked, Blocked, "black list in /etc/modprobe.d/x.conf"},
		{"only aead", usual(map[string]string{"usr/lib/modprobe.d/kmod.conf": "install algif_aead /bin/false\n"}), Loadable, Loadable, Blocked, "replaced by /bin/false in /usr/lib/modprobe.d/kmod.conf"},
		{"lines that go on", usual(map[string]string{"etc/modprobe.d/x.conf": "install \\\n algif_aead \\\n /bin/true\n"}), Loadable, Loadable, Blocked, "/bin/true"},
		{"rules of a container", usual(join(off, map[string]string{".dockerenv": "\n", "etc/modprobe.d/x.conf": "blacklist af_alg\n"})), Unknown, Unknown, Unknown, ""},
		{"a hidden file", usual(map[string]string{"etc/modprobe.d/kmod.conf": "# nothing\n", "lib/modprobe.d/kmod.conf": "install algif_aead /bin/false\n"}), Loadable, Loadable, Loadable, ""},
		{"not a configuration", usual(map[string]string{"etc/modprobe.d/kmod.bak": "blacklist af_alg\n"}), Loadable, Loadable, Loadable, ""},
		{"a command that loads", usual(map[string]string{"etc/modprobe.d/x.conf": "install af_alg /sbin/modprobe --ignore-install af_alg\n"}), Loadable, Loadable, Loadable, ""},
		{"alias", usual(map[string]string{"etc/modprobe.d/x.conf": "alias net-pf-38 off\n"}), Blocked, Blocked, Blocked, "net-pf-38 is off"},
		{"alias of a type", usual(map[string]string{"etc/modprobe.d/x.conf": "alias algif-aead off\n"}), Loadable, Loadable, Blocked, "algif-aead is off"},
		{"black list but loaded", usual(map[string]string{"proc/net/protocols": withAFALG, "proc/modules": "af_alg 1 0 - Live 0\n", "etc/modprobe.d/x.conf": "blacklist af_alg\n"}), Ready, Loadable, Loadable, ""},
		{"black list at boot", usual(map[string]string{"proc/cmdline": "ro module_blacklist=foo,algif_aead\n"}), Loadable, Loadable, Blocked, "module_blacklist"},
		{"kept from starting", usual(map[string]string{"proc/net/protocols": withAFALG, "proc/cmdline": "initcall_blacklist=algif_aead_init\n", modules + "modules.builtin": "kernel/crypto/af_alg.ko\nkernel/crypto/algif_hash.ko\nkernel/crypto/algif_aead.ko\n"}), Ready, Ready, Blocked, "initcall_blacklist"},
		{"AF_ALG kept from starting", usual(map[string]string{"proc/cmdline": "initcall_blacklist=af_alg_init\n", modules + "modules.builtin": "kernel/crypto/af_alg.ko\nkernel/crypto/algif_hash.ko\nkernel/crypto/algif_aead.ko\n"}), Blocked, Blocked, Blocked, "initcall_blacklist"},
	} {
		e := environment(filesOf(test.files), nothing)
		if e.AFALG.State != test.afalg || e.Types["hash"].State != test.hash || e.Types["aead"].State != test.aead {
			t.Errorf("%s: %+v, hash %+v, aead %+v", test.what, e.AFALG, e.Types["hash"], e.Types["aead"])
		}
		if !strings.Contains(e.AFALG.Why+"; "+e.Types["aead"].Why, test.why) {
			t.Errorf("%s: %q; %q", test.what, e.AFALG.Why, e.Types["aead"].Why)
		}
		if len(e.Types) != len(SocketTypes) {
			t.Errorf("%s: types %v", test.what, e.Types)
		}
	}
}

func TestProcess(t *testing.T) {
	e := environment(filesOf(map[string]string{
		"proc/sys/kernel/osrelease":       "7.3.0-rc7\n",
		"proc/sys/crypto/fips_enabled":    "1\n",
		"proc/sys/crypto/af_alg_restrict": "1\n",
		"proc/self/status":                "Name:\tx\nCapEff:\t0000000000001000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n",
		"proc/self/uid_map":               "         0          0 4294967295\n",
		"proc/self/attr/current":          "docker-default (enforce)\n",
		"proc/self/cgroup":                "0::/kubepods/besteffort/pod1\n",
		"run/.containerenv":               "",
		"run/systemd/container":           "lxc\n",
	}), func(name string) string { return map[string]string{"container": "podman"}[name] })
	if e.Release != "7.3.0-rc7" || !e.FIPS || e.Restrict != 1 || e.Seccomp != SeccompFilter || !e.NoNewPrivs || !e.Privileged || !e.HidesEngines {
		t.Errorf("%+v", e)
	}
	if e.LSM != "docker-default (enforce)" || len(e.Container) != 4 {
		t.Errorf("%q, %q", e.LSM, e.Container)
	}

	e = environment(filesOf(map[string]string{
		"proc/self/status":       "CapEff:\t000001ffffffffff\nSeccomp:\t0\n",
		"proc/self/uid_map":      "0 100000 65536\n",
		"proc/self/attr/current": "unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023\x00",
	}), nothing)
	if e.Privileged || e.Seccomp != SeccompOff || e.LSM != "" || len(e.Container) != 0 || e.Restrict != -1 {
		t.Errorf("in a user namespace: %+v", e)
	}
	for label, want := range map[string]string{"unconfined\n": "", "crun (unconfined)\n": "", "x (complain)": "x (complain)", "a\x1b[31m": "a[31m", "": ""} {
		if e := environment(filesOf(map[string]string{"proc/self/attr/apparmor/current": label}), nothing); e.LSM != want {
			t.Errorf("%q: confined as %q", label, e.LSM)
		}
	}
	if e = environment(fstest.MapFS{}, nothing); e.Seccomp != SeccompUnknown || e.Release != "" {
		t.Errorf("of nothing: %+v", e)
	}
}

func TestHidesEngines(t *testing.T) {
	for release, want := range map[string]bool{
		"": false, "x": false, "7": false, "7.": false, "6.12.107+deb13-amd64": false, "6.18.44": false, "7.1.8": false,
		"7.2": true, "7.2.13": true, "7.2-rc1": true, "7.10": true, "8.0": true, "10.1.2": true,
	} {
		if got := hidesEngines(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

func TestAllowed(t *testing.T) {
	for _, test := range []struct {
		name           string
		all, privilege bool
	}{
		{"sha1", true, true}, {"xts(aes)", true, true}, {"cbc(aes)", false, true}, {"hmac(sha256)", false, true},
		{"gcm(aes)", false, false}, {"sm3", false, false}, {"sha1-generic", false, false}, {"", false, false},
	} {
		for restrict := -1; restrict <= 2; restrict++ {
			for _, privileged := range []bool{false, true} {
				want := restrict <= 0 || restrict == 1 && (test.all || privileged && test.privilege)
				e := Environment{Restrict: restrict, Privileged: privileged}
				if got := e.Allowed(test.name); got != want {
					t.Errorf("%q at level %d, privileged %v: %v", test.name, restrict, privileged, got)
				}
			}
		}
	}
	if slices.ContainsFunc(forPrivileged, func(n string) bool { return slices.Contains(forAll, n) }) {
		t.Error("a name is on both lists")
	}
}

func TestDiagnose(t *testing.T) {
	part := func(s State) Part { return Part{s, "why"} }
	variant := func(f func(*Environment)) *Environment {
		e := &Environment{
			Supported: true, Restrict: -1, AFALG: part(Ready),
			Types:      map[string]Part{"hash": part(Ready), "skcipher": part(Ready), "aead": part(Absent), "rng": part(Blocked)},
			Algorithms: parse(t, samples(t)["6.12_engine"]),
		}
		if f != nil {
			f(e)
		}
		return e
	}
	const hardware = "virtio_crypto_aes_cbc"
	for i, test := range []struct {
		e               *Environment
		typ, name, call string
		r, want         Reason
		detail          string
	}{
		{variant(nil), "hash", "sha256", "accept", ErrFailed, ErrFailed, ""},
		{variant(func(e *Environment) { e.AFALG = part(Absent) }), "hash", "sha256", "socket", ErrNoAFALG, ErrNotCompiledIn, "AF_ALG"},
		{variant(func(e *Environment) { e.AFALG = part(Blocked) }), "hash", "sha256", "socket", ErrNoAFALG, ErrModuleBlocked, "why"},
		{variant(func(e *Environment) { e.AFALG = part(Blocked); e.Restrict = 2 }), "hash", "sha256", "socket", ErrNoAFALG, ErrNotAllowed, "closed"},
		{variant(func(e *Environment) { e.AFALG = part(Loadable) }), "hash", "sha256", "socket", ErrNoAFALG, ErrNoAFALG, "did not load"},
		{variant(func(e *Environment) { e.AFALG = part(Unknown) }), "hash", "sha256", "socket", ErrNoAFALG, ErrNoAFALG, ""},
		{variant(nil), "hash", "sha256", "socket", ErrNoAFALG, ErrNoAFALG, ""},
		{variant(func(e *Environment) { e.Seccomp = SeccompFilter }), "hash", "sha256", "socket", ErrNoAFALG, ErrSeccomp, "filter"},
		{variant(func(e *Environment) { e.Seccomp = SeccompFilter }), "hash", "sha256", "socket", ErrSeccomp, ErrSeccomp, "seccomp filter"},
		{variant(func(e *Environment) { e.LSM = "x (enforce)" }), "hash", "sha256", "bind", ErrSeccomp, ErrSeccomp, `"x (enforce)"`},
		{variant(nil), "hash", "sha256", "socket", ErrResources, ErrResources, ""},
		{variant(nil), "hash", "no", "bind", ErrNoAlgorithm, ErrNoAlgorithm, ""},
		{variant(nil), "no", "sha256", "bind", ErrNoAlgorithm, ErrNoAlgorithm, `"no"`},
		{variant(nil), "hash", "cbc(aes)", "bind", ErrNoAlgorithm, ErrNoAlgorithm, "skcipher"},
		{variant(nil), "skcipher", "__cbc-aes-aesni", "bind", ErrNoAlgorithm, ErrNoAlgorithm, "other drivers"},
		{variant(nil), "aead", "gcm(aes)", "bind", ErrNoAlgorithm, ErrNotCompiledIn, "aead"},
		{variant(nil), "rng", "stdrng", "bind", ErrNoAlgorithm, ErrModuleBlocked, "why"},
		{variant(func(e *Environment) { e.HidesEngines = true }), "skcipher", hardware, "bind", ErrNoAlgorithm, ErrMasked, hardware},
		{variant(nil), "skcipher", hardware, "bind", ErrNoAlgorithm, ErrNoAlgorithm, ""},
		{variant(func(e *Environment) { e.Restrict = 1 }), "skcipher", "cbc(aes)", "bind", ErrNoAlgorithm, ErrNotAllowed, "CAP_NET_ADMIN"},
		{variant(func(e *Environment) { e.Restrict = 1 }), "skcipher", "ctr(sm4)", "bind", ErrNoAlgorithm, ErrNotAllowed, ""},
		{variant(func(e *Environment) { e.Restrict, e.Privileged = 1, true }), "skcipher", "ctr(sm4)", "bind", ErrNoAlgorithm, ErrNotAllowed, ""},
		{variant(func(e *Environment) { e.Algorithms[0] = Record{Name: "a", Type: "shash", SelfTest: "unknown"} }), "hash", "a", "bind", ErrNoAlgorithm, ErrSelfTest, ""},
		{variant(func(e *Environment) {
			e.Algorithms[0] = Record{Name: "a", Type: "shash", SelfTest: "passed", FIPS: "no"}
		}), "hash", "a", "bind", ErrNoAlgorithm, ErrNoAlgorithm, "FIPS"},
	} {
		r, detail := test.e.diagnose(test.typ, test.name, test.call, test.r)
		if r != test.want || !strings.Contains(detail, test.detail) || test.detail == "" && detail != "" && detail != "not passed" {
			t.Errorf("%d: %s %s %s: %v, %q; want %v, %q", i, test.call, test.typ, test.name, r, detail, test.want, test.detail)
		}
	}
}

func FuzzEnvironment(f *testing.F) {
	f.Add(dependencies, "blacklist af_alg\ninstall x \\\n y\nalias a off", "initcall_blacklist=af_alg_init module_blacklist=a,b", "1.2")
	f.Fuzz(func(t *testing.T, dep, conf, boot, release string) {
		files := usual(map[string]string{"etc/modprobe.d/x.conf": conf, "proc/cmdline": boot, "proc/sys/kernel/osrelease": release, "proc/modules": dep, "proc/self/status": conf, "proc/config.gz": dep})
		files["lib/modules/6.12.1-amd64/modules.dep"] = dep
		e := environment(filesOf(files), nothing)
		if e.AFALG.State == Ready && !strings.Contains(dep+boot, "af_alg") {
			t.Errorf("%+v", e.AFALG)
		}
	})
}
