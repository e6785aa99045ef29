package prove

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// A chain is a GHASH computation that is proven in parts. When the kernel has reduced a sum, and the
// sum is proven to be that of blocks so far, unknowns take its place: what follows is proven for any
// sum. So forms stay short, and each part of a kernel is proven wherever it is in a message.
type chain struct {
	*proof
	power    []word // of the hash key, from 1 on
	blocks   []word
	sum      word // of blocks before from
	from     int
	vector   int // where the kernel has the sum, with halves exchanged
	register int // a pointer to what is not in the sum
	batches  []int
	seeks    bool            // there were batches
	first    []int           // batches that come once, in front of these
	next     int             // the blocks before the next cut, of batches
	sought   word            // the sum of these, or nil
	last     word            // the counter in the last lane, or nil: see countersSliced
	passes   []pass          // of lanes: see seekLanes
	products []word          // of the first of them, or nil
	carried  map[int]word    // what lanes add to blocks
	held     func(word) word // how the kernel has a product, or nil
}

// A pass multiplies the next blocks, each in a lane, by powers of the hash key. If again is 0, all products are added, and
// the last one is by the first power. Otherwise each is added to the block that is so many behind its own, and is by that
// power. If the sum is pending, that is multiplied instead of a block.
type pass struct {
	blocks  int
	again   int
	pending bool
}

// newChain makes the powers of a hash key, which put writes. The key cut of the directive has a vector and
// a general register: V8:R2. Kernels of amd64 keep the sum where they want, after batches of blocks, of
// which the key has the sizes: 64,16. The largest that is not more than what is left comes next.
func (p *proof) newChain(sum word, table func(power []word, put func(at int, w word)), t *machine.Object) *chain {
	c := &chain{proof: p, sum: sum, carried: map[int]word{}}
	count := 8
	if p.machine.Arch.Name == "riscv64" {
		count, _, table = p.ghashRISCV()
		c.power = p.powers(count)
		table(c.power, func(at int, w word) { p.set(t, at, w) })
		return c
	}
	if p.machine.Arch.Name == "amd64" {
		count = p.int("powers")
		table = p.ghashEntries
		for _, s := range strings.Split(p.text("batches"), ":") {
			n, err := strconv.Atoi(s)
			if err != nil {
				failed("batches are no numbers")
			}
			c.batches = append(c.batches, n)
		}
	}
	c.power = p.powers(count)
	table(c.power, func(at int, w word) { p.set(t, at, w) })
	if c.batches != nil {
		c.seeks = true
		return c
	}
	vector, pointer, _ := strings.Cut(p.text("cut"), ":")
	var err, err2 error
	c.vector, err = strconv.Atoi(strings.TrimPrefix(vector, "V"))
	c.register, err2 = strconv.Atoi(strings.TrimPrefix(pointer, "R"))
	if err != nil || err2 != nil {
		failed("cut is not V:R")
	}
	return c
}

// upTo is the sum of blocks before to.
func (c *chain) upTo(to int) word {
	if to == c.from {
		return c.sum
	}
	if to < c.from || to > c.from+len(c.power)-1 {
		failed("a cut after %d blocks, the one before was after %d", to, c.from)
	}
	var products []word
	for i := c.from; i < to; i++ {
		products = append(products, c.GCMProduct(c.block(i), c.power[to-i]))
	}
	return c.Xor(products...)
}

// cut proves that the kernel has the sum of blocks before to, which gets new names.
func (c *chain) cut(to int) error {
	if to == c.from {
		return nil
	}
	return c.prove(fmt.Sprintf("the sum of %d blocks", to), c.upTo(to), to)
}

func (c *chain) prove(name string, want word, to int) error {
	if err := c.same(name, c.machine.V[c.vector], spec.Reverse(want, 64)); err != nil {
		return err
	}
	c.sum, c.from = c.unknown(fmt.Sprint("y", to), 128), to
	c.machine.V[c.vector] = spec.Reverse(c.sum, 64)
	return nil
}

// seek gives the sum of a batch new names, as soon as a vector has it.
func (c *chain) seek() {
	if c.batches == nil && c.first == nil {
		return
	}
	if c.sought == nil {
		sizes := c.batches
		if len(c.first) > 0 {
			sizes, c.first = c.first[:1], c.first[1:]
		}
		for _, n := range sizes {
			if c.sought == nil && n <= c.left() {
				c.next = c.from + n
				c.sought = spec.Reverse(c.upTo(c.next), 128)
			}
		}
		if c.sought == nil {
			c.batches, c.first = nil, nil
			return
		}
	}
	if c.holds(c.sought) {
		c.sum = c.unknown(fmt.Sprint("y", c.next), 128)
		c.rename(c.sought, spec.Reverse(c.sum, 128))
		c.from, c.sought = c.next, nil
	}
}

