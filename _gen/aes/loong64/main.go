// Command loong64 writes the AES kernels for LSX and LASX: blocks, chains of CBC, and the form of the
// round keys.
//
// # Algorithm
//
// A register has one block (LSX) or two (LASX) in the order of memory. S is five look-ups of nibbles
// by VSHUFB: see packages permute and lookups. The state is in the basis of the tower; for
// decryption also without the linear map of the S-box, and the round keys have gone through
// InvMixColumns (FIPS 197, 5.3.5). ShiftRows is a look-up, too, before MixColumns, which rotates the words, R
// by a byte:
//
//	encryption   2 S + R(3 S) + R²(S) + R³(S) + key
//	decryption   14 S + R(11 S + R(13 S + R(9 S))) + key
//
// Each multiple of S is two look-ups, by 1/u and 1/v; 3 S is the sum of the two others.
//
// # Registers
//
//	name      what
//	x         blocks, in two registers
//	t         between instructions, six for each
//	table     1/n, A/n, and the multiples by u and by v
//	shift     ShiftRows
//	zero      the second table
//	key       a round key
//
// # Bound
//
// Instructions for LA464: a round is 27, 11 of them look-ups, and a load that two registers share: with the
// basis and text 288 for a block of 16 bytes and ten rounds, 18 per byte with LSX and 9 with LASX.
// Decryption takes 32 a round: 21 and 10.5.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
	"github.com/cipherlane/cipherlane/_gen/lookups"
)

//go:generate go run . -out ../../../internal/aescore/internal/loong64/aes_loong64.s -declarations ../../../internal/aescore/internal/loong64/aes_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	forward := file.Table("forward", "Look-ups of nibbles, and ShiftRows.", forward())
	backward := file.Table("backward", "The same for decryption.", backward())
	expand(file, forward, "expandLSX")
	expand(file, backward, "expandBackLSX")
	cbc(file, forward)
	for _, w := range []Width{LSX, LASX} {
		blocks(file, forward, w, "encryptBlocks"+w.String(), encryption)
		blocks(file, backward, w, "decryptBlocks"+w.String(), decryption)
	}
	file.Write(*out, *declarations)
}

var field = permute.NewTower()

// A direction is encryption or decryption.
type direction struct {
	multiples []byte // of S, in the tables that stay in registers
}

var (
	encryption = &direction{[]byte{1, 2}}
	decryption = &direction{[]byte{9, 13, 11, 14}}
)

// Places in the tables: behind the two inverses and those of the multiples are the basis, the last
// round and ShiftRows.

func (d *direction) basis() int { return 16 * (2 + 2*len(d.multiples)) }
func (d *direction) last() int  { return d.basis() + 32 }
func (d *direction) shift() int { return d.last() + 32 }

// tables returns them. to is the map to the basis, s what follows the inversion in the tower, and left
// how ShiftRows moves a row.
func (d *direction) tables(to, s permute.Linear, left int) []byte {
	list := []permute.Table{lookups.Inverses(1), lookups.Inverses(field.A)}
	for _, n := range d.multiples {
		u, v := field.Output(to.After(permute.Times(n)).After(s))
		list = append(list, u, v)
	}
	low, high := permute.Nibbles(to)
	u, v := field.Output(s)
	var shift permute.Table
	for i := range shift {
		shift[i] = byte((i + 4*left*(i%4)) & 15)
	}
	return permute.Join(append(list, low, high, u, v, shift)...)
}

func forward() []byte {
	return encryption.tables(field.ToTower, permute.Linear(permute.SBoxLinear).After(field.FromTower), 1)
}

func backward() []byte {
	return decryption.tables(field.ToTower.After(permute.SBoxLinearInverse), field.FromTower, 3)
}

func expand(file *asm.File, tables *asm.Table, name string) {
	d := encryption
	if name != "expandLSX" {
		d = decryption
	}
	k := lookups.New(file, tables, LSX, name, "(dst, src *[480]byte, n int)")
	k.Doc = name + " changes the basis of n > 0 round keys, which are there twice, to that of the state."
	k.Secret = "dst src"
	dst, src, n, x := k.Arg("dst"), k.Arg("src"), k.Arg("n"), k.Func.New(Vector, "x")
	k.Label("loop")
	k.Emit(k.Load(0, src, x))
	k.Change(d.basis(), x)
	k.Emit(
		k.Store(x, 0, dst), k.Store(x, 16, dst), ADDVI(32, src, src), ADDVI(32, dst, dst),
		ADDVI(-1, n, n), BNE(n, ZERO, "loop"), RET(),
	)
}

// A kernel has what rounds need besides.
type kernel struct {
	*lookups.Kernel
	*direction
	shifts, key, u, v asm.Reg
	next, count       asm.Reg
}

func newKernel(file *asm.File, tables *asm.Table, w Width, name, signature string, d *direction) *kernel {
	k := &kernel{Kernel: lookups.New(file, tables, w, name, signature), direction: d}
	k.Kernel.Keep(2 + 2*len(d.multiples))
	k.shifts, k.key = k.Func.New(Vector, "shift"), k.Func.New(Vector, "key")
	k.LoadTable(d.shift(), k.shifts)
	k.next, k.count = k.Func.New(Integer, "next"), k.Func.New(Integer, "count")
	return k
}

