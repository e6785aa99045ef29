// Package zvk has what is around the rounds of block ciphers on RISC-V CPUs with vector
// cryptography: a vector is as many blocks as fit into four registers, each an element group
// of four words. The code is the same for all sizes of registers.
//
// Passes of whole vectors load and store whole registers, which no vl and vtype restrict, so that
// most ciphers never change these. They are in loops of their own for each size of keys. The last
// pass is of the blocks left. Data is loaded and stored as bytes, because the address of words
// would have to be a multiple of four.
package zvk

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A Cipher is what modes must know.
type Cipher struct {
	Type string // Go type of the keys
	// Load loads the round keys, with words as elements and one block as the length.
	Load func(k *Kernel)
	// Encrypt and Decrypt process the blocks of state, with words as elements, for keys of a size
	// among Sizes, or of any size if it is negative.
	Encrypt, Decrypt func(k *Kernel, state []asm.Reg, size int)
	// Fold adds the first round key to the last one, if rounds begin and end with a sum: then
	// what they leave is the next block plus the first round key, and Encrypt of a Kernel that is
	// Folded begins without.
	Fold func(k *Kernel)
	// Sizes is the number of sizes of keys, and Go goes to the label of the size of k.
	Sizes int
	Go    func(k *Kernel, labels []string)
	// Swaps says that rounds want the bytes of each word in reverse, and that their result is to be
	// reversed by [Kernel.reverse].
	Swaps bool
}

// A Kernel is a function under construction.
type Kernel struct {
	*asm.Func
	Cipher
	Keys asm.Reg   // argument k
	At   asm.Reg   // an address, of no meaning after use
	Key  []asm.Reg // round keys
	Size asm.Reg   // what says how many of them count

	Folded bool // Fold has been called

	step, n, dst, src asm.Reg // step is the number of bytes of a vector
	end               asm.Reg // src behind the last whole vector

	words, halves asm.Reg // of this pass: its elements of 32 and 64 bits
	state, out    []asm.Reg

	counts      bool    // elements outside mask stay as they are
	types, mask asm.Reg // of such vectors; mask has the elements to count in, or to slide up
	labels      int
}

// begin begins a function with these arguments: k, src, n, which is a number of bytes, and maybe
// dst. Round keys are loaded, and vectors are a block of words.
func begin(file *asm.File, name, signature, doc, secret, public string, c Cipher) *Kernel {
	k := &Kernel{Func: file.Func(name, signature), Cipher: c}
	k.Doc, k.Secret, k.Public = doc, secret, public
	k.Keys, k.src, k.n = k.Arg("k"), k.Arg("src"), k.Arg("n")
	if strings.Contains(signature, " dst,") {
		k.dst = k.Arg("dst")
	}
	k.At = k.New(Integer, "at")
	k.state = k.Group(Vector, "state", 4, 4)
	k.out = k.state
	if c.Swaps {
		k.out = k.Group(Vector, "out", 4, 4)
	}
	k.Add(VSETIVLI(4, E32, M1, TA, ZERO))
	c.Load(k)
	return k
}

// start is begin for passes of whole vectors.
func start(file *asm.File, name, signature, doc, secret, public string, c Cipher) *Kernel {
	k := begin(file, name, signature, doc, secret, public, c)
	k.step, k.words, k.halves = k.New(Integer, "step"), k.New(Integer, "words"), k.New(Integer, "halves")
	k.types, k.mask = k.New(Integer, "types"), k.New(Vector, "mask")
	k.Fix(k.mask, 0)
	k.Add(VSETVLI(ZERO, E8, M4, TA, k.step))
	if c.Swaps {
		k.bits(0xaa, k.mask)
		k.Add(MOVI(undisturbedHalves, k.types))
	}
	k.whole()
	return k
}

// whole makes passes those of whole vectors.
func (k *Kernel) whole() { k.Add(SRLI(2, k.step, k.words), SRLI(3, k.step, k.halves)) }

// NewLabel returns a label that no other code has.
func (k *Kernel) NewLabel(name string) string {
	k.labels++
	return fmt.Sprint(name, k.labels)
}

// A pass is what a body is called for: keys of a size and whole vectors, or keys of any size and
// the k.n bytes left.
type pass struct {
	size  int
	whole bool
}

// end is the pass of the bytes left.
var end = pass{size: -1}