// seekLanes does what seek does for kernels that hash blocks in lanes, which multiply each lane in every pass: the products
// get new names.
func (c *chain) seekLanes() error {
	if len(c.passes) == 0 {
		return nil
	}
	first := c.passes[0]
	if c.products == nil {
		for i := range first.blocks {
			x, k := c.sum, first.again
			if !first.pending {
				x = c.block(c.from + i)
			}
			if k == 0 {
				k = first.blocks - i
			}
			c.products = append(c.products, c.held(c.GCMProduct(x, c.power[k])))
		}
	}
	if !c.holds(c.products[0]) {
		return nil
	}
	var list []word
	for i, old := range c.products {
		if !c.holds(old) {
			return fmt.Errorf("lane %d has not the product of block %d", i, c.from+i)
		}
		list = append(list, c.unknown(fmt.Sprintf("y%d.%d", c.from, i), 128))
		c.rename(old, c.held(list[i]))
	}
	if first.again > 0 {
		c.sum = machine.Constant(0, 128)
		for i, y := range list {
			at := c.from + i + first.again
			if at >= len(c.blocks) || c.carried[at] != nil {
				failed("the product of block %d is added to block %d", c.from+i, at)
			}
			c.carried[at] = y
		}
	} else {
		c.sum = c.Xor(list...)
	}
	if !first.pending {
		c.from += len(list)
	}
	c.products, c.passes = nil, c.passes[1:]
	return nil
}

// block is a block with what is added to it: the sum before it, or what its lane has carried.
func (c *chain) block(i int) word {
	x := c.blocks[i]
	if y := c.carried[i]; y != nil {
		x = c.Xor(x, y)
	}
	if i == c.from {
		x = c.Xor(x, c.sum)
	}
	return x
}

// lanePasses are those of some blocks in lanes. All but the last whole one multiply by the highest power.
func lanePasses(blocks, lanes int) (list []pass) {
	for ; blocks > 0; blocks -= lanes {
		next := pass{blocks: min(blocks, lanes)}
		if blocks >= 2*lanes {
			next.again = lanes
		}
		list = append(list, next)
	}
	return list
}

// holds reports whether 128 bits of a vector are a word. On riscv64, either half may be in another one, or in a general
// register.
func (p *proof) holds(w word) bool {
	if p.machine.Arch.Name == "riscv64" {
		return p.holdsHalf(w[:64]) && p.holdsHalf(w[64:])
	}
	for _, v := range p.machine.V {
		for at := 0; at < len(v); at += 128 {
			if v[at] == w[0] && slices.Equal(v[at:at+128], w) {
				return true
			}
		}
	}
	return false
}

