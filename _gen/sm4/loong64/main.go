// Command loong64 writes the SM4 kernels for LSX and LASX: blocks, chains of CBC, and the form of
// the round keys.
//
// # Algorithm
//
// Register i has word i of four blocks (LSX) or eight (LASX). GB/T 32907-2016: a round adds
// L(S(X1 ^ X2 ^ X3 ^ key)) to X0, and the words move on. S is five look-ups of nibbles by VSHUFB:
// see packages permute and lookups, and package nibbles for the basis of the state, in which the linear
// maps around the inversion vanish. L rotates by 0, 2, 10, 18 and 24 bits, so that with the bytes
// s_0 to s_3 of S, the lowest last:
//
//	b_j = s_j + (s_j >> 6)    e_j = s_j + (s_j << 2)    y_j = b_j + e_(j-1)
//	x_j = x_j + y_(j+1) + (y_(j+2) + y_(j+3))
//
// The sum in parentheses is y_j + y_(j+1), turned by two bytes. b and e are look-ups. The order of bytes in a register is that of memory.
//
// The sum X2 ^ X3 of a round is X1 ^ X2 of the next one, so that two rounds share it. A chain of CBC has one block, so
// that one lane of four is enough: round n is right in lane n modulo 4, and the look-ups that turn bytes copy it to all lanes.
// One vector has the keys of four rounds then, which are added to the shared sum. The chain is in the basis of the state.
//
// # Registers
//
//	name      what
//	x         words of the blocks, of two groups
//	t         between instructions, seven for a group
//	tables    1/n, A/n, b and e by u and by v
//	zero      the second table
//	key       a round key in all lanes, or four
//	turn      indices of a chain that turn bytes by one or two, for each lane
//	basis     tables of a chain to the basis of the state and back
//
// # Bound
//
// Instructions for LA464: a round of a group is 27.5, 9 of them look-ups of nibbles, and a load of the key that two groups
// share: 32 rounds are 896 for 64 bytes, 14.0 per byte. With words that change places and the basis two groups take 15.4
// per byte with LSX and 7.75 with LASX. A round of a chain is 27 and a quarter of a load, a block 896: 56.0 per byte. What
// a round of a chain waits for is 15 instructions.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
	"github.com/cipherlane/cipherlane/_gen/lookups"
	"github.com/cipherlane/cipherlane/_gen/sm4/nibbles"
)

//go:generate go run . -out ../../../sm4/internal/loong64/sm4_loong64.s -declarations ../../../sm4/internal/loong64/sm4_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	tables := file.Table("tables", "Look-ups of nibbles: see _gen/aes/permute.", nibbles.Tables(lookups.Inverses(1), lookups.Inverses(nibbles.Field.A)))
	expand(file, tables)
	cbc(file, tables, file.Table("turns", "Byte j+1, and j+2, of the word in each lane.", turns()))
	blocks(file, tables, LSX, "cryptBlocksLSX")
	blocks(file, tables, LASX, "cryptBlocksLASX")
	file.Write(*out, *declarations)
}

// turns returns the indices of look-ups for a chain, by lane.
func turns() (data []byte) {
	for lane := range byte(4) {
		for n := range byte(2) {
			for i := range byte(16) {
				data = append(data, 4*lane+(i+n+1)%4)
			}
		}
	}
	return data
}

// A kernel has a round key in all lanes, or four in a chain.
type kernel struct {
	*lookups.Kernel
	key   asm.Reg
	turns [][]asm.Reg // of a chain: indices that turn the bytes of a word by one or two, for each lane
}

func newKernel(file *asm.File, tables *asm.Table, w Width, name, signature string) *kernel {
	return &kernel{Kernel: lookups.New(file, tables, w, name, signature)}
}

// rest loads what rounds need.
func (k *kernel) rest() {
	k.Keep(6)
	k.key = k.New(Vector, "key")
}

// turned is byte j+n of each word, or of the word in the lane of a chain that round has.
func (k *kernel) turned(n, round int, x, d asm.Reg) asm.Op {
	if k.turns != nil {
		return k.SHUFB(k.turns[round%4][n-1], x, x, d)
	}
	return k.SHUF4I(B, turn(n), x, d)
}

