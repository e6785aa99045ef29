package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// This file has the contracts of modes of operation, but for GCM.

func ecb(p *proof, decrypt bool) {
	n := p.length()
	dst, src := p.data(n)
	crypt := p.direction(p.cipher("k"), decrypt)
	for i, x := range p.lanes(src, n) {
		p.want(dst, 16*i, crypt(x))
	}
}

// chain returns the object of an argument that is a block and changes.
func (p *proof) chain(name string) (*machine.Object, word) {
	o := p.memory(name, 16)
	return o, p.read(o, 0, 16)
}

func cbcEncrypt(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	iv, x := p.chain("iv")
	c := p.cipher("k")
	for i, b := range p.blocks(src, n) {
		x = c.encrypt(p.Xor(x, b))
		p.want(dst, 16*i, x)
	}
	p.want(iv, 0, x)
}

func cbcDecrypt(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	iv, x := p.chain("iv")
	c := p.cipher("k")
	for i, b := range p.lanes(src, n) {
		p.want(dst, 16*i, p.Xor(x, c.decrypt(b)))
		x = b
	}
	p.want(iv, 0, x)
}

func cbcMAC(p *proof) {
	n := p.length()
	src := p.memory("src", n)
	mac, x := p.chain("mac")
	c := p.cipher("k")
	for _, b := range p.blocks(src, n) {
		x = c.encrypt(p.Xor(x, b))
	}
	p.want(mac, 0, x)
}

func cfbEncrypt(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	iv, x := p.chain("iv")
	c := p.cipher("k")
	for i, b := range p.blocks(src, n) {
		x = p.Xor(c.encrypt(x), b)
		p.want(dst, 16*i, x)
	}
	p.want(iv, 0, x)
}

func cfbDecrypt(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	iv, x := p.chain("iv")
	c := p.cipher("k")
	for i, b := range p.lanes(src, n) {
		p.want(dst, 16*i, p.Xor(c.encrypt(x), b))
		x = b
	}
	p.want(iv, 0, x)
}