func (p *proof) holdsHalf(w word) bool {
	for _, v := range p.machine.V {
		for at := 0; at < len(v); at += 64 {
			if v[at] == w[0] && slices.Equal(v[at:at+64], w) {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.machine.R[:], func(v machine.Value) bool { return slices.Equal(v.Bits, w) })
}

// label returns the name of a label at the next instruction, or nothing.
func (c *chain) label() string {
	for name, pc := range c.machine.Function.Labels {
		if pc == c.machine.PC {
			return name
		}
	}
	return ""
}

// ghashUpdate continues a hash over blocks, with cuts at labels. The key order says how bytes of blocks are
// ordered: gcm, or reversed as in RFC 8452, appendix A.
func ghashUpdate(p *proof) {
	n := p.length()
	table, size := p.ghashTable, 192
	if p.text("powers") == "rotations" {
		size = 1152
		table = func(power []word, put func(at int, w word)) {
			if n < 128 { // extendNEON has not made the others
				power = power[:5]
			}
			p.ghashRotations(power, put)
		}
	}
	switch p.machine.Arch.Name {
	case "amd64":
		size = 1024
	case "riscv64":
		_, size, _ = p.ghashRISCV()
	}
	name := "t"
	if p.has("powers") && p.text("powers") == "zvkg" {
		name = "h"
	}
	t, y, data := p.memory(name, size), p.memory("y", 16), p.memory("p", n)
	if y.At = 0; slices.Contains(p.one.Kernel.arguments, "buffer") { // for data that is not at a multiple of 8
		if data.At == 0 {
			p.number("buffer", 0)
		} else {
			p.free[p.memory("buffer", 256)] = true
		}
	}
	if slices.Contains(p.one.Kernel.arguments, "order") {
		reverse := byte(15)
		if p.text("order") == "reversed" {
			reverse = 0
		}
		mask := make([]byte, 64)
		for i := range mask {
			mask[i] = byte(i%16) ^ reverse
		}
		p.memory("order", 64).SetBytes(0, mask)
	}
	order := func(w word) word { return w }
	switch p.text("order") {
	case "gcm":
	case "reversed":
		order = func(w word) word { return spec.Reverse(w, 128) }
	default:
		failed("the order is neither gcm nor reversed")
	}
	c := p.newChain(order(p.read(y, 0, 16)), table, t)
	for _, b := range p.blocks(data, n) {
		c.blocks = append(c.blocks, order(b.Extend(128)))
	}
	if p.machine.Arch.Name == "riscv64" {
		c.passesRISCV()
	}
	p.before = func() error {
		if c.held != nil {
			return c.seekLanes()
		}
		if c.seeks {
			c.seek()
			return nil
		}
		at := p.machine.R[c.register]
		if c.label() == "" || at.Object != data || c.same("", c.machine.V[c.vector], spec.Reverse(c.sum, 64)) == nil {
			return nil
		}
		// At the end, the sum is part of another comparison.
		if to := int(at.Offset / 16); to > c.from && to < n/16 {
			return c.cut(to)
		}
		return nil
	}
	p.final = func() { p.want(y, 0, order(c.upTo(len(c.blocks)))) }
	p.wanted = append(p.wanted, wanted{object: y})
}

// passesRISCV says how a kernel hashes blocks.
func (c *chain) passesRISCV() {
	n := len(c.blocks)
	switch lanes := len(c.power) - 1; c.proof.text("powers") {
	case "zbc":
		c.seeks, c.batches = true, []int{4, 1}
	case "zvbc":
		// The first pass has the blocks that do not fill all lanes, in the last ones. The sum of the last pass is not in parts.
		c.held = func(w word) word { return spec.Reverse(w, 128) }
		for left := n; left > lanes; {
			now := (left-1)%lanes + 1
			c.passes = append(c.passes, pass{blocks: now, again: lanes})
			left -= now
		}
	default:
		c.held = func(w word) word { return w }
		c.passes = lanePasses(n, lanes)
	}
}

// These are offsets in GCM's Message.
const (
	messageY       = 16
	messageLens    = 32
	messagePending = 48
)

// gcm is GCM (NIST SP 800-38D, section 7) from the hash m.Y on, of n bytes after a number of blocks before.
// If more follows, m.Y becomes the hash, and otherwise the tag. If pending is 1, m.Y is to be multiplied
// first. In kernels of amd64, the number is done, or next is one more.
func gcm(p *proof, open bool) {
	n, more := p.int("n"), p.int("more")
	if slices.Contains(p.one.Kernel.arguments, "n") {
		p.number("n", n)
	}
	before, size, pending := 0, 1024, 0
	if p.has("pending") {
		pending = p.int("pending")
	}
	switch {
	case p.has("next"):
		before = p.int("next") - 1
		p.number("next", before+1)
	case p.has("done"):
		before = p.int("done")
		p.number("done", before)
	case p.machine.Arch.Name == "riscv64":
		size, before = 512, p.int("before")
		p.number("blocks", before)
		p.argument("pending", machine.Number(uint64(pending), 8))
	default:
		size, before = 192, p.int("before")
		p.number("before", before)
	}
	if slices.Contains(p.one.Kernel.arguments, "more") {
		p.argument("more", machine.Number(uint64(more), 8))
	}
	dst, src := p.data(n)
	m, h := p.memory("m", messagePending+1), p.memory("h", size)
	p.set(m, messagePending, machine.Constant(uint64(pending), 8))
	if p.has("data") {
		// Of the length of the additional data, it is known whether it is 0, and then the hash is, too.
		if p.int("data") == 0 {
			p.set(m, messageY, machine.Constant(0, 128))
			p.set(m, messageLens, machine.Constant(0, 64))
		} else {
			p.set(m, messageLens+7, machine.Constant(8, 8))
		}
	}
	cipher := p.cipher("k")
	j0 := p.read(m, 0, 16)
	c := p.newChain(p.read(m, messageY, 16), p.ghashTable, h)
	if p.machine.Arch.Name == "riscv64" {
		c.held = func(w word) word { return w }
		if pending == 1 {
			c.passes = append(c.passes, pass{blocks: 1, pending: true})
		}
		lanes := len(c.power) - 1
		whole := n / 16 / lanes * lanes
		c.passes = append(c.passes, lanePasses(whole, lanes)...)
		switch rest := (n+15)/16 - whole; {
		case more == 1:
		case rest == lanes: // there is no room for the lengths
			c.passes = append(c.passes, pass{blocks: rest}, pass{blocks: 1})
		default:
			c.passes = append(c.passes, pass{blocks: rest + 1})
		}
	}
	if c.batches != nil && pending == 1 {
		c.blocks, c.sum = append(c.blocks, c.sum), machine.Constant(0, 128)
		if p.has("settle") {
			c.first = []int{p.int("settle")}
		}
	}
	counter := j0
	if before > 0 {
		last := p.Sum(uint64(before), spec.Reverse(counter[96:], 32))
		counter = machine.Join(counter[:96], spec.Reverse(last, 32))
	}
	if more == 0 && p.has("sliced") {
		c.last = j0
	}
	out, name := c.text(open, cipher, counter, dst, src, n)
	for i, w := range out {
		p.want(dst, 16*i, w)
	}
	if more == 0 {
		c.blocks = append(c.blocks, p.read(m, messageLens, 16))
	}
	if c.last != nil {
		j0 = c.last
	}
	mask := cipher.encrypt(j0)
	hashed := dst
	if open {
		hashed = src
	}
	p.before = func() error {
		if err := name(); err != nil {
			return err
		}
		switch {
		case p.machine.Arch.Name == "riscv64":
			return c.seekLanes()
		case c.seeks:
			c.seek()
			return nil
		}
		at := p.machine.R[c.register]
		switch label := c.label(); {
		case label == "multiplied" && pending == 1:
			return c.prove("the pending product", p.GCMProduct(c.sum, c.power[1]), 0)
		case (label == "pass" || label == "end") && at.Object == hashed:
			return c.cut(int(at.Offset / 16))
		case label == "tail":
			return c.cut(n / 128 * 8)
		case label == "pair9_1" && c.left() == 9:
			return c.cut(c.from + 1)
		}
		return nil
	}
	p.final = func() {
		y := c.upTo(len(c.blocks))
		if more == 0 {
			y = p.Xor(y, mask)
		}
		p.want(m, messageY, y)
	}
	p.wanted = append(p.wanted, wanted{object: m})
}

// countersSliced are n counters from the given one on. The key sliced says how many slicedCounters has, of which
// the last one is c.last, if that is not nil: it gets another name, too.
func (c *chain) countersSliced(counter word, n int) (list []word) {
	base := spec.Reverse(counter[96:], 32)
	for i := range c.int("sliced") {
		number := c.Sum(uint64(i), base)
		if s := c.slicing(0); len(s.parts) > 4 {
			number = c.inLanes(base, 64, i)
		}
		list = append(list, machine.Join(counter[:96], spec.Reverse(number, 32)))
	}
	last := len(list) - 1
	if c.last != nil {
		list[last] = c.last
	}
	list = c.slicedCounters(list)
	if c.last != nil {
		c.last = list[last]
	}
	return list[:n]
}

// left is how many blocks are not in the sum.
func (c *chain) left() int { return len(c.blocks) - c.from }

// text adds the blocks of the ciphertext, which the counter after the given one encrypts first, to
// those that are hashed. It returns the blocks of the other text, and what gives blocks of
// ciphertext, whole ones or with the key sliced all, new names as soon as they are stored, before most are hashed: it is to be called
// before each instruction.
func (c *chain) text(
	open bool, k cipher, counter word, dst, src *machine.Object, n int,
) (list []word, name func() error) {
	lead, text := len(c.blocks), map[int64]word{}
	var counters []word
	if c.has("sliced") {
		counters = c.countersSliced(c.Inc(32, counter), (n+15)/16)
	}
	for at := 0; at < n; at += 16 {
		size := min(16, n-at)
		if counters != nil {
			counter = counters[at/16]
		} else {
			counter = c.Inc(32, counter)
		}
		in := c.read(src, at, size)
		out := c.Xor(in, k.encrypt(counter)[:8*size])
		switch {
		case open:
			c.blocks = append(c.blocks, in.Extend(128))
		case size == 16 || counters != nil:
			text[int64(at)] = out
			out = c.unknown(fmt.Sprint("c", at/16), 8*size)
			fallthrough
		default:
			c.blocks = append(c.blocks, out.Extend(128))
		}
		list = append(list, out)
	}
	stored := map[int64]bool{}
	c.machine.Store = func(at machine.Value, w word) word {
		for first := at.Offset &^ 15; at.Object == dst && first < at.Offset+int64(len(w)/8); first += 16 {
			if text[first] != nil {
				stored[first] = true
			}
		}
		return w
	}
	return list, func() error {
		for _, at := range slices.Sorted(maps.Keys(stored)) {
			if err := c.same(fmt.Sprintf("dst+%d", at), c.read(dst, int(at), len(text[at])/8), text[at]); err != nil {
				return err
			}
			c.set(dst, int(at), c.rename(text[at], c.blocks[lead+int(at/16)][:len(text[at])]))
			delete(text, at)
		}
		clear(stored)
		return nil
	}
}

// These are offsets in GCM's Packet, and its size.
const (
	packetDst      = 0
	packetSrc      = 8
	packetNonce    = 16
	packetData     = 24
	packetSize     = 32
	packetDataSize = 40
	packetTagBits  = 48
	packetEnd      = 50
)

// packet is GCM (NIST SP 800-38D, section 7) of a message with a nonce of 12 bytes and a tag of
// some bytes behind its text. It is hashed without cuts, unless the directive says how many powers there are: then
// the kernel reduces sums of four blocks of data, or of what is in front of its last block, and sums of 64 bytes of text
// in front of the last 64 bytes, the first with the last block of data. If the tag of one to open
// is wrong, the text becomes 0, unless the caller wipes it; the kernel must compare bytes in their order.
func packet(p *proof, open bool) {
	n, dataSize, tagSize := p.int("n"), p.int("data"), p.int("tag")
	h, m := p.memory("h", 1024), p.memory("m", packetEnd)
	dst, src := p.object("dst", n), p.object("src", n)
	nonce, data := p.object("nonce", 12), p.object("data", dataSize)
	tagged := dst
	if open {
		tagged = src
	}
	tagged.High += int64(tagSize)
	src.Overlap = dst
	for at, o := range map[int64]*machine.Object{
		packetDst: dst, packetSrc: src, packetNonce: nonce, packetData: data,
	} {
		pointer := machine.Address(o, 0)
		if o.High == 0 {
			pointer = machine.Number(0, 64) // nil, which must not be read
		}
		m.Set(at, pointer)
	}
	for at, w := range map[int]word{
		packetSize:     machine.Constant(uint64(n), 64),
		packetDataSize: machine.Constant(uint64(dataSize), 64),
		packetTagBits:  machine.Constant(1<<tagSize-1, 16),
	} {
		p.set(m, at, w)
	}
	k := p.cipher("k")
	dataBlocks := (dataSize + 15) / 16
	count := (n+15)/16 + dataBlocks + 1 // that of the lengths is the last
	c := &chain{proof: p, sum: machine.Constant(0, 128)}
	if p.has("powers") {
		count = p.int("powers")
		for left := dataBlocks; left > 1; left -= 4 {
			c.first = append(c.first, min(left-1, 4))
		}
		lead := min(dataBlocks, 1)
		for left := n; left > 64; left -= 64 {
			c.first = append(c.first, lead+4)
			lead = 0
		}
	}
	c.power = p.powers(count)
	p.ghashEntries(c.power, func(at int, w word) { p.set(h, at, w) })
	for _, b := range p.blocks(data, dataSize) {
		c.blocks = append(c.blocks, b.Extend(128))
	}
	j0 := machine.Join(p.read(nonce, 0, 12), machine.Constant(1<<24, 32))
	out, name := c.text(open, k, j0, dst, src, n)
	p.before = func() error {
		if err := name(); err != nil {
			return err
		}
		c.seek()
		return nil
	}
	lens := machine.Join(machine.Constant(uint64(8*n), 64), machine.Constant(uint64(8*dataSize), 64))
	c.blocks = append(c.blocks, spec.Reverse(lens, 128))
	mask, wipes := k.encrypt(j0), !p.has("wiped") || p.int("wiped") == 1
	finish := func() {
		tag := p.Xor(c.upTo(len(c.blocks)), mask)[:8*tagSize]
		if !open {
			p.want(dst, n, tag)
		} else {
			ok := machine.One
			for _, b := range p.Xor(tag, p.read(src, n, tagSize)).Lanes(8) {
				equal := machine.One
				for _, x := range b {
					equal = p.Engine.And(equal, x^1)
				}
				ok = p.Engine.And(ok, equal)
			}
			p.result("ok", word{ok}.Extend(8))
			if !wipes {
				ok = machine.One
			}
			for _, w := range out {
				for i := range w {
					w[i] = p.Engine.And(ok, w[i])
				}
			}
		}
		for i, w := range out {
			p.want(dst, 16*i, w)
		}
	}
	if c.first == nil {
		finish()
		return
	}
	p.wanted = append(p.wanted, wanted{object: dst})
	if open {
		p.result("ok", machine.Constant(0, 8)) // until finish has it
	}
	p.final = finish
}
