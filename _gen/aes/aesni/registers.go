package main

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type vec = simd.Vec

var (
	x = amd64.XMM[:16]
	y = amd64.YMM[:16]
)

// The differences of the families.
var (
	familyName     string // AESNI or VAES256: what the names of functions end in
	constantPrefix string // what the names of constants begin with: kernel and family
	full           []vec  // registers in full width: x or y
	perRegister    int    // blocks in such a register: 1 or 2
	registerSize   int    // its size in bytes: 16 or 32
)

// Registers that mean the same in all functions. Registers 0 to 7 are the
// blocks, 8 is the round key.
var (
	keys    = reg.RAX // first round key
	rounds  = reg.RBX // 10, 12 or 14
	count   = reg.RCX // of a shift
	n       = reg.RDX // bytes left to do
	src     = reg.RSI
	dst     = reg.RDI
	lastKey = reg.R8
)

const keyRegister = 8

// The offsets of the fields of amd64.Keys.
const (
	encOffset    = 0
	decOffset    = 15 * 16
	roundsOffset = 2 * 15 * 16
)

// A direction is encryption or decryption.
type direction struct {
	name        string
	offset      int // of the round keys
	round, last func(key, block vec)
}

var (
	encrypt = direction{"Encrypt", encOffset, choose(AESENC, vaesenc), choose(AESENCLAST, vaesenclast)}
	decrypt = direction{"Decrypt", decOffset, choose(AESDEC, vaesdec), choose(AESDECLAST, vaesdeclast)}
)

func choose(legacy, vex func(key, block Op)) func(key, block vec) {
	return func(key, block vec) {
		if simd.Legacy {
			legacy(key, block)
		} else {
			vex(key, block)
		}
	}
}

func vaesenc(key, block Op)     { VAESENC(key, block, block) }
func vaesenclast(key, block Op) { VAESENCLAST(key, block, block) }
func vaesdec(key, block Op)     { VAESDEC(key, block, block) }
func vaesdeclast(key, block Op) { VAESDECLAST(key, block, block) }

// function starts a function with its banner. The generator knows nothing of
// the type Keys, but a pointer is a pointer. In the banner V# is a register of
// the family, MANY is how many blocks eight of them have, BYTES their size.
func function(name, parameters string, banner ...string) {
	labels = 0
	TEXT(name+familyName, attr.NOSPLIT, "func"+strings.NewReplacer("*Keys", "*byte", "*Message", "*byte", "*CCMPart", "*byte", "*Packet", "*byte").Replace(parameters))
	letter := "X"
	if perRegister == 2 {
		letter = "Y"
	}
	r := strings.NewReplacer("SUFFIX", familyName, "MANY", fmt.Sprint(8*perRegister), "BYTES", fmt.Sprint(8*registerSize), "V#", letter)
	for i, b := range banner {
		banner[i] = r.Replace(b)
	}
	Comment(banner...)
	Comment("func " + name + familyName + parameters)
}

const inFlight = "Eight registers in flight fill two units with a latency of four cycles."

// measured is a line of a banner: what a family takes for 16 KiB.
func measured(aesni, vaes256 string) string {
	cycles := aesni
	if perRegister == 2 {
		cycles = vaes256
	}
	return "Zen 5, AES-128, 16 KiB: " + cycles + " cycles per byte."
}

// begin loads the arguments that most functions have.
func begin(d direction) {
	Load(Param("k"), keys)
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, rounds)
	if d.offset != 0 {
		ADDQ(Imm(uint64(d.offset)), keys)
	}
	MOVQ(rounds, lastKey)
	SHLQ(Imm(4), lastKey)
	ADDQ(keys, lastKey)
}

func slices() {
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), n)
}

func pointers() {
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("n"), n)
}

// end ends a function. Upper halves that are not zero would slow down legacy
// instructions of others.
func end() {
	if !simd.Legacy {
		VZEROUPPER()
	}
	RET()
}

// wide reports whether r has more than one block.
func wide(r vec) bool { return r.Size() > 16 }

// bytes returns the size of so many blocks.
func bytes(r []vec) int { return len(r) * int(r[0].Size()) }

// broadcast loads the block at m into all lanes of r.
func broadcast(m Mem, r vec) {
	if wide(r) {
		VBROADCASTI128(m, r)
	} else {
		simd.Read(m, r)
	}
}

