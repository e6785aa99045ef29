package zvk

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// PowersEnd is where the powers of the hash key end, after 16 of them up to the first one. Behind
// it is what all lanes of a vector are multiplied by.
const PowersEnd = 256

// Offsets in a Message.
const (
	messageY    = 16
	messageLens = 32
)

// A Hash is GHASH of lanes: lane i hashes the blocks i, i + N, ... with H^N, where N blocks are a
// vector. The last multiplication of each lane is by the power that its last block is to be
// multiplied by.
type Hash struct {
	*asm.Func
	Sum   []asm.Reg
	t, at asm.Reg
}

// NewHash returns the hash of lanes. at is a register that it may use at any time.
func NewHash(f *asm.Func, at asm.Reg) *Hash {
	return &Hash{Func: f, Sum: f.Group(Vector, "sum", 4, 4), t: f.New(Vector, "t"), at: at}
}

// Start makes the hash that of lane 0 of from, whose other lanes are ignored. Other lanes are 0.
func (h *Hash) Start(from []asm.Reg) {
	h.Add(
		VSETVLI(ZERO, E32, M4, TA, h.at),
		VMVVI(0, h.Sum),
		VSETIVLI(4, E32, M4, TU, ZERO),
		Keep(VMVVV(from, h.Sum)),
	)
}

// Fold adds up the lanes. The sum is lane 0; the others have no meaning. Two labels begin with
// name.
func (h *Hash) Fold(name string) {
	s := h.Sum
	h.Add(
		VSETVLI(ZERO, E32, M1, TA, h.at),
		VXORVV(s[1], s[0], s[0]),
		VXORVV(s[3], s[2], s[2]),
		VXORVV(s[2], s[0], s[0]),
	)
	more, done := name+"more", name+"done"
	left := h.New(Integer, "left")
	h.Label(more)
	h.Add(
		SRLI(1, h.at, h.at),
		ADDI(-2, h.at, left),
		BEQZ(left, done),
		VSLIDEDOWNVX(h.at, s[0], h.t),
		VXORVV(h.t, s[0], s[0]),
		JMP(more),
	)
	h.Label(done)
}

