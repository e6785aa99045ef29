// Package fused emits kernels in which the vector units compute ChaCha20 while
// the integer units compute Poly1305, or the keystream block that its key is
// taken from.
//
// Vectors hold one word of several blocks: a set is 16 of them, words 0 to 15.
// A narrow pass makes one set, a wide one two. The instructions of the vectors
// and those of the integers are written down as two lists, which are then
// merged: neither uses a register of the other.
package fused

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Kind says for which instructions kernels are.
type Kind struct {
	Suffix string // of the functions' names
	Legacy bool   // SSSE3 with XMM registers; else AVX2 with YMM registers
	Mulx   bool   // BMI2
}

func (k Kind) lanes() int {
	if k.Legacy {
		return 4
	}
	return 8
}

func (k Kind) bytes() int { return 4 * k.lanes() }

func (k Kind) reg(i int) reg.VecPhysical {
	if k.Legacy {
		return amd64.XMM[i]
	}
	return amd64.YMM[i]
}

func (k Kind) regs(from, to int) (list []reg.VecPhysical) {
	for i := from; i < to; i++ {
		list = append(list, k.reg(i))
	}
	return list
}

// Registers that mean the same everywhere.
var (
	ctx   = reg.R14 // *work
	frame = reg.R15 // scratch memory, aligned
)

// The offsets of the fields of amd64.work.
const (
	stateAt  = 0
	hashAt   = 64
	keyAt    = 88
	padAt    = 104
	firstAt  = 120
	powersAt = 128 // r^(2^i), 3 words each
)

// stream is instructions that are not written yet.
type stream = amd64.Code

// Kernels emits all functions.
func (k Kind) Kernels() {
	simd.Legacy = k.Legacy
	simd.Aligned(frame)
	if k.Legacy {
		k.pass(1)
		k.pass(2)
	} else {
		k.chainedPass()
		k.smallPass()
	}
	k.stream()
	k.short()
	if k.Legacy {
		k.hashFunction()
	} else {
		k.chainedHash()
	}
	k.blocks()
}

func uint32s(list ...uint32) (b []byte) {
	for _, x := range list {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}

var constants = map[string]Mem{}

// constant returns data in read-only memory, once for each name.
func (k Kind) constant(name string, data []byte) Mem {
	name = "chacha" + k.Suffix + name
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, 8|16) // RODATA|NOPTR
		for i := 0; i < len(data); i += 8 {
			var x uint64
			for j := range 8 {
				x |= uint64(data[i+j]) << (8 * j)
			}
			DATA(i, U64(x))
		}
		constants[name] = m
	}
	return m
}

// sigma is the first row of the matrix.
func (k Kind) sigma() Mem {
	return k.constant("Sigma", uint32s(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574))
}

func (k Kind) rotation(bits int) Mem {
	var b []byte
	for i := range k.bytes() {
		b = append(b, byte(i&^3&15|(i-bits/8)&3))
	}
	return k.constant(fmt.Sprintf("Rotate%d", bits), b)
}

// counts returns the numbers of the lanes of a set.
func (k Kind) counts(set int) Mem {
	var list []uint32
	for i := range k.lanes() {
		list = append(list, uint32(set*k.lanes()+i))
	}
	return k.constant(fmt.Sprintf("Count%d", set), uint32s(list...))
}

// slot is where word w of a set is in the scratch memory.
func (k Kind) slot(set, w int) Mem {
	return Mem{Base: frame, Disp: k.bytes() * (16*set + w)}
}
