//go:build !purego

package cpu

import "golang.org/x/sys/unix"

func detect() Set {
	s := system()
	if !vectors {
		s = s.Without(V)
	}
	return s
}

// system returns what the system tells.
func system() Set {
	pairs := []unix.RISCVHWProbePairs{{Key: unix.RISCV_HWPROBE_KEY_IMA_EXT_0}}
	probed := unix.RISCVHWProbe(pairs, nil, 0) == nil && pairs[0].Key >= 0 // Linux 6.4
	return decode(probed, pairs[0].Value, hwcap()&(1<<('V'-'A')) != 0)
}

// decode interprets the result of riscv_hwprobe and the bit for V in AT_HWCAP. Only the
// latter shows whether this process may use vectors (prctl and sysctl can forbid it),
// but kernels older than riscv_hwprobe also set it for the incompatible version 0.7.1.
func decode(probed bool, extensions uint64, allowed bool) Set {
	var s Set
	for _, f := range []struct {
		bit   uint64
		means Set
	}{
		{unix.RISCV_HWPROBE_IMA_V, V},
		{unix.RISCV_HWPROBE_EXT_ZBA, ZBA},
		{unix.RISCV_HWPROBE_EXT_ZBB, ZBB},
		{unix.RISCV_HWPROBE_EXT_ZBC, ZBC | ZBKC},
		{unix.RISCV_HWPROBE_EXT_ZBKB, ZBKB},
		{unix.RISCV_HWPROBE_EXT_ZBKC, ZBKC},
		{unix.RISCV_HWPROBE_EXT_ZKND, ZKND},
		{unix.RISCV_HWPROBE_EXT_ZKNE, ZKNE},
		{unix.RISCV_HWPROBE_EXT_ZKSED, ZKSED},
		{unix.RISCV_HWPROBE_EXT_ZKSH, ZKSH},
		{unix.RISCV_HWPROBE_EXT_ZVBB, ZVBB | ZVKB},
		{unix.RISCV_HWPROBE_EXT_ZVBC, ZVBC},
		{unix.RISCV_HWPROBE_EXT_ZVKB, ZVKB},
		{unix.RISCV_HWPROBE_EXT_ZVKG, ZVKG},
		{unix.RISCV_HWPROBE_EXT_ZVKNED, ZVKNED},
		{unix.RISCV_HWPROBE_EXT_ZVKNHA, ZVKNHA},
		{unix.RISCV_HWPROBE_EXT_ZVKNHB, ZVKNHB | ZVKNHA},
		{unix.RISCV_HWPROBE_EXT_ZVKSED, ZVKSED},
		{unix.RISCV_HWPROBE_EXT_ZVKSH, ZVKSH},
		{unix.RISCV_HWPROBE_EXT_ZVKT, ZVKT},
	} {
		if extensions&f.bit != 0 {
			s |= f.means
		}
	}
	if !allowed {
		s &^= V
	} else if !probed && vlmax() > 0 {
		s |= V
	}
	return s.complete(V | ZVKB | ZVKNHA)
}