// GCM adds a function that is GCM for CPUs with Zvkg, too. Each pass hashes the ciphertext of the
// one before. The last one, which also encrypts J0, has one block more, that of the lengths.
func GCM(file *asm.File, name, public string, sealing bool, c Cipher) {
	doc := name + " encrypts n bytes"
	if !sealing {
		doc = name + " decrypts n bytes"
	}
	k := start(file, name, "(k *"+c.Type+", h *Powers, m *Message, dst, src *byte, n, blocks int, pending, more bool)",
		doc+` that follow a number of blocks. m.Y is multiplied first if that is pending. If there is more, n is a multiple of all
vectors, and m.Y becomes the hash so far. Otherwise it becomes the tag. Registers have at most 512 bits.`,
		"k h m dst src", public, c)
	h, m, blocks := k.Arg("h"), k.Arg("m"), k.Arg("blocks")
	data := k.Group(Vector, "data", 4, 4)
	powers, pending, last := k.New(Integer, "powers"), k.Arg("pending"), k.New(Integer, "last")
	top := k.New(Integer, "top")
	hash := NewHash(k.Func, k.At)
	x := k.out // the powers: in no use before or while there are rounds

	k.Add(ADDI(1, blocks, blocks), MOVR(m, k.At))
	counters := k.counters(data, blocks)
	hash.t = counters.blocks[0]
	k.Add(
		ADDI(PowersEnd, h, top),
		ADDI(messageY, m, k.At),
		VSETIVLI(4, E32, M4, TA, ZERO),
		VLE32V(k.At, data),
		BEQZ(pending, "settled"),
		ADDI(PowersEnd-16, h, k.At),
		VLE32V(k.At, x),
		VGMULVV(x, data),
	)
	k.Label("settled")
	hash.Start(data)

	stop := k.New(Integer, "stop")
	prepare := func() {
		if k.Swaps {
			k.asHalves()
			k.next(counters)
			k.asWords()
		} else {
			k.next(counters)
		}
	}
	absorb := func(from asm.Reg) { k.Add(VL4RE8V(from, x), VGHSHVV(data, x, hash.Sum)) }
	k.Add(BLTU(k.n, k.step, "rest"))
	k.Add(
		NEG(k.step, stop),
		AND(k.n, stop, stop),
		SUB(stop, k.n, k.n),
		ADD(k.src, stop, stop),
	)
	k.asWords()
	if k.Swaps {
		prepare()
	}
	labels, enters := make([]string, k.Sizes), make([]string, k.Sizes)
	for i := range labels {
		labels[i], enters[i] = k.NewLabel("pass"), k.NewLabel("enter")
	}
	if k.Sizes > 1 {
		k.Go(k, enters)
	}
	k.Add(JMP(enters[0]))
	for i := range labels {
		k.Label(labels[i])
		absorb(top)
		k.Label(enters[i])
		if !k.Swaps {
			prepare()
		}
		k.rounds(pass{i, true}, c.Encrypt)
		k.Add(VL4RE8V(k.src, data))
		if sealing {
			k.Add(VXORVV(k.out, data, data), VS4RV(data, k.dst))
		} else {
			k.Add(VXORVV(data, k.out, k.out), VS4RV(k.out, k.dst))
		}
		if k.Swaps {
			k.next(counters)
			k.asWords()
		}
		k.Add(
			ADD(k.step, k.src, k.src),
			ADD(k.step, k.dst, k.dst),
			BNE(k.src, stop, labels[i]),
		)
		if i < len(labels)-1 {
			k.Add(JMP("whole"))
		}
	}
	k.Label("whole")
	k.Add(SUB(k.step, top, powers))
	absorb(powers)
	if k.Swaps { // the counters are those of the pass after this one
		k.asHalves()
		k.Add(Keep(Masked(k.mask, VSUBVX(counters.step, counters.blocks, counters.blocks))))
	}
	more := k.Arg("more")
	hash.t = k.state[0]
	hash.Fold("passes")
	k.Add(VMV1RV(hash.Sum[0], data[0]))
	hash.Start(data)
	k.Add(BNEZ(more, "store"))

	k.Label("rest")
	k.left()
	crypt := func() { // data becomes the ciphertext, with zeros behind it
		k.Add(
			VMVVI(0, data),
			VSETVLI(k.n, E8, M4, TU, ZERO),
			Keep(VLE8V(k.src, data)),
		)
		if sealing {
			k.Add(Keep(VXORVV(k.out, data, data)), VSE8V(data, k.dst))
		} else {
			k.Add(VXORVV(data, k.out, k.out), VSE8V(k.out, k.dst))
		}
	}
	k.Add(SLLI(2, k.words, last), BNE(last, k.step, "last"))
	// There is no room for the lengths.
	if !k.Swaps {
		k.asWords()
	}
	k.current(counters)
	k.asWords()
	k.rounds(end, c.Encrypt)
	k.Add(VSETVLI(ZERO, E32, M4, TA, k.At))
	crypt()
	k.Add(VSETVLI(ZERO, E32, M4, TA, k.At), SUB(k.step, top, powers))
	absorb(powers)
	hash.Fold("nearly")
	k.Add(VMV1RV(hash.Sum[0], data[0]))
	hash.Start(data)
	k.Add(MOVI(0, k.n), MOVI(0, k.words), MOVI(0, k.halves))
	k.Label("last")
	k.Add(ADDI(4, k.words, last))
	// The counters, and J0 behind them.
	lastHalves := k.New(Integer, "lastHalves")
	k.Add(VSETIVLI(4, E32, M4, TA, ZERO), VLE32V(m, data))
	if k.Swaps {
		k.Add(VREV8V(data, data), ADDI(2, k.halves, lastHalves))
	} else {
		k.Add(VSETVLI(ZERO, E32, M4, TA, k.At))
	}
	k.current(counters)
	k.Add(VSETVLI(last, E32, M4, TA, ZERO), VSLIDEUPVX(k.words, data, k.state))
	k.swapLengths(last, lastHalves, func() { k.rounds(end, c.Encrypt) })
	mask := counters.blocks
	k.Add(
		VSETVLI(ZERO, E32, M4, TA, k.At),
		VSLIDEDOWNVX(k.words, k.out, mask),
	)
	crypt()
	k.Add(
		VSETIVLI(4, E32, M4, TA, ZERO),
		ADDI(messageLens, m, k.At),
		VLE32V(k.At, k.state),
		VSETVLI(last, E32, M4, TU, ZERO),
		VSLIDEUPVX(k.words, k.state, data),
		SLLI(2, last, k.At),
		SUB(k.At, top, k.At),
		VLE32V(k.At, x),
		VGHSHVV(data, x, hash.Sum),
	)
	hash.t = data[0]
	hash.Fold("rest")
	k.Add(VXORVV(mask[0], hash.Sum[0], hash.Sum[0]))
	k.Label("store")
	k.Add(
		VSETIVLI(4, E32, M1, TA, ZERO),
		ADDI(messageY, m, k.At),
		VSE32V(hash.Sum[0], k.At),
		RET(),
	)
}

// current sets k.state to the counters, as the cipher wants them.
func (k *Kernel) current(c *counter) {
	if k.Swaps {
		k.Add(VMV4RV(c.blocks, k.state))
	} else {
		k.Add(VREV8V(c.blocks, k.state))
	}
}

// swapLengths calls f with other numbers of elements.
func (k *Kernel) swapLengths(words, halves asm.Reg, f func()) {
	w, h := k.words, k.halves
	k.words, k.halves = words, halves
	f()
	k.words, k.halves = w, h
}