// same returns register i in the width of r.
func same(r vec, i int) vec {
	if wide(r) {
		return y[i]
	}
	return x[i]
}

// firstKey loads the first round key and returns its register.
func firstKey(r []vec) vec {
	key := same(r[0], keyRegister)
	broadcast(Mem{Base: keys}, key)
	return key
}

// crypt applies all rounds to blocks that have the first round key added to
// them. It calls slot after each instruction of the ten rounds that all keys have.
func crypt(d direction, r []vec, slot func()) {
	innerRounds(d, r, slot)
	key := same(r[0], keyRegister)
	broadcast(Mem{Base: lastKey}, key)
	for _, b := range r {
		d.last(key, b)
		slot()
	}
}

// innerRounds is crypt without the last round.
func innerRounds(d direction, r []vec, slot func()) {
	key := same(r[0], keyRegister)
	round := func(i int, slot func()) {
		broadcast(Mem{Base: keys, Disp: 16 * i}, key)
		for _, b := range r {
			d.round(key, b)
			slot()
		}
	}
	for i := 1; i < 10; i++ {
		round(i, slot)
	}
	last := label("last")
	CMPQ(rounds, Imm(12))
	JB(LabelRef(last))
	round(10, nothing)
	round(11, nothing)
	JEQ(LabelRef(last))
	round(12, nothing)
	round(13, nothing)
	Label(last)
}

// spread returns slot, which is to be called as often as slots says: it emits the pieces, evenly
// spread over these calls. They must not depend on the code around them. Then check reports a
// wrong number of calls.
func spread(pieces []func(), slots int) (slot, check func()) {
	used, emitted := 0, 0
	slot = func() {
		used++
		for ; emitted < len(pieces) && emitted*slots < used*len(pieces); emitted++ {
			pieces[emitted]()
		}
	}
	check = func() {
		if emitted != len(pieces) || used != slots {
			panic(fmt.Sprintf("%d of %d pieces in %d slots", emitted, len(pieces), used))
		}
	}
	return slot, check
}

// nothing is for slots that stay empty.
func nothing() {}

// groups emits body for eight registers as often as there are so many blocks,
// then what rest does.
func groups(body func(r []vec)) {
	group(full[:8], true, body)
	rest(body)
}

// rest emits body for fewer than eight registers of blocks: four registers, one
// register, one block. Fewer than 16 bytes remain in n.
func rest(body func(r []vec)) {
	group(full[:4], false, body)
	group(full[:1], true, body)
	if perRegister > 1 {
		group(x[:1], false, body)
	}
}

// group emits body for the registers r if n has so many blocks, several times if
// loop is set.
func group(r []vec, loop bool, body func(r []vec)) {
	loopLabel, remainder := label("by"), label("less")
	s := bytes(r)
	SUBQ(U32(s), n)
	JB(LabelRef(remainder))
	Label(loopLabel)
	body(r)
	ADDQ(U32(s), src)
	ADDQ(U32(s), dst)
	SUBQ(U32(s), n)
	if loop {
		JAE(LabelRef(loopLabel))
	}
	Label(remainder)
	ADDQ(U32(s), n)
}

// at returns the memory of register i of the blocks at base.
func at(base reg.Register, r []vec, i int) Mem {
	return Mem{Base: base, Disp: int(r[0].Size()) * i}
}

var labels int

func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

var constants = map[string]Mem{}

// constant returns the address of quadwords that are repeated to fill 32
// bytes.
func constant(name string, q ...uint64) Mem {
	name = constantPrefix + name
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, attr.RODATA|attr.NOPTR)
		for i := range 4 {
			DATA(8*i, U64(q[i%len(q)]))
		}
		constants[name] = m
	}
	return m
}

// reverse is the index that reverses the bytes of a block.
func reverse() Mem { return constant("Reverse", 0x08090a0b0c0d0e0f, 0x0001020304050607) }

// plus is the constant that makes the counter of register i from that of the first one.
func plus(i int, r []vec) Mem {
	n := uint64(i)
	if wide(r[0]) {
		n *= 2
	}
	return constant(fmt.Sprintf("Plus%d", n), n, 0)
}
