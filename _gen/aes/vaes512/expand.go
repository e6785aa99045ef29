package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An expansion emits the key schedule of one key size.
type expansion struct {
	rounds int
	next   int // round key
}

// store stores x, which is the next round key, for both directions.
func (e *expansion) store(x reg.VecPhysical) {
	MOVOU(x, encKey(e.next))
	if e.next == 0 || e.next == e.rounds {
		MOVOU(x, decKey(e.rounds-e.next))
	} else {
		AESIMC(x, reg.X3)
		MOVOU(reg.X3, decKey(e.rounds-e.next))
	}
	e.next++
}

func (e *expansion) end() {
	MOVQ(U32(uint64(e.rounds)), Mem{Base: keys, Disp: roundsOffset})
	RET()
}

func encKey(i int) Mem { return Mem{Base: keys, Disp: encOffset + 16*i} }
func decKey(i int) Mem { return Mem{Base: keys, Disp: decOffset + 16*i} }

// subWord sets X1 to four copies of SubWord of the word that the shuffle in mask
// takes from x, plus the constant in X6. With four equal columns ShiftRows does
// nothing.
func subWord(mask, x reg.VecPhysical) {
	MOVOA(x, reg.X1)
	PSHUFB(mask, reg.X1)
	AESENCLAST(reg.X6, reg.X1)
}

// sums makes each word of x the sum of itself and those before, plus X1.
func sums(x reg.VecPhysical) {
	MOVOA(x, reg.X2)
	PSLLDQ(Imm(4), reg.X2)
	PXOR(reg.X2, x)
	MOVOA(x, reg.X2)
	PSLLDQ(Imm(8), reg.X2)
	PXOR(reg.X2, x)
	PXOR(reg.X1, x)
}

func expand() {
	function("ExpandAESNI", "(k *Keys, key []byte)", attr.NOSPLIT,
		"ExpandAESNI computes the round keys of a key of 16, 24 or 32 bytes (FIPS 197, section 5.2):",
		"w[i] = w[i-Nk] + w[i-1], where every Nk-th w[i-1] is SubWord(RotWord(w[i-1])) + Rcon, and",
		"for Nk = 8 those between are SubWord(w[i-1]). Those of decryption are InvMixColumns of them.",
		"AX the keys, SI the key; X0 and X4 the last Nk words, X5 the shuffle for RotWord, X6 Rcon,",
		"X7 that of RotWord for Nk = 6 or 0; X1 to X3 temporary.",
		"AESENCLAST on four copies of a word is SubWord plus Rcon, in less time than AESKEYGENASSIST",
		"takes on many CPUs; the sums beside it end earlier. 50 cycles for a key of 16 bytes on Zen 5, 56 for",
		"one of 32, with calls in a row.")
	rotate := table("expandRotate", repeat(13, 14, 15, 12)...)
	rotate6 := table("expandRotate6", repeat(5, 6, 7, 4)...)
	rcon := table("expandRcon", repeat(1, 0, 0, 0)...)
	rcon9 := table("expandRcon9", repeat(0x1b, 0, 0, 0)...)
	Load(Param("k"), keys)
	Load(Param("key").Base(), src)
	Load(Param("key").Len(), remaining)
	MOVOU(rcon, reg.X6)
	MOVOU(Mem{Base: src}, reg.X0)
	CMPQ(remaining, Imm(24))
	JEQ(LabelRef("key24"))
	MOVOU(rotate, reg.X5)
	JA(LabelRef("key32"))

	e := expansion{rounds: 10}
	e.store(reg.X0)
	for i := 1; i <= 10; i++ {
		subWord(reg.X5, reg.X0)
		sums(reg.X0)
		e.store(reg.X0)
		switch i {
		case 8:
			MOVOU(rcon9, reg.X6)
		case 10:
		default:
			PSLLL(Imm(1), reg.X6)
		}
	}
	e.end()

	// Two steps make three round keys of twelve words.
	Label("key24")
	MOVOU(rotate6, reg.X5)
	MOVQ(Mem{Base: src, Disp: 16}, reg.X4)
	e = expansion{rounds: 12}
	e.store(reg.X0)
	for i := 1; i <= 8; i++ {
		subWord(reg.X5, reg.X4)
		sums(reg.X0)
		if i%2 == 1 {
			MOVOA(reg.X4, reg.X7)
			PUNPCKLQDQ(reg.X0, reg.X7)
			e.store(reg.X7)
		}
		if i < 8 {
			MOVOA(reg.X4, reg.X2)
			PSLLDQ(Imm(4), reg.X2)
			PXOR(reg.X2, reg.X4)
			PSHUFD(Imm(0xff), reg.X0, reg.X2)
			PXOR(reg.X2, reg.X4)
		}
		if i%2 == 1 {
			MOVOA(reg.X0, reg.X7)
			SHUFPD(Imm(1), reg.X4, reg.X7)
			e.store(reg.X7)
		} else {
			e.store(reg.X0)
		}
		PSLLL(Imm(1), reg.X6)
	}
	e.end()

	Label("key32")
	MOVOU(Mem{Base: src, Disp: 16}, reg.X4)
	PXOR(reg.X7, reg.X7)
	e = expansion{rounds: 14}
	e.store(reg.X0)
	e.store(reg.X4)
	for i := 2; i <= 14; i++ {
		if i%2 == 0 {
			subWord(reg.X5, reg.X4)
			PSLLL(Imm(1), reg.X6)
			sums(reg.X0)
			e.store(reg.X0)
		} else {
			PSHUFD(Imm(0xff), reg.X0, reg.X1)
			AESENCLAST(reg.X7, reg.X1)
			sums(reg.X4)
			e.store(reg.X4)
		}
	}
	e.end()
}

// repeat is 16 bytes of the four, for table.
func repeat(b ...byte) []uint64 {
	w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
	return []uint64{w | w<<32, w | w<<32}
}
