// Package lookups has what the kernels of AES and SM4 for LSX and LASX share: the inversion in the
// S-box by look-ups of nibbles inside registers, by the formulas of package permute. Its infinity is
// 16 here: VSHUFB has a second table for indices from 16 on, which is 0.
package lookups

import (
	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

// Inverses is permute.Inverses with that infinity.
func Inverses(c byte) permute.Table {
	t := permute.Inverses(c)
	t[0] = 16
	return t
}

// A Kernel is a function under construction.
type Kernel struct {
	*asm.Func
	Width
	Table           asm.Reg   // address of the tables
	Tables          []asm.Reg // those that stay in registers: inverses and more
	Zero            asm.Reg   // the second table
	low, high, t, u asm.Reg   // of a change of the basis
}

// New begins a function that uses tables.
func New(file *asm.File, tables *asm.Table, w Width, name, signature string) *Kernel {
	k := &Kernel{Func: file.Func(name, signature), Width: w}
	k.Table = k.New(Integer, "table")
	k.Zero = k.New(Vector, "zero")
	k.low, k.high, k.t, k.u = k.New(Vector, "low"), k.New(Vector, "high"), k.New(Vector, "t"), k.New(Vector, "u")
	k.Emit(Address(tables, k.Table), w.REPLICATE(D, ZERO, k.Zero))
	return k
}

// Emit adds instructions: ADD is one of Width.
func (k *Kernel) Emit(ops ...asm.Op) { k.Func.Add(ops...) }

// LoadTable loads the table at an offset, to each half.
func (k *Kernel) LoadTable(offset int, to asm.Reg) {
	k.Emit(LSX.Load(offset, k.Table, to))
	if k.Width == LASX {
		k.Emit(PERMIQ(0, to, to))
	}
}

// Keep loads the first n tables to registers.
func (k *Kernel) Keep(n int) {
	k.Tables = k.Several(Vector, "table", n)
	for i, t := range k.Tables {
		k.LoadTable(16*i, t)
	}
}

// Change changes the basis of vectors, by the two tables at an offset.
func (k *Kernel) Change(offset int, vectors ...asm.Reg) {
	k.LoadTable(offset, k.low)
	k.LoadTable(offset+16, k.high)
	for _, x := range vectors {
		k.ChangeBy(k.low, k.high, x, x)
	}
}

// ChangeBy makes d of x, by two tables in registers.
func (k *Kernel) ChangeBy(low, high, x, d asm.Reg) {
	k.Emit(
		k.ANDIB(15, x, k.t), k.SRLI(B, 4, x, k.u),
		k.SHUFB(k.t, low, k.Zero, k.t), k.SHUFB(k.u, high, k.Zero, k.u),
		k.XOR(k.t, k.u, d),
	)
}

// Lookup looks up in the table with a number.
func (k *Kernel) Lookup(index asm.Reg, table int, d asm.Reg) asm.Op {
	return k.SHUFB(index, k.Tables[table], k.Zero, d)
}

// Invert returns 1/u and 1/v of x, in p and q. x loses its value, as j and ak do.
func (k *Kernel) Invert(x, j, ak, p, q asm.Reg) asm.Stream {
	return asm.Stream{
		k.ANDIB(15, x, j), // k
		k.SRLI(B, 4, x, x),
		k.Lookup(j, 1, ak), // A/k
		k.Lookup(x, 0, p),  // 1/i
		k.XOR(x, j, j),
		k.Lookup(j, 0, q), // 1/j
		k.XOR(ak, p, p), k.XOR(ak, q, q),
		k.Lookup(p, 0, p), k.Lookup(q, 0, q),
		k.XOR(j, p, p), k.XOR(x, q, q),
	}
}

// Map returns what the map with tables n and n+1 makes of the inverse, in d; t is between.
func (k *Kernel) Map(n int, p, q, t, d asm.Reg) asm.Stream {
	return asm.Stream{k.Lookup(p, n, t), k.Lookup(q, n+1, d), k.XOR(t, d, d)}
}
