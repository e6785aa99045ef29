package prove

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// measuredFile has what proofs took: comments, which docs/proofs.md quotes; lines of a folder, a kernel, cases,
// seconds of CPU and MB of forms; and lines of the word faults, a part, a seed, and numbers in the order of Verdicts.
const measuredFile = "internal/prove/measured.txt"

// A Measurement is what the cases of a kernel took: seconds of CPU, and the memory of forms of the largest one.
type Measurement struct {
	Cases   int
	Seconds float64
	MB      int64
}

// Measured is what proofs took, by folders and names of kernels, and what became of faults, by parts and seeds.
type Measured struct {
	Comments []string
	Proofs   map[string]Measurement
	Faults   map[string]map[Verdict]int
}

// ReadMeasured reads what was recorded.
func ReadMeasured(root string) (*Measured, error) {
	text, err := os.ReadFile(filepath.Join(root, measuredFile))
	if err != nil {
		return nil, err
	}
	all := &Measured{Proofs: map[string]Measurement{}, Faults: map[string]map[Verdict]int{}}
	for line := range strings.Lines(string(text)) {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			all.Comments = append(all.Comments, strings.TrimSpace(comment))
			continue
		}
		var folder, name string
		if list, ok := strings.CutPrefix(line, "faults "); ok {
			numbers := make([]int, len(Verdicts))
			args := []any{&folder, &name}
			for i := range numbers {
				args = append(args, &numbers[i])
			}
			_, err = fmt.Sscan(list, args...)
			found := map[Verdict]int{}
			for i, v := range Verdicts {
				found[v] = numbers[i]
			}
			all.Faults[folder+" "+name] = found
		} else {
			var m Measurement
			_, err = fmt.Sscan(line, &folder, &name, &m.Cases, &m.Seconds, &m.MB)
			all.Proofs[folder+" "+name] = m
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", measuredFile, line, err)
		}
	}
	return all, nil
}

// Record changes what was recorded.
func Record(root string, change func(*Measured)) error {
	all, err := ReadMeasured(root)
	if err != nil {
		return err
	}
	change(all)
	var b strings.Builder
	for _, c := range all.Comments {
		fmt.Fprintln(&b, "#", c)
	}
	for _, name := range slices.Sorted(maps.Keys(all.Faults)) {
		fmt.Fprint(&b, "faults ", name)
		for _, v := range Verdicts {
			fmt.Fprint(&b, " ", all.Faults[name][v])
		}
		fmt.Fprintln(&b)
	}
	for _, name := range slices.Sorted(maps.Keys(all.Proofs)) {
		m := all.Proofs[name]
		fmt.Fprintf(&b, "%s %d %.1f %d\n", name, m.Cases, m.Seconds, m.MB)
	}
	return os.WriteFile(filepath.Join(root, measuredFile), []byte(b.String()), 0o666)
}

var driverName = regexp.MustCompile(`^(?:CTR|KDF\d+)?.*?(?:MAC|GB)?([A-Z][A-Z0-9]*|Neon|Planes|Bitslice|Zksed|Zvksed|Zbb)$`)

// driver is what the name of a kernel says of the instructions that it needs.
func (k *Kernel) driver() string {
	if m := driverName.FindStringSubmatch(k.Name); m != nil {
		return m[1]
	}
	return "others"
}

// way is what a proof is for, beside lengths.
func (k *Kernel) way() string {
	for _, d := range k.directives {
		switch {
		case d.values["pass"] != nil:
			return "passes"
		case d.contract[0] == 'g' && (d.values["cut"] != nil || d.values["batches"] != nil): // GCM and GHASH
			return "sums"
		}
	}
	return ""
}