// turn takes byte j+n of four.
func turn(n int) int { return n%4 | (n+1)%4<<2 | (n+2)%4<<4 | (n+3)%4<<6 }

// round returns a round of a group. It and the next one share a sum.
func (k *kernel) round(x, t []asm.Reg, n int) (s asm.Stream) {
	word := func(i int) asm.Reg { return x[(n+i)%4] }
	a, j, ak, p, q, y, sum := t[0], t[1], t[2], t[3], t[4], t[5], t[6]
	other := word(3)
	if n%2 == 0 {
		other = word(1)
		s.Add(k.XOR(word(2), word(3), sum))
		if k.turns != nil {
			s.Add(k.XOR(k.key, sum, sum))
		}
	}
	if k.turns != nil {
		s.Add(k.XOR(sum, other, a))
	} else {
		s.Add(k.XOR(k.key, sum, j), k.XOR(j, other, a))
	}
	s.Add(k.Invert(a, j, ak, p, q)...)
	s.Add(k.Map(4, p, q, j, a)...)
	s.Add(k.SHUF4I(B, turn(3), a, a)) // e, of the byte before
	s.Add(k.Map(2, p, q, j, y)...)
	s.Add(
		k.XOR(a, y, y), k.turned(1, n, y, p), k.XOR(p, y, y), k.turned(2, n, y, q),
		k.XOR(p, word(0), word(0)), k.XOR(q, word(0), word(0)),
	)
	return s
}

// rounds emits all rounds of some groups, four in a loop.
func (k *kernel) rounds(label string, keys, next, count asm.Reg, x, t [][]asm.Reg) {
	k.Emit(MOVR(keys, next), MOVI(8, count))
	k.Label(label)
	for n := range 4 {
		k.Emit(k.LoadWord(4*n, next, k.key))
		var groups []asm.Stream
		for g := range x {
			groups = append(groups, k.round(x[g], t[g], n))
		}
		if len(groups) == 2 {
			k.Emit(asm.Spread(groups[0], groups[1])...) // both read the tables and the key
		} else {
			k.Emit(groups[0]...)
		}
	}
	k.Emit(ADDVI(16, next, next), ADDVI(-1, count, count), BNE(count, ZERO, label))
}

func expand(file *asm.File, tables *asm.Table) {
	k := newKernel(file, tables, LSX, "expandLSX", "(dst, src *[128]byte)")
	k.Doc = "expandLSX changes the basis of round keys to that of the state."
	k.Secret = "dst src"
	dst, src := k.Arg("dst"), k.Arg("src")
	x := k.Several(Vector, "x", 8)
	for i := range x {
		k.Emit(k.Load(16*i, src, x[i]))
	}
	k.Change(nibbles.Basis, x...)
	for i := range x {
		k.Emit(k.Store(x[i], 16*i, dst))
	}
	k.Emit(RET())
}

func cbc(file *asm.File, tables, turns *asm.Table) {
	k := newKernel(file, tables, LSX, "cbcEncryptLSX", "(keys *[128]byte, iv *[16]byte, dst, src *byte, n int)")
	k.Doc = "cbcEncryptLSX encrypts n > 0 blocks in CBC mode. iv becomes the last ciphertext block."
	k.Secret = "keys iv dst src"
	keys, iv, dst, src, n := k.Arg("keys"), k.Arg("iv"), k.Arg("dst"), k.Arg("src"), k.Arg("n")
	k.rest()
	basis := k.Several(Vector, "basis", 4)
	for i, b := range basis {
		k.LoadTable(nibbles.Basis+16*i, b)
	}
	k.Emit(Address(turns, k.Table))
	for lane := range 4 {
		k.turns = append(k.turns, k.Several(Vector, fmt.Sprint("turn", lane), 2))
		for i, to := range k.turns[lane] {
			k.LoadTable(32*lane+16*i, to)
		}
	}
	x, t, chain, out := k.Several(Vector, "x", 4), k.Several(Vector, "t", 7), k.New(Vector, "chain"), k.New(Vector, "out")
	k.Emit(k.Load(0, iv, chain))
	k.ChangeBy(basis[0], basis[1], chain, chain)
	k.Label("loop")
	k.Emit(k.Load(0, src, out))
	k.ChangeBy(basis[0], basis[1], out, out)
	k.Emit(k.XOR(out, chain, chain))
	for i := range x {
		k.Emit(k.SHUF4I(W, 0x55*i, chain, x[i]))
	}
	for n := range 32 {
		if n%4 == 0 {
			k.Emit(k.Load(4*n, keys, k.key))
		}
		k.Emit(k.round(x, t, n)...)
	}
	k.Emit(k.ILVL(W, x[3], x[2], x[2]), k.ILVL(W, x[1], x[0], x[0]), k.ILVL(D, x[2], x[0], chain))
	k.ChangeBy(basis[2], basis[3], chain, out)
	k.Emit(
		k.Store(out, 0, dst), ADDVI(16, src, src), ADDVI(16, dst, dst), ADDVI(-1, n, n), BNE(n, ZERO, "loop"),
		k.Store(out, 0, iv), RET(),
	)
}

