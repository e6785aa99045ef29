// Command vperm writes AES kernels of internal/aescore/internal/riscv64 for CPUs with vectors (V)
// and without AES instructions that keep whole blocks in registers: one chain of CBC, and
// decryption of a few blocks. For many blocks there is _gen/aes/rvv.
//
// # Algorithm
//
// A register has one block, or for decryption as many as it has room for, in the order of
// memory. The inverse in the S-box is five look-ups of nibbles: see package permute. Two look-ups
// more, by 1/u and 1/v, give each multiple of the S-box that MixColumns adds, and ShiftRows is in
// the permutations of the bytes:
//
//	encryption   P0(2 S) + P1(3 S) + P2(S) + P3(S) + key
//	decryption   D(14 S + R(11 S + R(13 S + R(9 S)))) + key
//
// P_k takes byte (r, c) from (r+k, c+r+k), D from (r, c-r), which is the inverse of ShiftRows, and
// R from (r+1, c-1). The state is in the basis of
// the tower; for decryption also without the linear map of the S-box, and the round keys have
// gone through InvMixColumns (FIPS 197, 5.3.5).
//
// # Registers
//
//	2    look-ups: 1/n and A/n
//	6, 8 look-ups of the multiples, by u and by v
//	4, 2 permutations
//	4    look-ups of the last round and of the change of the basis
//	10   state and temporary; for decryption of two registers at a time
//
// # Bound
//
// A chain has eleven dependent instructions a round. On the SpacemiT X60 each takes four
// cycles: 44 for a round, 440 for a block and 27.5 a byte, 58 MB/s at 1.6 GHz. These are
// cycles of a model; no such CPU was available. A block takes 330 instructions, 20.6 a byte.
// Decryption takes 33 instructions a round for a register: 20.6 a byte with registers of 128
// bits, 10.3 with 256.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/byteslice"
)

//go:generate go run . -out ../../../internal/aescore/internal/riscv64/aes_vperm_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_vperm_riscv64.go -older ../../../internal/aescore/internal/riscv64/aes_vperm_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	chain(file, file.Table("forward", "Look-ups of nibbles, and permutations.", forward()))
	back := file.Table("backward", "The same for decryption.", backward())
	decrypt(file, back)
	byteslice.Expand(file, back, "expandBackRVV", byteslice.Cipher{Basis: 14 * 16})
	file.Write(*out, *declarations)
}

var field = permute.NewTower()

// tables appends the look-ups of f by 1/u and by 1/v.
func tables(all []permute.Table, f permute.Linear) []permute.Table {
	u, v := field.Output(f)
	return append(all, u, v)
}

// permutation takes byte (r, c) from what from returns.
func permutation(from func(r, c int) (int, int)) (t permute.Table) {
	for i := range t {
		r, c := from(i%4, i/4)
		t[i] = byte(4*(c&3) + r&3)
	}
	return t
}

func forward() []byte {
	all := []permute.Table{permute.Inverses(1), permute.Inverses(field.A)}
	s := permute.Linear(permute.SBoxLinear).After(field.FromTower)
	for n := range byte(3) {
		all = tables(all, field.ToTower.After(permute.Times(n+1)).After(s))
	}
	all = tables(all, s)
	low, high := permute.Nibbles(field.ToTower)
	all = append(all, low, high)
	for k := range 4 {
		all = append(all, permutation(func(r, c int) (int, int) { return r + k, c + r + k }))
	}
	return permute.Join(all...)
}

func backward() []byte {
	all := []permute.Table{permute.Inverses(1), permute.Inverses(field.A)}
	to := field.ToTower.After(permute.SBoxLinearInverse)
	for _, n := range []byte{14, 11, 13, 9} {
		all = tables(all, to.After(permute.Times(n)).After(field.FromTower))
	}
	all = tables(all, field.FromTower)
	low, high := permute.Nibbles(to)
	return permute.Join(append(all,
		permutation(func(r, c int) (int, int) { return r, c - r }),
		permutation(func(r, c int) (int, int) { return r + 1, c - 1 }),
		low, high)...)
}

