// Command zbb writes the SM4 kernels of sm4/internal/riscv64 on planes of bits, for CPUs with Zbb
// and without SM4 instructions or vectors.
//
// # Algorithm
//
// 16 blocks at a time, as planes of bits: a plane has one bit of the bytes of one word of the
// state, with 16 bits for each byte, as in the portable driver. So the S-box is a circuit of 107
// gates, and to rotate words by 8 bits is to rotate planes by 16. For the bits s_b that come from
// the S-box, with w_b = s_b + (s_b <<< 16), bit b of L is
//
//	(w_b <<< 16) + s_(b-2) + (w_(b-2) >>> 16)
//
// and for b < 2, where b-2 is in the next byte,
//
//	(w_b <<< 16) + ((s_(b+6) + (w_(b+6) >>> 16)) >>> 16)
//
// # Registers
//
//	state, key  addresses of planes
//	step        to the next round key
//	rounds      of four, to go
//	21 others   the S-box, whose inputs are loaded again if there is no room for them
//
// # Bound
//
// SiFive U74 and SpacemiT X60, which start two instructions in a cycle, one load or store. A round
// has 107 gates, 13 moves between registers and memory in them, 64 instructions for their inputs
// and 74 for L and the new word: 260 for 256 bytes. All rounds and the planes are 38 a byte, 19
// cycles at best. The Go compiler's code for the same in portable Go takes 50.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/planes"
)

//go:generate sh -c "go run ../../circuit sm4-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -out ../../../sm4/internal/riscv64/sm4_zbb_riscv64.s -declarations ../../../sm4/internal/riscv64/sm4_zbb_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	box := planes.NewBox(sbox, 21)
	blocks(file, box)
	ctr(file, box)
	file.Write(*out, *declarations)
}

// Offsets in the state: words as planes, the inputs of the S-box and what it has no room for.
const (
	input   = 4 * 64
	spilled = input + 64
)

// at is the offset of a plane.
func at(word, bit int) int { return 64*word + 8*bit }

type pass struct {
	*asm.Func
	box              *planes.Box
	state, key, step asm.Reg
}

const doc = "key is the\nfirst round key, and step the distance to the next one. dst and src are at multiples of 8."

func start(file *asm.File, name, signature, doc, secret string, box *planes.Box) *pass {
	p := &pass{Func: file.Func(name, signature), box: box}
	p.Doc, p.Secret = doc, secret
	p.state, p.key, p.step = p.Arg("state"), p.Arg("key"), p.New(Integer, "step")
	return p
}

func blocks(file *asm.File, box *planes.Box) {
	p := start(file, "cryptBlocksZbb", "(key *PlanesZbb, step int, state *StateZbb, dst, src *byte)",
		"cryptBlocksZbb encrypts or decrypts 16 blocks, by the order of the keys. "+doc, "key state dst src", box)
	src := p.Arg("src")
	p.load(func(block int, w []asm.Reg) {
		p.Add(MOV(16*block, src, w[0]), MOV(16*block+8, src, w[1]))
	})
	p.LoadArg("step", p.step)
	p.rounds()
	dst := p.Arg("dst")
	p.store(func(block int, w []asm.Reg) {
		p.Add(SD(w[0], 16*block, dst), SD(w[1], 16*block+8, dst))
	})
	p.Add(RET())
}

func ctr(file *asm.File, box *planes.Box) {
	p := start(file, "ctrZbb", "(key *PlanesZbb, state *StateZbb, counter *[2]uint64, dst, src *byte)",
		"ctrZbb adds the keystream of 16 blocks to src. The last 32 bits of the counter count,\n"+
			"modulo 2^32. It does not change. key is the first round key. dst and src are at multiples\nof 8.", "key state counter dst src", box)
	counter := p.Arg("counter")
	low, high, one := p.New(Integer, "low"), p.New(Integer, "high"), p.New(Integer, "one")
	count := p.Several(Integer, "count", 2) // of the first blocks in both halves, in the upper 32 bits
	p.Add(
		MOV(0, counter, low), MOV(8, counter, high),
		REV8(high, count[0]), SLLI(32, count[0], count[0]),
		SLLI(32, high, high), SRLI(32, high, high),
		MOVI(1, one), SLLI(32, one, one),
		SLLI(3, one, count[1]), ADD(count[0], count[1], count[1]),
	)
	p.load(func(block int, w []asm.Reg) {
		c := count[block/8]
		p.Add(
			REV8(c, w[1]),
			SLLI(32, w[1], w[1]),
			OR(high, w[1], w[1]),
			ADD(one, c, c),
			MOVR(low, w[0]),
		)
	})
	p.Add(MOVI(64, p.step))
	p.rounds()
	dst, src := p.Arg("dst"), p.Arg("src")
	p.store(func(block int, w []asm.Reg) {
		d := p.Several(Integer, "d", 2)
		p.Add(
			MOV(16*block, src, d[0]), MOV(16*block+8, src, d[1]),
			XOR(d[0], w[0], w[0]), XOR(d[1], w[1], w[1]),
			SD(w[0], 16*block, dst), SD(w[1], 16*block+8, dst),
		)
	})
	p.Add(RET())
}