// table shows what proofs take, by drivers.
func (all *Measured) table(root string, folders []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## What it takes\n\n%s\n\n%s", strings.Join(all.Comments, "\n"), tableText)
	for _, dir := range folders {
		kernels, err := Load(root, dir)
		if err != nil {
			return "", err
		}
		type row struct {
			kernels, cases, measured int
			ways                     map[string]bool
			Measurement
		}
		rows := map[string]*row{}
		for _, k := range kernels {
			if len(k.directives) == 0 {
				continue
			}
			r := rows[k.driver()]
			if r == nil {
				r = &row{ways: map[string]bool{}}
				rows[k.driver()] = r
			}
			r.kernels++
			r.cases += len(k.Cases())
			if way := k.way(); way != "" {
				r.ways[way] = true
			}
			if m := all.Proofs[dir+" "+k.Name]; m.Cases == len(k.Cases()) {
				r.measured++
				r.Seconds += m.Seconds
				r.MB = max(r.MB, m.MB)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			r := rows[name]
			of, seconds, mb := "", "", ""
			if r.measured > 0 {
				of, seconds, mb = fmt.Sprint(r.measured), fmt.Sprintf("%.1f", r.Seconds), fmt.Sprint(r.MB)
			}
			ways := append([]string{"lengths"}, slices.Sorted(maps.Keys(r.ways))...)
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %s | %s |\n", dir, name, r.kernels, r.cases, strings.Join(ways, ", "), of, seconds, mb)
		}
	}
	return b.String(), nil
}

// faultTable shows what became of faults that were planted in one part.
func (all *Measured) faultTable() string {
	var b strings.Builder
	b.WriteString(faultTableText)
	for _, v := range Verdicts {
		fmt.Fprintf(&b, " %s |", v)
	}
	b.WriteString("\n|---|--:|--:|" + strings.Repeat("--:|", len(Verdicts)) + "\n")
	for _, name := range slices.Sorted(maps.Keys(all.Faults)) {
		part, seed, _ := strings.Cut(name, " ")
		n := 0
		for _, found := range all.Faults[name] {
			n += found
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d |", part, seed, n)
		for _, v := range Verdicts {
			fmt.Fprintf(&b, " %d |", all.Faults[name][v])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const faultTableText = `
With more faults in one part, chosen by another seed (options ` + "`-part`, `-faults` and `-seed`" + `):

| part | seed | faults |`

const tableText = `For kernels with the same suffix: how many are proven, in how many cases, and what is any value in these beside
keys and data: the state after a pass, or the sum of GHASH after a part of a message. Then how many of the kernels were measured, the
seconds of CPU in all, and the MB of forms in the largest case.

| folder | suffix | kernels | cases | by | measured | s | MB |
|---|---|--:|--:|---|--:|--:|--:|
`

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
	measured, err := ReadMeasured(root)
	if err != nil {
		return "", err
	}
	costs, err := measured.table(root, folders)
	if err != nil {
		return "", err
	}
	b.WriteString(costs)
	b.WriteString("\n## What is not proven\n\n")
	for _, arch := range arches {
		fmt.Fprintf(&b, "On %s, %d of the %d kernels in these folders are proven.\n", arch, proven[arch], all[arch])
	}
	fmt.Fprintf(&b, "\nThese are not:\n\n| folder | kernel | why |\n|---|---|---|\n%s", unproven.String())
	b.WriteString("\nNor are the other packages, the other architectures, and Go code that calls kernels.\n")
	b.WriteString(faultText)
	b.WriteString(measured.faultTable())
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
- What instructions do, ` + "`internal/machine`" + `, which CI compares with qemu, and for amd64 with this CPU. AESE, AESENC, SM4E, SM3P0 and
  others are steps of the ciphers: for these a proof says that the kernel is right if
  the CPU's instruction is.
- For FrodoKEM, the contracts of ` + "`frodo.go`" + ` in internal/prove and the polynomials of ` + "`internal/prove/products`" + `.
- For SM2, the contracts of ` + "`field.go`" + ` and ` + "`points.go`" + ` in internal/prove, and the bounds that ` + "`internal/prove/integers`" + `
  computes from factors that a search found. That the search is right need not be trusted.
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
lanes is in how many lanes the kernel counts, where that matters for the proof. On riscv64, vlen is the bits
of a vector; elements behind the last one, and those that a mask excludes, are any value when they are read,
so that it does not matter whether the CPU leaves them or makes all bits 1. Where a CPU may process half of the elements
instead of as many as a vector has, a case is proven for both. All accesses to memory are at
multiples of their size; at is where data are modulo 8, if not at 0. halved is the field Half of keys. Where lanes hash
every N-th block, each product of a lane is proven, and any value from there on: that products with powers of the hash key
add up to the hash follows from the laws of a field. ctr.blocks is counter mode of whole blocks, with rest=1 also the keystream
of the next one. bytes.affine: each byte is the same invertible affine function of one of src; the round keys of RVV are made
by these kernels, and those of Zbb are as portable code makes them.

The arithmetic of SM2 is executed on integers: words are polynomials, and carries and parts of words are quotients
with their remainders (` + "`internal/prove/integers`" + `). No carry is taken to be lost: that it is 0, or that two cancel,
follows from bounds in each case of a choice, which exact sums of inequalities show. modulus=p is that of the field.
field.multiply is z = x y / 2^256 modulo p, with x, y and z below p. field.squares does this n times; cut is a label,
and where the number is there and behind the loop: in z, and below p, or in registers, and any number of 256 bits. So
each squaring is proven for all such numbers, and n = 1 and 2 take all paths.

Points are lists of such operations: each time that four limbs are complete, they are proven to be a sum of products of
numbers, or of numbers, or half of one, modulo p and within a bound, and are any number within this bound from there on.
So it is known which polynomial of the coordinates each number is. points.double is r = 2^n p, points.add is r = r + q:
X / Z^2 and Y / Z^3 are, as fractions of polynomials, those of the tangent and of the chord of y^2 = x^3 - 3x + b
(` + "`internal/prove/spec`" + `), for coordinates that are any numbers below p. What has no tangent or chord is proven, too.
The double of infinity is infinity, because its Z is Y Z; no point has Y = 0, as the number of points is a prime. If r is
infinity, the sum is q. Z of the sum is Z1 Z2 times the difference of the x coordinates: so the sum of a point and its
opposite is infinity. same is all ones if both coordinates of r and q are the same, which the sum is not for, and r is
not infinity. q is not infinity, or skip=1: then r does not change, whatever q is. With affine=1, Z2 is 1.
points.get is an entry of a table, for each magnitude. points.base is the sum of a point of each of 43 rows, in coordinates
X, Y, Z^2, Z^3, and points.rows gets these points. At each row, the sum is any point; first is the first row at the label
of the loop, and frame the order of Z^2 and Z^3 in the frame. Z of the result is the cube of Z times the difference of the
x coordinates in the last row: it is 0 if points to be added were equal or opposite in any row, as a product is 0 if a
factor is. Row i has digit 1 + (i + shift) modulo 32, the signs alternate, and shift=32 has the other ones: so each digit
with each sign is in some row, and all rows run the same instructions, but for the first two. The points in the table
are below p, with y not 0. points.products and points.pairs add pairs of affine points with one inverse: the slope of a
chord is (y2 - y1) times the product before times the inverse. At each pair, these are any numbers.

For which numbers a ladder meets such points is computed, too, from the sizes of its digits (TestBaseExceptions and
TestProductExceptions in sm2). With points of the base point's table, that is k = 15 2^253 - n and its opposite: two of about
2^256 numbers, one in 2^255. The result is then taken from the table. With the multiples of any other point it is n - 6, and the
double, which is always computed, is selected.

The inversion of SM2 has no proof by execution yet. That its 600 division steps suffice is computed: TestDivisionSteps in sm2
follows, for each delta, a convex set of what f and g can be, and finds g = 0 after 594 steps for all numbers of 256 bits.

Of FrodoKEM, S and A are any words: a word is a variable, and sums of products are polynomials in such variables modulo 2^16,
each with one normal form (` + "`internal/prove/products`" + `), for all entries of both. On amd64, frodo.prepare shows that X[i] xor Y[j] is the
state after two rounds of AES of each block; on arm64, Go code makes X and Y, with frodo.two or look-ups. frodo.generate
makes rows of A from these by the other rounds, also from planes (frodo.planes). Where the
products are in the same kernel (frodo.sa, frodo.as), these steps of AES are functions of which nothing is known but
that equal inputs have equal results. n is the width of A, rows how many there are from first on, r the rows of the other factor. The table of
frodo.sample is any numbers of 15 bits, entries of them; each noise word is a function of its random word and of this
table alone, so of all 2^16 words. With frodo.cipher, the two kernels of a family are proven together.

Blocks that are computed side by side are renamings of one another: the machine makes the forms of one,
and sees that the others have the same ones with their own inputs (` + "`internal/prove/forms`" + `, lanes). So 128
blocks of SM4 take 21 MB, and not 841 (` + "`blocksGFNIAVX2`" + `). With sliced, counters are proven to be those of the standard where
they are in vectors by words, bytes or pairs of bytes, and are any from there on. What registers have behind the last
block, where a kernel has less than it has lanes, is any value.
`
