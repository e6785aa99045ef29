//go:build !purego

package cpu

// appleSysctls are the names of features of macOS and iOS, which Apple documents under
// "Determining instruction set characteristics": those since macOS 13 and iOS 16, and before
// that. A system has some of them or none. All Apple CPUs with 64 bits have AES, PMULL and SHA2,
// which older systems do not tell.
var appleSysctls = []struct {
	name  string
	means Set
}{
	{"hw.optional.arm.FEAT_SHA3", SHA3},
	{"hw.optional.armv8_2_sha3", SHA3},
	{"hw.optional.arm.FEAT_SHA512", SHA512},
	{"hw.optional.armv8_2_sha512", SHA512},
	{"hw.optional.arm.FEAT_DIT", DIT},
}

// apple returns the features of a Mac or an iPhone. golang.org/x/sys/cpu detects them in
// versions that need a newer Go than this module does. sysctl returns a value, or an
// error if the system has no such name.
func apple(sysctl func(name string) (uint32, error)) Set {
	s := NEON | AES | PMULL | SHA2
	for _, f := range appleSysctls {
		if value, err := sysctl(f.name); err == nil && value != 0 {
			s |= f.means
		}
	}
	return s
}