// Offsets in riscv64.Keys.
const (
	roundsOffset = 15 * 16
	lastOffset   = roundsOffset + 16 // the last round key in the basis of the tower
	backOffset   = lastOffset + 16
)

// A kernel is a function under construction.
type kernel struct {
	*byteslice.Kernel
	fixed  []asm.Reg // inverses, and then the tables in the order of memory
	next   asm.Reg
	rounds asm.Reg
}

func begin(file *asm.File, t *asm.Table, name, signature string, tables int) *kernel {
	k := &kernel{Kernel: byteslice.New(file, t, name, signature, byteslice.Cipher{})}
	k.Secret, k.Public = "k dst src", "k.Rounds k.Half"
	k.LoadArg("k", k.Keys)
	k.next, k.rounds = k.Func.New(Integer, "next"), k.Func.New(Integer, "rounds")
	k.fixed = append([]asm.Reg{k.Inverse, k.InverseA}, k.Several(Vector, "table", tables-2)...)
	k.LoadTables(0, k.fixed...)
	return k
}

// lookUp is the sum of look-ups by u and v in tables n and n+1.
func (k *kernel) lookUp(n int, u, v, d, t asm.Reg) asm.Stream {
	return asm.Stream{VRGATHERVV(u, k.fixed[n], d), VRGATHERVV(v, k.fixed[n+1], t), VXORVV(t, d, d)}
}

// invert begins the S-box, with u in t[1] and v in t[2]. x and the other two are free
// afterwards.
func (k *kernel) invert(x asm.Reg, t []asm.Reg) asm.Stream {
	j, ak, p, q := t[0], t[1], t[2], t[3]
	return asm.Stream{
		VANDVI(15, x, j),
		VSRLVI(4, x, x),
		VRGATHERVV(j, k.InverseA, ak),
		VRGATHERVV(x, k.Inverse, p),
		VXORVV(x, j, j),
		VRGATHERVV(j, k.Inverse, q),
		VXORVV(ak, p, p),
		VXORVV(ak, q, q),
		VRGATHERVV(p, k.Inverse, ak),
		VXORVV(j, ak, ak),
		VRGATHERVV(q, k.Inverse, p),
		VXORVV(x, p, p),
	}
}