// round returns a round, with the key loaded.
func (k *kernel) round(x asm.Reg, t []asm.Reg) (s asm.Stream) {
	j, ak, p, q, a, b := t[0], t[1], t[2], t[3], t[4], t[5]
	s.Add(k.SHUFB(k.shifts, x, x, x))
	s.Add(k.Invert(x, j, ak, p, q)...)
	if k.direction == encryption {
		// R²(S) + R³(S) = R²(S + R(S)); R is a rotation to the right here, because the first byte is
		// the lowest.
		s.Add(k.Map(2, p, q, j, a)...) // S
		s.Add(k.Map(4, p, q, j, b)...) // 2 S
		s.Add(
			k.ROTRI(W, 8, a, ak), k.XOR(a, ak, ak), k.ROTRI(W, 16, ak, ak),
			k.XOR(a, b, a), k.ROTRI(W, 8, a, a),
			k.XOR(ak, b, b), k.XOR(a, b, b), k.XOR(k.key, b, x),
		)
		return s
	}
	s.Add(k.Map(2, p, q, j, a)...)
	for i := 4; i < 10; i += 2 {
		s.Add(k.ROTRI(W, 8, a, a))
		s.Add(k.Map(i, p, q, j, b)...)
		s.Add(k.XOR(b, a, a))
	}
	s.Add(k.XOR(k.key, a, x))
	return s
}

// lastRound returns the last round, with the key and its tables u and v loaded.
func (k *kernel) lastRound(x asm.Reg, t []asm.Reg) (s asm.Stream) {
	j, ak, p, q := t[0], t[1], t[2], t[3]
	s.Add(k.SHUFB(k.shifts, x, x, x))
	s.Add(k.Invert(x, j, ak, p, q)...)
	s.Add(k.SHUFB(p, k.u, k.Zero, j), k.SHUFB(q, k.v, k.Zero, ak), k.XOR(j, ak, x), k.XOR(k.key, x, x))
	return s
}

// crypt emits all rounds of some blocks in the basis of the state.
func (k *kernel) crypt(label string, keys, rounds asm.Reg, x []asm.Reg, t [][]asm.Reg) {
	each := func(f func(i int) asm.Stream) {
		if len(x) == 1 {
			k.Emit(f(0)...)
			return
		}
		k.Emit(asm.Spread(f(0), f(1))...) // both read the tables and the key
	}
	load := func() { k.Emit(k.Load(0, k.next, k.key), ADDVI(32, k.next, k.next)) }
	k.Emit(MOVR(keys, k.next), ADDVI(-1, rounds, k.count))
	load()
	each(func(i int) asm.Stream { return asm.Stream{k.XOR(k.key, x[i], x[i])} })
	k.Label(label)
	load()
	each(func(i int) asm.Stream { return k.round(x[i], t[i]) })
	k.Emit(ADDVI(-1, k.count, k.count), BNE(k.count, ZERO, label))
	load()
	k.u, k.v = t[0][4], t[0][5]
	k.LoadTable(k.last(), k.u)
	k.LoadTable(k.last()+16, k.v)
	each(func(i int) asm.Stream { return k.lastRound(x[i], t[i]) })
}

func cbc(file *asm.File, tables *asm.Table) {
	k := newKernel(file, tables, LSX, "cbcEncryptLSX", "(keys *[480]byte, rounds int, iv *[16]byte, dst, src *byte, n int)", encryption)
	k.Doc = "cbcEncryptLSX encrypts n > 0 blocks in CBC mode. iv becomes the last ciphertext block."
	k.Secret = "keys iv dst src"
	keys, rounds, iv, dst, src, n := k.Arg("keys"), k.Arg("rounds"), k.Arg("iv"), k.Arg("dst"), k.Arg("src"), k.Arg("n")
	x, t := k.Func.New(Vector, "x"), k.Several(Vector, "t", 6)
	k.Emit(k.Load(0, iv, x))
	k.Label("loop")
	k.Emit(k.Load(0, src, t[0]), k.XOR(t[0], x, x))
	k.Change(k.basis(), x)
	k.crypt("rounds", keys, rounds, []asm.Reg{x}, [][]asm.Reg{t})
	k.Emit(
		k.Store(x, 0, dst), ADDVI(16, src, src), ADDVI(16, dst, dst), ADDVI(-1, n, n), BNE(n, ZERO, "loop"),
		k.Store(x, 0, iv), RET(),
	)
}

func blocks(file *asm.File, tables *asm.Table, w Width, name string, d *direction) {
	k := newKernel(file, tables, w, name, "(keys *[480]byte, rounds int, dst, src, with *byte, n int)", d)
	group := int(w) / 8 // blocks
	k.Doc = name + " processes n > 0 blocks, a multiple of " + map[Width]string{LSX: "2", LASX: "4"}[w] + ", and adds others. with may be dst."
	k.Secret = "keys dst src with"
	keys, rounds, dst, src, with, n := k.Arg("keys"), k.Arg("rounds"), k.Arg("dst"), k.Arg("src"), k.Arg("with"), k.Arg("n")
	x := k.Several(Vector, "x", 2)
	t := [][]asm.Reg{k.Several(Vector, "ta", 6), k.Several(Vector, "tb", 6)}
	k.Label("loop")
	k.Emit(k.Load(0, src, x[0]), k.Load(int(w), src, x[1]))
	k.Change(d.basis(), x...)
	k.crypt("rounds", keys, rounds, x, t)
	for i := range x {
		k.Emit(k.Load(i*int(w), with, t[0][i]), k.XOR(t[0][i], x[i], x[i]), k.Store(x[i], i*int(w), dst))
	}
	k.Emit(
		ADDVI(16*group, src, src), ADDVI(16*group, dst, dst), ADDVI(16*group, with, with),
		ADDVI(-group, n, n), BNE(n, ZERO, "loop"), RET(),
	)
}