// ctr is counter mode. The key counter says where the counter is: in memory, which changes (counter)
// or does not (ctr), or the other way round under these names (counter-, ctr+), or in the arguments hi and lo (hi:lo). The key inc is how many bits of it count.
//
// The key left is how many counters there are before the lower 64 bits wrap around; they are unknown
// without it. If the key carry is there instead, all 128 bits count, and the kernel may branch on whether the
// lower 64 wrap around. For carry=1 the proof is for all counters, as if they did. For carry=0, it is
// for those where they do not before the counter after the last block: then 64 bits count.
//
// With the key pass, so many blocks are proven at a time (inPasses). The key lanes says how the
// kernel counts (inLanes).
func ctr(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	block := p.unknown("counter", 128)
	if p.has("left") {
		block = machine.Join(block[:64], spec.Reverse(machine.Constant(-uint64(p.int("left")), 64), 64))
	}
	if p.has("upper") { // a constant, too
		block = machine.Join(spec.Reverse(machine.Constant(uint64(p.int("upper")), 64), 64), block[64:])
	}
	inc := 128
	be := spec.Reverse(block, 128)
	if !p.has("carry") {
		inc = p.int("inc")
	} else {
		carry := bit(p.int("carry"))
		if carry == 0 {
			inc = 64
		}
		p.before = func() error {
			in := &p.machine.Function.Code[p.machine.PC]
			if !slices.Contains([]string{"BHS", "BLO", "JAE", "JCC", "JB", "JCS"}, in.Op) {
				return nil
			}
			n0, z, c, v := p.machine.Flags()
			if c <= machine.One {
				return nil
			}
			if c != p.Carry(be[:64], machine.Constant(uint64(n+15)/16, 64), 0) {
				failed("a branch on another carry than that of the counter")
			}
			p.machine.SetFlags(n0, z, carry, v)
			return nil
		}
	}
	o := (*machine.Object)(nil)
	switch where := p.text("counter"); where {
	case "hi:lo":
		p.argument("hi", machine.Value{Bits: be[64:]})
		p.argument("lo", machine.Value{Bits: be[:64]})
	case "counter", "ctr", "ctr+", "counter-":
		o = p.memory(strings.TrimRight(where, "+-"), 16)
		p.set(o, 0, block)
	}
	var rest *machine.Object
	behind := p.machine.Arch.Name == "riscv64" // rest is the address of what is not used
	switch {
	case !slices.Contains(p.one.Kernel.arguments, "rest"):
	case behind && n%16 == 0:
		p.number("rest", 0)
	case behind:
		rest = p.memory("rest", 16-n%16)
	default:
		rest = p.memory("rest", 16)
	}
	c, blocks := p.cipher("k"), p.blocks(src, n)
	if p.has("sliced") {
		var counters []word
		for b := block; len(counters) < max(len(blocks), p.int("sliced")); b = p.Inc(inc, b) {
			counters = append(counters, b)
		}
		counters = p.slicedCounters(counters)
		for i, b := range blocks {
			stream := c.encrypt(counters[i])
			p.want(dst, 16*i, p.Xor(b, stream[:len(b)]))
			if len(b) < 128 {
				p.mayWrite(rest, 0, len(b)/8)
				p.want(rest, len(b)/8, stream[len(b):])
			}
		}
		return
	}
	var base word
	specify := func(from, to int) {
		for i := from; i < to; i++ {
			b, counter := blocks[i], block
			if p.has("lanes") {
				if i == from {
					base = spec.Reverse(block[96:], 32)
				}
				counter = machine.Join(block[:96], spec.Reverse(p.inLanes(base, p.int("lanes"), i-from), 32))
			}
			stream := c.encrypt(counter)
			p.want(dst, 16*i, p.Xor(b, stream[:len(b)]))
			block = p.Inc(inc, block)
			switch {
			case rest == nil || len(b) == 128:
			case behind:
				p.want(rest, 0, stream[len(b):])
			default:
				p.mayWrite(rest, 0, len(b)/8)
				p.want(rest, len(b)/8, stream[len(b):])
			}
		}
	}
	if p.has("pass") {
		p.inPasses(dst, len(blocks), p.int("pass"), specify)
		return // the counter has another place
	}
	specify(0, len(blocks))
	if where := p.text("counter"); where == "counter" || where == "ctr+" {
		p.want(o, 0, block)
	}
}

// ctrBlocks is counter mode of whole blocks. The last 32 bits of the first counter are an argument. With rest=1, there is the keystream of one
// block more.
func ctrBlocks(p *proof) {
	dst, src := p.data(p.length())
	block, counter := p.read(p.memory("block", 16), 0, 12), p.unknown("counter", 32)
	p.argument("counter", machine.Value{Bits: counter})
	c := p.cipher("k")
	stream := func(i int) word {
		return c.encrypt(machine.Join(block, spec.Reverse(p.Sum(uint64(i), counter), 32)))
	}
	blocks := p.blocks(src, int(src.High))
	for i, b := range blocks {
		p.want(dst, 16*i, p.Xor(b, stream(i)))
	}
	if p.int("rest") == 0 {
		p.number("rest", 0)
		return
	}
	p.want(p.memory("rest", 16), 0, stream(len(blocks)))
}

// A renaming says which bits take the place of others.
type renaming struct {
	old, new word
	names    []word // of which new is made
}

// A slicing says where kernels have the bytes of so many blocks: parts are numbers of bytes that are in one vector,
// and place is where byte k of a part of block i is.
type slicing struct {
	count int
	parts [][]int
	place func(i, k int) int
}