// chain writes CBC encryption.
func chain(file *asm.File, t *asm.Table) {
	k := begin(file, t, "cbcEncryptRVV", "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)", 16)
	k.Doc = `cbcEncryptRVV encrypts blocks, at least one. iv becomes the last ciphertext block.`
	k.Banner = `The chain goes on in the basis of the tower: the change of the plaintext's basis and the
		last round of the output are beside it.`
	k.Secret = "k iv dst src"
	iv, dst, src, blocks := k.Arg("iv"), k.Arg("dst"), k.Arg("src"), k.Arg("blocks")
	p, basis := k.fixed[12:16], [2]asm.Reg{k.fixed[10], k.fixed[11]}
	feedback, x, key, text := k.Func.New(Vector, "feedback"), k.Func.New(Vector, "x"), k.Func.New(Vector, "key"), k.Func.New(Vector, "text")
	temporary, e := k.Several(Vector, "temporary", 4), k.Several(Vector, "e", 4)
	u, v := temporary[1], temporary[2]
	k.short()
	k.Add(VLE8V(iv, feedback))
	k.Change(feedback, feedback, basis)
	k.Add(MOV(roundsOffset, k.Keys, k.rounds))

	k.Label("block")
	k.Add(MOVR(k.Keys, k.next), ADDI(-1, k.rounds, k.Loops), VLE8V(src, text), VLE8V(k.next, key))
	k.Change(text, text, basis)
	k.Add(VXORVV(key, text, text), VXORVV(feedback, text, x))
	k.Label("round")
	s := asm.Stream{ADDI(16, k.next, k.next), VLE8V(k.next, key)}
	s.Add(k.invert(x, temporary)...)
	s.Add(k.lookUp(2, u, v, e[0], e[1])...) // S
	s.Add(VRGATHERVV(p[2], e[0], e[2]))
	s.Add(VXORVV(key, e[2], e[2]), VRGATHERVV(p[3], e[0], e[1]), VXORVV(e[1], e[2], e[2]))
	s.Add(k.lookUp(4, u, v, e[0], e[1])...) // 2 S
	s.Add(VRGATHERVV(p[0], e[0], e[3]), VXORVV(e[3], e[2], e[2]))
	s.Add(k.lookUp(6, u, v, e[0], e[1])...) // 3 S
	s.Add(VRGATHERVV(p[1], e[0], e[3]), VXORVV(e[3], e[2], x))
	s.Add(ADDI(-1, k.Loops, k.Loops))
	k.Add(asm.Schedule(s, byteslice.HalfX60)...)
	k.Add(BNEZ(k.Loops, "round"))
	s = k.invert(x, temporary)
	s.Add(ADDI(lastOffset, k.Keys, k.At), VLE8V(k.At, key))
	s.Add(k.lookUp(2, u, v, e[0], e[1])...)
	s.Add(VRGATHERVV(p[0], e[0], e[1]), VXORVV(key, e[1], feedback))
	s.Add(ADDI(16, k.next, k.next), VLE8V(k.next, text))
	s.Add(k.lookUp(8, u, v, e[2], e[3])...)
	s.Add(VRGATHERVV(p[0], e[2], e[3]), VXORVV(text, e[3], e[3]), VSE8V(e[3], dst))
	s.Add(ADDI(16, src, src), ADDI(16, dst, dst), ADDI(-1, blocks, blocks))
	k.Add(asm.Schedule(s, byteslice.HalfX60)...)
	k.Add(BNEZ(blocks, "block"), VSE8V(e[3], iv), RET())
}

// short sets the length of vectors to a block, in half a register if that is enough: some CPUs
// need less time for it.
func (k *kernel) short() {
	k.Add(
		VSETVLI(ZERO, E8, M1, TA, k.Lanes),
		MOVI(32, k.At),
		BLTU(k.Lanes, k.At, "whole"),
		VSETIVLI(16, E8, MF2, TA, ZERO),
		JMP("set"),
	)
	k.Label("whole")
	k.Add(VSETIVLI(16, E8, M1, TA, ZERO))
	k.Label("set")
}