// loop adds passes over all bytes. The length of vectors, set by before, is that of words unless
// body ends with another one.
func (k *Kernel) loop(before func(), body func(p pass)) {
	k.Add(BLTU(k.n, k.step, "rest"))
	k.end = k.New(Integer, "behind")
	k.Add(
		NEG(k.step, k.end),
		AND(k.n, k.end, k.end),
		SUB(k.end, k.n, k.n),
		ADD(k.src, k.end, k.end),
	)
	before()
	k.sizes(func(p pass, next string) {
		k.Label(next)
		body(p)
		k.Add(
			ADD(k.step, k.src, k.src),
			ADD(k.step, k.dst, k.dst),
			BNE(k.src, k.end, next),
		)
	}, "after")
	k.Label("after")
	k.Add(BEQZ(k.n, "done"))
	k.Label("rest")
	k.left()
	body(end)
	k.Label("done")
}

// sizes adds code for each size of keys, with a label, and goes to the one for k. All continue at
// after.
func (k *Kernel) sizes(code func(p pass, label string), after string) {
	labels := make([]string, k.Sizes)
	for i := range labels {
		labels[i] = k.NewLabel("size")
	}
	if k.Sizes > 1 {
		k.Go(k, labels)
	}
	for i, label := range labels {
		code(pass{size: i, whole: true}, label)
		if i < len(labels)-1 {
			k.Add(JMP(after))
		}
	}
}

// left makes passes those of the k.n bytes left.
func (k *Kernel) left() {
	k.Add(
		ADDI(15, k.n, k.words),
		SRLI(4, k.words, k.words),
		SLLI(1, k.words, k.halves),
		SLLI(2, k.words, k.words),
	)
}

// bits sets a mask to the same 8 bits, over and over.
func (k *Kernel) bits(b int, mask asm.Reg) {
	k.Add(VSETVLI(ZERO, E8, M1, TA, k.At), MOVI(b, k.At), VMVVX(k.At, mask))
}

// load loads the data of a pass. If it is not whole, its elements are bytes from then on.
func (k *Kernel) load(p pass, d []asm.Reg) {
	if p.whole {
		k.Add(VL4RE8V(k.src, d))
		return
	}
	k.asBytes()
	k.Add(VLE8V(k.src, d))
}

// store stores it. If the pass is not whole, elements are bytes.
func (k *Kernel) store(p pass, s []asm.Reg) {
	if p.whole {
		k.Add(VS4RV(s, k.dst))
	} else {
		k.Add(VSE8V(s, k.dst))
	}
}

// rounds calls Encrypt or Decrypt for k.state and leaves the result in k.out. If the cipher
// swaps, its elements are halves then.
func (k *Kernel) rounds(p pass, cipher func(k *Kernel, state []asm.Reg, size int)) {
	cipher(k, k.state, p.size)
	if k.Swaps {
		k.asHalves()
		k.reverse(k.state, k.out)
	}
}

// reverse reverses the bytes of each block. The elements are halves.
func (k *Kernel) reverse(state, out []asm.Reg) {
	k.Add(
		VREV8V(state, state),
		VSLIDEDOWNVI(1, state, out),
		Keep(Masked(k.mask, VSLIDEUPVI(1, state, out))),
	)
}

// swap makes the bytes of words those that the cipher wants, from one group to another or the same.
func (k *Kernel) swap(from, to []asm.Reg) {
	switch {
	case k.Swaps:
		k.Add(VREV8V(from, to))
	case from[0] != to[0]:
		k.Add(VMV4RV(from, to))
	}
}

// toWords makes the elements words again, after rounds.
func (k *Kernel) toWords() {
	if k.Swaps {
		k.asWords()
	}
}

func (k *Kernel) asBytes() { k.Add(VSETVLI(k.n, E8, M4, TA, ZERO)) }

func (k *Kernel) asWords() {
	if k.counts && !k.Swaps {
		k.Add(VSETVL(k.types, k.words, ZERO))
	} else {
		k.Add(VSETVLI(k.words, E32, M4, TA, ZERO))
	}
}

func (k *Kernel) asHalves() { k.Add(VSETVL(k.types, k.halves, ZERO)) }

// undisturbedWords is the type of vectors of words in four registers, whose elements behind the
// last have no meaning, and those outside a mask stay as they are.
const undisturbedWords = 2 | 2<<3 | 1<<6

// undisturbedHalves is the same with elements of 64 bits.
const undisturbedHalves = 2 | 3<<3 | 1<<6