// slicings are by words of 16 blocks, by bytes of 64, and by pairs of bytes of 32. Bytes of words, and pairs, begin with the
// one of lowest significance.
var slicings = map[string]slicing{
	"words": {16, [][]int{{3, 2, 1, 0}, {7, 6, 5, 4}, {11, 10, 9, 8}, {15, 14, 13, 12}}, func(i, k int) int { return 16*(i%4) + i/4*4 + k }},
	"bytes": {64, [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}, {12}, {13}, {14}, {15}}, func(i, k int) int { return 16*(i%4) + i/4 }},
	"pairs": {32, [][]int{{3, 2}, {1, 0}, {7, 6}, {5, 4}, {11, 10}, {9, 8}, {15, 14}, {13, 12}}, func(i, k int) int { return 16*(i%4) + i/16*8 + i/4%4 + 4*k }},
}

// slicing is that of the kernel from some block on. Names of kernels say for how many blocks they are.
func (p *proof) slicing(first int) slicing {
	switch name := p.one.Kernel.Name; {
	case strings.HasSuffix(name, "16GFNI512"):
		return slicings["words"]
	case strings.HasSuffix(name, "32GFNI512"), strings.HasSuffix(name, "96GFNI512") && first == 64:
		return slicings["pairs"]
	}
	return slicings["bytes"]
}

// slicedCounters are names of counters that kernels with the keys of SM4 have in vectors: see slicings. All bytes are
// changed as keys are, but for constants; words of GCM will be. What is not the same in
// all of them gets names, with which each block is a lane. They take the place of the counters as soon
// as a vector has those: so what follows is proven for any values there.
func (p *proof) slicedCounters(counters []word) []word {
	m := p.changes[0]
	m.constants = [8]bit{}
	list := slices.Clone(counters)
	for first := 0; first < len(list); {
		s := p.slicing(first)
		group := list[first : first+s.count]
		for number, part := range s.parts {
			bytes := func(w word) (list []word) {
				for _, b := range part {
					list = append(list, w[8*b:8*b+8])
				}
				return list
			}
			differs := func(c word) bool { return !slices.Equal(machine.Join(bytes(c)...), machine.Join(bytes(group[0])...)) }
			if !slices.ContainsFunc(group, differs) {
				continue
			}
			r := renaming{old: make(word, 512), new: make(word, 512)}
			put := func(to word, i int, list []word) {
				for k, b := range list {
					if len(part) < 4 || p.one.Contract == "ctr" {
						b = p.map8(&m, b)
					}
					copy(to[8*s.place(i, k):], b)
				}
			}
			for i, c := range group {
				put(r.old, i, bytes(c))
			}
			if j := slices.IndexFunc(p.renames, func(o renaming) bool { return slices.Equal(o.old, r.old) }); j >= 0 {
				r = p.renames[j] // what is equal has the same names
			} else {
				for i := range group {
					const most = forms.MaxLanes
					x := p.Lane(1+(first+i)%most, fmt.Sprintf("counter%d.%d", (first+i)/most, number), 8*len(part))
					put(r.new, i, x.Lanes(8))
					r.names = append(r.names, x)
				}
				p.renames = append(p.renames, r)
			}
			for i, c := range group {
				c = slices.Clone(c)
				for k, b := range r.names[i].Lanes(8) {
					copy(c[8*part[k]:], b)
				}
				group[i] = c
			}
		}
		first += s.count
	}
	return list
}

// renameHeld renames what a vector has.
func (p *proof) renameHeld() {
	if len(p.renames) == 0 {
		return
	}
	for i, v := range p.machine.V {
		for _, r := range p.renames {
			if len(v) == len(r.old) && v[0] == r.old[0] && slices.Equal(v, r.old) {
				p.machine.V[i] = slices.Clone(r.new)
			}
		}
	}
}

