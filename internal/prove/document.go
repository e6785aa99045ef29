package prove

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// Unproven reads the list of kernels that have no directive, with the reasons: lines of a folder, a
// name and text.
func Unproven(root string) (reasons map[string]string, err error) {
	f, err := os.Open(filepath.Join(root, "internal", "prove", "unproven.txt"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reasons = map[string]string{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, ok := strings.Cut(line, ": ")
		if !ok || reasons[name] != "" {
			return nil, fmt.Errorf("unproven.txt: %q is not FOLDER NAME: REASON, or is there twice", line)
		}
		reasons[name] = reason
	}
	return reasons, s.Err()
}

// Document returns docs/proofs.md.
func Document(root string) (string, error) {
	reasons, err := Unproven(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(introduction)
	mnemonics := map[string]map[string]bool{}
	proven, all := map[string]int{}, map[string]int{}
	var arches []string
	var unproven strings.Builder
	folders := slices.Clone(Folders)
	slices.SortStableFunc(folders, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	for _, dir := range folders {
		kernels, err := Load(root, dir)
		if err != nil {
			return "", err
		}
		arch := path.Base(dir)
		if mnemonics[arch] == nil {
			mnemonics[arch] = map[string]bool{}
			arches = append(arches, arch)
			fmt.Fprintf(&b, "\n## What is proven on %s\n", arch)
		}
		fmt.Fprintf(&b, "\n### %s\n\n| kernel | cases | what is proven |\n|---|--:|---|\n", dir)
		for _, k := range kernels {
			all[arch]++
			claims := k.Claims()
			if len(claims) == 0 {
				fmt.Fprintf(&unproven, "| %s | `%s` | %s |\n", dir, k.Name, reasons[dir+" "+k.Name])
				continue
			}
			proven[arch]++
			fmt.Fprintf(&b, "| `%s` | %d | `%s` |\n", k.Name, len(k.Cases()), strings.Join(claims, "`, `"))
			for i := range k.function().Code {
				mnemonics[arch][k.function().Code[i].Op] = true
			}
		}
	}
	b.WriteString("\n## What is not proven\n\n")
	for _, arch := range arches {
		fmt.Fprintf(&b, "On %s, %d of the %d kernels in these folders are proven.\n", arch, proven[arch], all[arch])
	}
	fmt.Fprintf(&b, "\nThese are not:\n\n| folder | kernel | why |\n|---|---|---|\n%s", unproven.String())
	b.WriteString("\nNor are the other packages, the other architectures, and Go code that calls kernels.\n")
	b.WriteString(faultText)
	b.WriteString("\n## Instructions\n")
	for _, arch := range arches {
		list := slices.Sorted(maps.Keys(mnemonics[arch]))
		fmt.Fprintf(&b, "\nThe proven kernels of %s have %d mnemonics: %s.\n", arch, len(list), strings.Join(list, ", "))
	}
	return b.String(), nil
}

func (k *Kernel) function() *machine.Function {
	for _, f := range k.source.Functions {
		if f.Name == k.Name {
			return f
		}
	}
	return nil
}

const faultText = `
## Faults

` + "`go run ./ci/prove -faults 12 -seed 1`" + ` <!-- not run by CI: the step prove runs it --> plants 12 faults,
which the seed chooses, in all kernels; CI does so for one seed, or for 20 of them in the tier all. It prints a table by kinds. No fault may be accepted that
changes the result for random inputs, with which the kernel is executed then.

| kind | what is changed |
|---|---|
| operation | an instruction becomes a similar one |
| condition | a branch or a choice is the opposite |
| sources | two sources are exchanged |
| vector, general | a register is another one, also that of an address or an argument |
| number, shift | a number, a distance or a lane is one more or less |
| address | a distance from a base is 8 more or less |
| order | an instruction comes after the next one, which shares a register |
| dropped | an instruction is left out |
| data | a bit of a table of constants |

In the table of instructions, each line in turn does nothing, and some fifty are wrong in other ways: the
comparison with qemu must find that (tests of internal/machine). In ` + "`internal/prove/spec` and `internal/prove/forms`" + `, ci/mutate makes changes that
their tests must find.
`

const introduction = `# Proofs

<!-- Written by go run ./ci/prove -docs. -->

` + "`ci/prove`" + ` shows that kernels compute what the standards say. It executes the assembly with
unknown keys and data, bit by bit, and compares the result with the standard, which it computes from
the same unknowns. A proof holds for all keys and all data, at the lengths in the table. It also
shows that the kernel reads and writes no other memory than it should, leaves no branch and no
address to secrets, and reads nothing of the stack that it has not written.

The lengths of a kernel visit all of its instructions and both sides of each branch, so that every
loop runs at least twice. Other lengths take the same paths more often, but that is not proven. In
the kernels of GHASH, the sum at each label of a loop is any value: the proof of each part holds
wherever it is in a message.

## What has to be trusted

- The specifications, ` + "`internal/prove/spec`" + `: some pages, in the words of the standards, which are
  compared with crypto/aes, crypto/sha3, this module's portable code and published vectors.
- What instructions do, ` + "`internal/machine`" + `, which CI compares with qemu, and for amd64 with this CPU. AESE, AESENC, SM4E, SM3TT1A and
  others are steps of the ciphers: for these a proof says that the kernel is right if
  the CPU's instruction is.
- The normal form, ` + "`internal/prove/forms`" + `, and the contracts, ` + "`internal/prove`" + `: what arguments are,
  how keys are represented, what may overlap. CI plants faults in kernels and in tables: see below.
- Go's assembler, as far as both texts have the same faults: it must make the same bytes of the files,
  and of what was read of them and executed.

## Lines

A line has the contract, and the values of what is public: n is bytes, blocks are 16 of them,
groups 256 and passes 512. dst may be src: no byte of src is read after that of dst was written. Keys
are any round keys, or made from any key by the kernel that expands keys. In kernels of amd64 that align
memory on the stack, stack is its address modulo 64; of SM4, the keys are any round keys as the family
stores them, and powers says how many of those of the hash key are used. With pass, all but the
counters is any value when so many blocks are done: so a pass is proven wherever it is in a message.
lanes is in how many lanes the kernel counts, where that matters for the proof.
`