// decrypt writes the decryption of blocks.
func decrypt(file *asm.File, t *asm.Table) {
	k := begin(file, t, "decryptBlocksRVV", "(k *Keys, dst, src *byte, blocks int)", 16)
	k.Doc = "decryptBlocksRVV decrypts whole blocks, at least one."
	k.Banner = "Two registers at a time while there are blocks for them, then one."
	dst, src, bytes := k.Arg("dst"), k.Arg("src"), k.Func.New(Integer, "bytes")
	k.LoadArg("blocks", bytes)
	step, length, half := k.Func.New(Integer, "step"), k.Func.New(Integer, "length"), k.Func.New(Integer, "half")
	key, each := k.Func.New(Vector, "key"), k.Func.New(Vector, "each")
	groups := [][]asm.Reg{k.Several(Vector, "x", 5), k.Several(Vector, "y", 5)}
	k.Add(
		SLLI(4, bytes, bytes),
		MOVI(agnostic|m1, length),
		MOVBU(roundsOffset+8, k.Keys, half),
		MOVI(128, step), // more would not fit into indices
		VSETVLI(ZERO, E8, M1, TA, k.Lanes),
		MOVI(32, k.At),
		BEQZ(half, "chosen"),
		BLTU(k.Lanes, k.At, "chosen"),
		MOVI(agnostic|mf2, length),
	)
	k.Label("chosen")
	k.Add(VSETVL(length, step, step))
	// The permutations for each block of a register.
	position := groups[0][0]
	k.Add(VIDV(position), VANDVI(15, position, each), VANDVI(-16, position, position))
	for _, p := range k.fixed[12:14] {
		k.Add(VRGATHERVV(each, p, key), VADDVV(position, key, p))
	}
	k.Add(MOV(roundsOffset, k.Keys, k.rounds))

	pass := func(name string, groups [][]asm.Reg) {
		load := func(s *asm.Stream) {
			s.Add(VLE8V(k.next, groups[0][4]), VRGATHERVV(each, groups[0][4], key), ADDI(16, k.next, k.next))
		}
		k.Label(name)
		k.Add(ADDI(backOffset, k.Keys, k.next), ADDI(-1, k.rounds, k.Loops))
		var s asm.Stream
		load(&s)
		for i, g := range groups {
			if i > 0 {
				s.Add(ADD(step, src, k.At), In("src", VLE8V(k.At, g[0])))
			} else {
				s.Add(In("src", VLE8V(src, g[0])))
			}
			s.Add(
				VANDVI(15, g[0], g[1]), VSRLVI(4, g[0], g[0]),
				VRGATHERVV(g[1], k.fixed[14], g[2]), VRGATHERVV(g[0], k.fixed[15], g[3]),
				VXORVV(g[2], g[3], g[3]), VXORVV(key, g[3], g[0]),
			)
		}
		k.Add(s...)
		k.Label(name + "Round")
		s = nil
		load(&s)
		for _, g := range groups {
			s.Add(k.invert(g[0], g[1:])...)
			x, d, e, u, v := g[0], g[1], g[4], g[2], g[3]
			s.Add(k.lookUp(8, u, v, d, e)...) // 9 S
			s.Add(VRGATHERVV(k.fixed[13], d, x))
			s.Add(k.lookUp(6, u, v, d, e)...) // 13 S
			s.Add(VXORVV(x, d, d), VRGATHERVV(k.fixed[13], d, x))
			s.Add(k.lookUp(4, u, v, d, e)...) // 11 S
			s.Add(VXORVV(x, d, d), VRGATHERVV(k.fixed[13], d, x))
			s.Add(k.lookUp(2, u, v, d, e)...) // 14 S
			s.Add(VXORVV(x, d, d), VRGATHERVV(k.fixed[12], d, x), VXORVV(key, x, x))
		}
		s.Add(ADDI(-1, k.Loops, k.Loops))
		k.Add(asm.Schedule(s, byteslice.HalfX60)...)
		k.Add(BNEZ(k.Loops, name+"Round"))
		s = nil
		load(&s)
		for i, g := range groups {
			s.Add(k.invert(g[0], g[1:])...)
			s.Add(k.lookUp(10, g[2], g[3], g[1], g[4])...)
			s.Add(VRGATHERVV(k.fixed[12], g[1], g[0]), VXORVV(key, g[0], g[0]))
			if i > 0 {
				s.Add(ADD(step, dst, k.At), In("dst", VSE8V(g[0], k.At)))
			} else {
				s.Add(In("dst", VSE8V(g[0], dst)))
			}
		}
		k.Add(s...)
	}

	doubleStep := k.Func.New(Integer, "twice")
	k.Add(SLLI(1, step, doubleStep), BLTU(bytes, doubleStep, "few"))
	pass("two", groups)
	k.Add(ADD(doubleStep, src, src), ADD(doubleStep, dst, dst), SUB(doubleStep, bytes, bytes), BGEU(bytes, doubleStep, "two"), BEQZ(bytes, "done"))
	k.Label("few")
	k.Add(BGEU(bytes, step, "one"), MOVR(bytes, step), VSETVL(length, step, step))
	pass("one", groups[:1])
	k.Add(ADD(step, src, src), ADD(step, dst, dst), SUB(step, bytes, bytes), BNEZ(bytes, "few"))
	k.Label("done")
	k.Add(RET())
}

// The fields of vtype.
const (
	m1, mf2  = 0, 7
	agnostic = 3 << 6
)