// inLanes is c + i, as kernels compute it that have the bytes of so many counters in vectors: the
// lowest byte is added to by itself, and the others are those of the sum for lane 0, or if there is
// a carry, one more.
func (p *proof) inLanes(c word, lanes, i int) word {
	c = p.Sum(uint64(i/lanes*lanes), c)
	lane := machine.Constant(uint64(i%lanes), 8)
	carry := p.Carry(c[:8], lane, 0)
	p.Distribute(carry)
	more := p.Sum(1<<8, c)
	out := p.Sum(0, c[:8], lane)
	for j := 8; j < 32; j++ {
		out = append(out, p.Engine.Xor(c[j], p.Engine.And(carry, p.Engine.Xor(c[j], more[j]))))
	}
	return out
}

// ccm is counter mode with CBC-MAC of the plaintext (NIST SP 800-38C). Only the last 64 bits of the
// counter count, or with the key inc so many, and then it does not change. With the key head, it is ccmText, where so many bytes come before the text.
func ccm(p *proof, open bool) {
	if p.has("head") {
		ccmText(p, open)
		return
	}
	n := p.length()
	dst, src := p.data(n)
	mac, x := p.chain("mac")
	counter, block := p.chain("counter")
	c, inc := p.cipher("k"), 64
	if p.has("inc") {
		inc = p.int("inc")
	}
	for i, b := range p.blocks(src, n) {
		out := p.Xor(b, c.encrypt(block))
		block = p.Inc(inc, block)
		p.want(dst, 16*i, out)
		if open {
			b = out
		}
		x = c.encrypt(p.Xor(x, b))
	}
	p.want(mac, 0, x)
	if !p.has("inc") {
		p.want(counter, 0, block)
	}
}

// ccmText is a part of a message, which is a struct, with two results: MAC and Mask.
func ccmText(p *proof, open bool) {
	n, size := p.length(), p.int("head")
	head, dst, src := p.object("head", size), p.object("dst", n), p.object("src", n)
	src.Overlap = dst
	m := p.memory("m", 104)
	x, block := p.read(m, 32, 16), p.read(m, 48, 16)
	m.Set(64, machine.Address(head, 0))
	m.Set(72, machine.Number(uint64(size), 64))
	m.Set(80, machine.Address(dst, 0))
	m.Set(88, machine.Address(src, 0))
	m.Set(96, machine.Number(uint64(n), 64))
	c := p.cipher("k")
	x = c.encrypt(x)
	for _, b := range p.blocks(head, size) {
		x = c.encrypt(p.Xor(x, b))
	}
	p.want(m, 16, c.encrypt(block))
	for i, b := range p.blocks(src, n) {
		block = p.Inc(64, block)
		out := p.Xor(b, c.encrypt(block)[:len(b)])
		p.want(dst, 16*i, out)
		if open {
			b = out
		}
		x = c.encrypt(p.Xor(x, machine.Join(b, machine.Constant(0, 128-len(b)))))
	}
	p.want(m, 0, x)
}

// xts is XTS of whole blocks (NIST SP 800-38E), or with order=gb that of GB/T 17964, where the bits of
// bytes of the tweak are in the opposite order. The key first says what the tweak is: nil if it is
// encrypted, keys if it will be with these. Without the key there is no such argument. With the
// key tweaks, there are those of so many blocks in memory.
func xts(p *proof, decrypt bool) {
	n := p.length()
	dst, src := p.data(n)
	count, name := 1, "tweak"
	if p.has("tweaks") {
		count, name = p.int("tweaks"), "tweaks"
	}
	tweak := p.memory(name, 16*count)
	t := p.read(tweak, 0, 16)
	c := p.cipher("k")
	order := p.tweakOrder()
	if p.has("first") {
		switch p.text("first") {
		case "nil":
			p.number("first", 0)
		case "keys", "unit": // the tweak of a unit does not advance
			t = order(p.cipher("first").encrypt(t))
		default:
			failed("first is not nil, keys or unit")
		}
	}
	if slices.Contains(p.one.Kernel.arguments, "matrix") {
		// By which bytes are multiplied, as VGF2P8AFFINEQB does.
		matrix := uint64(0x0102040810204080)
		if p.has("order") {
			matrix = 0x8040201008040201
		}
		p.argument("matrix", machine.Number(matrix, 64))
	}
	next := t
	for i := 1; i < count; i++ {
		next = p.XTSDouble(next)
		p.set(tweak, 16*i, next)
	}
	crypt, first := p.direction(c, decrypt), t
	for i, x := range p.lanes(src, n) {
		// Any block is the sum of any one and the tweak.
		p.set(src, 16*i, p.Xor(x, order(t)))
		p.want(dst, 16*i, p.Xor(order(t), crypt(x)))
		t = p.XTSDouble(t)
	}
	for x := first; p.before != nil && len(p.added) < (n+1023)/1024*64; x = p.XTSDouble(x) {
		p.added = append(p.added, order(x))
	}
	if p.has("first") && p.text("first") == "unit" {
		return
	}
	for i := range count {
		p.want(tweak, 16*i, t)
		t = p.XTSDouble(t)
	}
}