func blocks(file *asm.File, tables *asm.Table, w Width, name string) {
	group := int(w) / 4 // blocks
	k := newKernel(file, tables, w, name, "(keys *[128]byte, dst, src, with *byte, n int)")
	k.Doc = name + " encrypts n > 0 blocks, a multiple of " + map[Width]string{LSX: "4", LASX: "8"}[w] + ", and adds others. with may be dst."
	k.Secret = "keys dst src with"
	keys, dst, src, with, n := k.Arg("keys"), k.Arg("dst"), k.Arg("src"), k.Arg("with"), k.Arg("n")
	k.rest()
	next, count, pair := k.New(Integer, "next"), k.New(Integer, "count"), k.New(Integer, "pair")
	var x, t [][]asm.Reg
	for _, g := range []string{"a", "b"} {
		x, t = append(x, k.Several(Vector, "x"+g, 4)), append(t, k.Several(Vector, "t"+g, 7))
	}
	pass := func(label string, groups int) {
		for g := range groups {
			for i := range 4 {
				k.Emit(w.Load(4*int(w)*g+int(w)*i, src, x[g][i]))
			}
			k.transpose(x[g], x[g], t[g])
			k.Change(nibbles.Basis, x[g]...)
		}
		k.rounds(label, keys, next, count, x[:groups], t[:groups])
		for g := range groups {
			back := []asm.Reg{x[g][3], x[g][2], x[g][1], x[g][0]}
			k.transpose(back, back, t[g])
			k.Change(nibbles.Back, back...)
			for i := range 4 {
				at := 4*int(w)*g + int(w)*i
				k.Emit(w.Load(at, with, t[g][i]), w.XOR(t[g][i], back[i], back[i]), w.Store(back[i], at, dst))
			}
		}
		k.Emit(ADDVI(16*group*groups, src, src), ADDVI(16*group*groups, dst, dst), ADDVI(16*group*groups, with, with), ADDVI(-group*groups, n, n))
	}
	k.Emit(MOVI(2*group, pair), BLTU(n, pair, "single"))
	k.Label("double")
	pass("doubleRounds", 2)
	k.Emit(BGEU(n, pair, "double"))
	k.Emit(BEQ(n, ZERO, "done"))
	k.Label("single")
	pass("singleRounds", 1)
	k.Label("done")
	k.Emit(RET())
}

// transpose makes words of four blocks the words in four registers. It is its own inverse. With LASX a
// register has two blocks, and lanes any order.
func (k *kernel) transpose(x, d, t []asm.Reg) {
	k.Emit(
		k.ILVL(W, x[0], x[1], t[0]), k.ILVH(W, x[0], x[1], t[1]),
		k.ILVL(W, x[2], x[3], t[2]), k.ILVH(W, x[2], x[3], t[3]),
		k.ILVL(D, t[0], t[2], d[0]), k.ILVH(D, t[0], t[2], d[1]),
		k.ILVL(D, t[1], t[3], d[2]), k.ILVH(D, t[1], t[3], d[3]),
	)
}
