module github.com/cipherlane/cipherlane

go 1.26.0

// golang.org/x/sys/unix: guard pages in tests and the riscv_hwprobe and HWCAP
// system interfaces; the standard library exports neither.
require golang.org/x/sys v0.49.0