// ecbXor is ECB with another input added to the result. The key with says where that is: before, a block
// before src, as for the decryption of CBC; after, a block behind it, as for that of CFB; or with, in
// memory of its own. dst may be where the one of src and with is that is higher.
func ecbXor(p *proof) {
	n := p.length()
	crypt := p.direction(p.cipher("k"), false)
	data := p.object("data", n+16)
	other, src, with := data, int64(16), int64(0)
	switch p.text("with") {
	case "before":
	case "after":
		src, with = 0, 16
	case "with":
		other, with = p.object("with", n), 0
	default:
		failed("with is neither before nor after nor with")
	}
	dst := p.memory("dst", n)
	data.Overlap, data.OverlapAt = dst, -16
	p.argument("src", machine.Address(data, src))
	p.argument("with", machine.Address(other, with))
	for i := range n / 16 {
		x, y := p.read(data, int(src)+16*i, 16), p.read(other, int(with)+16*i, 16)
		p.want(dst, 16*i, p.Xor(crypt(x), y))
	}
}

// xtsTweaks adds the tweaks of XTS from the given one on, which becomes that of the block after the last.
func xtsTweaks(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	tweak, t := p.chain("tweak")
	order := p.tweakOrder()
	for i, b := range p.blocks(src, n) {
		p.want(dst, 16*i, p.Xor(order(t), b))
		t = p.XTSDouble(t)
	}
	p.want(tweak, 0, t)
}

// tweakOrder is what happens to a tweak before it is added: nothing, or with order=gb the bits of its
// bytes are reversed (GB/T 17964).
func (p *proof) tweakOrder() func(word) word {
	if p.has("order") {
		if p.text("order") != "gb" {
			failed("the order is not gb")
		}
		return spec.ReverseBits
	}
	return func(w word) word { return w }
}

// xtsTransposed is XTS of groups of 16 blocks. tweaks are those of the first group, and become those of
// the next one: byte j of tweak i is then byte 16j+i, with gb=1 with its bits reversed.
func xtsTransposed(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	gb := p.int("gb")
	p.argument("gb", machine.Number(uint64(gb), 8))
	order := func(w word) word { return w }
	if gb == 1 {
		order = spec.ReverseBits
	}
	crypt := p.direction(p.cipher("k"), false)
	tweaks := p.memory("tweaks", 256)
	t := p.unknown("tweak", 128)
	next := t
	for i := range 16 {
		p.set(tweaks, 16*i, next)
		next = p.XTSDouble(next)
	}
	for i, b := range p.blocks(src, n) {
		p.want(dst, 16*i, p.Xor(order(t), crypt(p.Xor(order(t), b))))
		t = p.XTSDouble(t)
	}
	for i := range 16 {
		for j, b := range order(t).Lanes(8) {
			p.want(tweaks, 16*j+i, b)
		}
		t = p.XTSDouble(t)
	}
}

