// Switches writes the switches over kernels: for each package of algorithms and each
// architecture, which kernel of the architecture serves which operation with which driver.
//
//	go run ./_gen/switches              writes switch_<goarch>.go in all packages
//	go run ./_gen/switches ./sm3        in one or more
//	go run ./_gen/switches -check       writes nothing; fails if a file is not as it would be
//
// A package that has switches declares its operations once, in an interface type with the name
// kernels. Each of its methods becomes a function with the row of a driver as its first argument,
// and with the comment of the method. For each driver, that calls the kernel whose name is that
// of the operation, without "Kernel" at its end, and that of the driver, in upper or lower case:
// encryptBlocksKernel with the driver neon calls EncryptBlocksNEON. The kernel is a function of
// the architecture's package, internal/<goarch>, or one of the package itself
// (encryptBlocksNEON), which is for what cannot be written as a single call, and which precedes
// the other. If there is none, the switch calls the portable function.
//
// Drivers are the constants in drivers_<goarch>.go of which the first is uint8 = iota + 1 (or 1
// if there is only one). A comment on the line of a driver says by which names its kernels are
// known, if not by its own, in the order of preference:
//
//	avx512 // kernels: AVX512, AVX2
//
// # Why switches
//
// An indirect call costs about as much as a switch. But it hides from the compiler that a kernel
// keeps no pointers, so the buffers of callers escape to the heap: 8 ns become 95 to 185 ns. No
// value has the type kernels.
//
// # Arguments
//
// A kernel gets the arguments of the operation with the same names and types, and the row, if it
// has a parameter row. Where it needs something else, a line in drivers_<goarch>.go gives the
// expression for all parameters of a type, with one driver or with all others:
//
//	//switches:argument *arm64.Keys = &k.simd
//	//switches:argument ssse3 *amd64.Keys = k.ssse3()
//
// k is the operation's parameter there. A kernel's parameter first gets &first.simd in the first
// example if the operation has a parameter first of the same type as k.
//
// Without such a line, if only the names are the same, the only method of the argument's type
// that has no parameters and returns the other type is called, or the argument is converted.
//
// It is an error if a parameter has no argument, or if an argument of the operation goes nowhere.
//
// If an operation has a result and its kernel has none, the result is true, or the length of src.
//
// # Conditions
//
// A kernel may be for some lengths or CPUs only. If its condition does not hold, the next in the
// order of preference serves:
//
//	avx512 // kernels: AVX512, AVX2
//	//switches:if len(src) > 10*BlockSize: CBCDecryptAVX512
//
// # No kernel
//
// Without a kernel, the switch calls, in this order: the function …Portable; the method of
// k.portable() with the name of the operation, with a check that the driver is the portable one;
// nothing, if the comment of the operation has the line
//
//	//switches:optional
//
// and the result is false, 0 or nil then. Otherwise the switch panics.
//
// # Passes and other keys
//
// The line
//
//	//switches:passes
//
// in the comment of an operation says that data may be too long for one call of a kernel. Then
// the function with the name of the operation marks the row (markLong) and calls the switch,
// whose name ends in Kernel. If the name of the operation does, that function is written by hand.
// No kernel has a row with the mark long. The function behind default removes it and calls the
// switch for maxPass bytes of dst and src at a time, until nothing is left or the result is false
// or 0. This costs the kernels nothing.
//
// If the package has a mark ownKeys, that function also replaces the parameter k, and others of
// its type, by what their method keysFor(row) returns.
//
// These functions are the same for all architectures, in switch_all.go.
//
// # What architectures may leave out
//
// A line in the file with the interface is a declaration for architectures that have none of this
// name, or no such method:
//
//	//switches:default const hasUnits = false
//
// The comment above the line goes with it.
//
// A file X_none.go is for the platforms for which there is no other file X_*.go. Its build constraint
// is written, in all packages of the root module.
//
// # Exceptions
//
// An operation for which the package has a function is not generated: there are switches that
// need a length, or a property of the CPU, and where one call more costs more than the choice.
// They are in drivers_<goarch>.go.
//
// # Mistakes
//
// Lines without effect are errors: a name or a line as above that is for no kernel, and a function
// of internal/<goarch> or drivers_<goarch>.go that is named like a kernel and that nothing uses.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/files"
)

func main() {
	check := flag.Bool("check", false, "write nothing, and fail if a file is not as it would be")
	flag.Parse()
	top, err := files.Root()
	if err == nil {
		err = run(top, flag.Args(), *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "switches:", err)
		os.Exit(1)
	}
}

// run writes or checks the switches of packages: of all if none is named.
func run(top string, dirs []string, check bool) error {
	if len(dirs) == 0 {
		for _, pattern := range []string{"[^.]*/*_none.go", "internal/*/*_none.go"} {
			list, err := filepath.Glob(filepath.Join(top, pattern))
			if err != nil {
				return err
			}
			for _, file := range list {
				dirs = append(dirs, filepath.Dir(file))
			}
		}
		dirs = slices.Compact(dirs)
	}
	var problems []error
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		list, err := constraints(dir)
		if err != nil {
			return err
		}
		// Which files are for an architecture depends on those.
		if err := files.Write(list, check, "switches"); err != nil {
			problems = append(problems, err)
			continue
		}
		if list, err = generate(top, dir); err != nil {
			return err
		}
		problems = append(problems, files.Write(list, check, "switches"))
	}
	return errors.Join(problems...)
}

// generate returns the files of a package, and nil for those that are there and should not be.
func generate(top, dir string) (map[string][]byte, error) {
	list := map[string][]byte{}
	old, err := filepath.Glob(filepath.Join(dir, "switch_*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range old {
		list[file] = nil
	}
	drivers, err := filepath.Glob(filepath.Join(dir, "drivers_*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range drivers {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := switches(top, dir, file, false)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if text != nil {
			list[filepath.Join(dir, "switch_"+strings.TrimPrefix(filepath.Base(file), "drivers_"))] = text
		}
		if text, err = switches(top, dir, file, true); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if text != nil {
			list[filepath.Join(dir, "switch_all.go")] = text
		}
	}
	return list, nil
}
