module github.com/cipherlane/cipherlane

// Code that needs a newer Go is in files with a build tag: CONTRIBUTING.md, Conventions.
go 1.24.0

// golang.org/x/sys/cpu: the features of arm and arm64. golang.org/x/sys/unix: riscv_hwprobe,
// HWCAP and others of Linux, and guard pages in tests. The standard library exports none of
// them. This is the newest version for Go 1.24; programs may have newer ones.
require golang.org/x/sys v0.41.0