// counters adds the keystream of blocks start[0] ^ (start[1] + j start[2]), of which each byte counts by
// itself. The last has one 1, in the byte with the number of the key which.
func counters(p *proof) {
	n := p.length()
	dst, src := p.data(n)
	start := p.memory("start", 48)
	which := p.int("which")
	step := make([]byte, 16)
	step[which] = 1
	start.SetBytes(32, step)
	base, first := p.read(start, 0, 16), p.read(start, 16, 16)
	c := p.cipher("k")
	for i, b := range p.blocks(src, n) {
		number := first.Lanes(8)
		number[which] = p.Sum(uint64(i), number[which])
		p.want(dst, 16*i, p.Xor(b, c.encrypt(p.Xor(base, machine.Join(number...)))))
	}
}

// countersRanges adds the keystream of starts: that of block m % 128 of one is start ^ m % 128, in the byte with
// the number of the key which. The first block has the number first.
func countersRanges(p *proof) {
	n, first, which := p.length(), p.int("first"), p.int("which")
	dst, src := p.data(n)
	p.number("first", first)
	p.number("plane", which^3)
	count := (first + n/16 + 127) / 128
	starts := p.memory("starts", 16*count)
	c := p.cipher("key")
	var blocks []word
	for j := range n / 16 {
		m := first + j
		b := slices.Clone(p.read(starts, m/128*16, 16))
		copy(b[8*which:], p.Xor(b[8*which:8*which+8], machine.Constant(uint64(m%128), 8)))
		blocks = append(blocks, b)
	}
	blocks = p.slicedCounters(blocks)
	for j, b := range p.blocks(src, n) {
		p.want(dst, 16*j, p.Xor(b, c.encrypt(blocks[j])))
	}
}

// ecbKeyed is ECB where each block has a key of its own, at the same place in keys.
func ecbKeyed(p *proof) {
	n, decrypt := p.length(), p.int("decrypt")
	dst, src := p.data(n)
	keys := p.memory("keys", n)
	p.argument("decrypt", machine.Number(uint64(decrypt), 8))
	for i, b := range p.lanes(src, n) {
		rk := p.SM4KeyExpansion(p.inLane(i, "key", keys, 16*i, 16))
		if decrypt == 1 {
			slices.Reverse(rk)
		}
		p.want(dst, 16*i, p.SM4Cipher(b, rk))
	}
}

// These are offsets in sm4's Lanes on amd64, and the number and the size of what it has for the kernels.
const (
	lanesSrc    = 512
	lanesDst    = 1024
	lanesChain  = 1536
	lanesPlanes = 2560
	lanesMemory = (32*4 + 16 + 4*16) * 64
)

// lanesOf returns the memory of Lanes, which is at a multiple of 8.
func lanesOf(p *proof) *machine.Object {
	l := p.memory("l", lanesPlanes+lanesMemory+63)
	l.Align, l.At = 64, int64(p.int("at"))
	p.mayWrite(l, lanesPlanes, lanesMemory+63)
	return l
}

// lanesKeys makes planes of bytes of the round keys of 64 lanes: byte j of round key i of lane l is byte
// 16(l%4)+l/4 of plane 4i+j. The planes are at a multiple of 64.
func lanesKeys(p *proof) {
	l := lanesOf(p)
	planes := (lanesPlanes+l.At+63)&^63 - l.At
	for lane := range 64 {
		k := p.object("k", sm4KeysSize)
		l.Set(int64(8*lane), machine.Address(k, 0))
		for i := range 128 {
			b := p.inLane(lane, fmt.Sprint("key", i), k, i, 1)
			p.want(l, int(planes)+64*i+16*(lane%4)+lane/4, b)
		}
	}
}