// load makes planes of 16 blocks. input adds the loads of a block.
func (p *pass) load(input func(block int, w []asm.Reg)) {
	m := planes.NewMasks(p.Func, planes.RISCV64, 32, 16, 8)
	for n := range 8 {
		p.Scheduled(X60, func() {
			// Two words of a block, which become words of the state: bytes of two blocks in turn.
			a, b := p.Several(Integer, "a", 2), p.Several(Integer, "b", 2)
			input(n, a)
			input(n+8, b)
			for i := range a {
				for _, width := range []int{8, 16, 32} {
					m.Swap(p.Func, width, a[i], b[i])
				}
				p.Add(SD(a[i], at(2*i, n), p.state), SD(b[i], at(2*i+1, n), p.state))
			}
		})
	}
	p.transpose()
}

// store makes blocks of planes. The words are in reverse order, which is the last step of the
// cipher. output adds the stores of a block.
func (p *pass) store(output func(block int, w []asm.Reg)) {
	p.transpose()
	m := planes.NewMasks(p.Func, planes.RISCV64, 32, 16, 8)
	for n := range 8 {
		p.Scheduled(X60, func() {
			a, b := p.Several(Integer, "a", 2), p.Several(Integer, "b", 2)
			for i := range a {
				p.Add(In("state", MOV(at(3-2*i, n), p.state, a[i])), In("state", MOV(at(2-2*i, n), p.state, b[i])))
				for _, width := range []int{32, 16, 8} {
					m.Swap(p.Func, width, a[i], b[i])
				}
			}
			output(n, a)
			output(n+8, b)
		})
	}
}

// transpose swaps planes and the bits of bytes.
func (p *pass) transpose() {
	m := planes.NewMasks(p.Func, planes.RISCV64, 4, 2, 1)
	for word := range 4 {
		x := p.Several(Integer, "x", 8)
		for b := range x {
			p.Add(MOV(at(word, b), p.state, x[b]))
		}
		m.Transpose(p.Func, x)
		for b := range x {
			p.Add(SD(x[b], at(word, b), p.state))
		}
	}
}

func (p *pass) rounds() {
	rounds := p.New(Integer, "rounds")
	p.Add(MOVI(8, rounds))
	p.Label("rounds")
	for n := range 4 {
		p.Scheduled(X60, func() {
			for b := range 8 {
				x := p.New(Integer, "x")
				p.Add(MOV(8*b, p.key, x))
				for i := 1; i < 4; i++ {
					w := p.New(Integer, "w")
					p.Add(In("state", MOV(at((n+i)%4, b), p.state, w)), XOR(w, x, x))
				}
				p.Add(In("input", SD(x, input+8*b, p.state)))
			}
			p.Add(ADD(p.step, p.key, p.key))
		})
		s := p.box.Add(p.Func, planes.RISCV64, p.state, input, spilled)
		p.Scheduled(X60, func() { p.linear(s, n) })
	}
	p.Add(ADDI(-1, rounds, rounds), BNEZ(rounds, "rounds"))
}

// linear adds L of s to a word.
func (p *pass) linear(s [8]asm.Reg, word int) {
	w := p.Several(Integer, "w", 8)
	for b, s := range s {
		p.Add(RORI(16, s, w[b]), XOR(s, w[b], w[b]))
	}
	for b := range s {
		from, sum, old, top := (b+6)%8, p.New(Integer, "sum"), p.New(Integer, "old"), p.New(Integer, "top")
		p.Add(
			In("state", MOV(at(word, b), p.state, old)),
			RORI(16, w[from], sum), XOR(s[from], sum, sum),
		)
		if b < 2 {
			p.Add(RORI(16, sum, sum))
		}
		p.Add(
			RORI(48, w[b], top),
			XOR(top, sum, sum),
			XOR(old, sum, sum),
			In("state", SD(sum, at(word, b), p.state)),
		)
	}
}