// cbcLanes is CBC of lanes with keys of their own. The key store is 0 if only the last blocks are wanted.
// Where the keys have to be interleaved first, the kernel laneKeys does that.
func cbcLanes(p *proof) {
	lanes, blocks, store := p.int("lanes"), p.int("blocks"), p.int("store") == 1
	p.number("n", 16*blocks)
	p.argument("store", machine.Number(uint64(p.int("store")), 8))
	l := lanesOf(p)
	for lane := range lanes {
		rk := p.Lane(1+lane, "rk", 32*32)
		var k *machine.Object
		if lanes == 64 {
			k = p.sm4KeysChanged(rk)
		} else {
			k = p.object("k", sm4KeysSize)
			p.set(k, 0, rk)
		}
		src, dst := p.object("src", 16*blocks), p.object("dst", 16*blocks)
		src.Overlap = dst
		l.Set(int64(8*lane), machine.Address(k, 0))
		l.Set(int64(lanesSrc+8*lane), machine.Address(src, 0))
		l.Set(int64(lanesDst+8*lane), machine.Number(0, 64))
		if store {
			l.Set(int64(lanesDst+8*lane), machine.Address(dst, 0))
		}
		x := p.inLane(lane, "iv", l, lanesChain+16*lane, 16)
		c := p.sm4(rk.Lanes(32))
		for j := range blocks {
			x = c.encrypt(p.Xor(x, p.inLane(lane, fmt.Sprint("src", j), src, 16*j, 16)))
			if store {
				p.want(dst, 16*j, x)
			}
		}
		p.want(l, lanesChain+16*lane, x)
	}
	if lanes == 64 {
		p.run("laneKeysGFNI512", map[string]machine.Value{"l": machine.Address(l, 0)})
	}
}

// These are offsets in the Lane of a package: its keys, IV, Dst and Src, and its size.
var laneOffsets = map[string][5]int64{"aes": {0, 8, 16, 24, 32}, "aes-neon": {0, 8, 16, 24, 32}, "sm4": {8, 16, 24, 32, 40}, "sm4-aes": {0, 16, 24, 32, 40}}

// cbcEncryptMany is CBC of lanes. The key shared is 1 if they have the same keys, and store is 0
// if Dst is nil.
func cbcEncryptMany(p *proof) {
	lanes, blocks := p.int("lanes"), p.int("blocks")
	if slices.Contains(p.one.Kernel.arguments, "blocks") {
		p.number("blocks", blocks)
	} else {
		p.number("n", blocks)
	}
	shared, store := p.int("shared") == 1, p.int("store") == 1
	at := laneOffsets[p.text("keys")]
	table := p.memory("lanes", lanes*int(at[4]))
	if p.one.Kernel.slices["lanes"] {
		p.number("lanes_len", lanes)
	}
	if p.text("keys") == "sm4-aes" { // with memory of its own
		p.free[p.memory("m", 32*16*4+16*16)] = true
	}
	var keys *machine.Object
	var c cipher
	for i := range lanes {
		base := int64(i) * at[4]
		if keys == nil || !shared {
			c = p.cipher("keys")
			keys = p.machine.Arguments["keys"].Object
			delete(p.machine.Arguments, "keys")
			delete(p.given, "keys")
		}
		iv, src, dst := p.object("iv", 16), p.object("src", 16*blocks), p.object("dst", 16*blocks)
		src.Overlap = dst
		table.Set(base+at[0], machine.Address(keys, 0))
		table.Set(base+at[1], machine.Address(iv, 0))
		table.Set(base+at[2], machine.Number(0, 64))
		if store {
			table.Set(base+at[2], machine.Address(dst, 0))
		}
		table.Set(base+at[3], machine.Address(src, 0))
		x := p.read(iv, 0, 16)
		for j, b := range p.blocks(src, 16*blocks) {
			x = c.encrypt(p.Xor(x, b))
			if store {
				p.want(dst, 16*j, x)
			}
		}
		p.want(iv, 0, x)
	}
}
