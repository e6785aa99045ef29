package main

import (
	"slices"
	"testing"
)

func TestSM4Box(t *testing.T) {
	// Some entries of the table in GB/T 32907-2016, section 6.2.
	for x, want := range map[int]int{0x00: 0xd6, 0x01: 0x90, 0x0f: 0x05, 0x10: 0x2b, 0x71: 0x00, 0xef: 0x84, 0xff: 0x48} {
		if got := sm4.linear(x^sm4.in) ^ sm4.out; got != want {
			t.Errorf("S(%02x) = %02x, want %02x", x, got, want)
		}
	}
}

func TestAESBox(t *testing.T) {
	// Some entries of the tables in FIPS 197, figures 7 and 14.
	for x, want := range map[int]int{0x00: 0x63, 0x01: 0x7c, 0x0f: 0x76, 0x10: 0xca, 0x52: 0x00, 0x53: 0xed, 0xff: 0x16} {
		if got := aes.linear(x^aes.in) ^ aes.out; got != want {
			t.Errorf("S(%02x) = %02x, want %02x", x, got, want)
		}
		if got := aesInverse.linear(want^aesInverse.in) ^ aesInverse.out; got != x {
			t.Errorf("inverse S(%02x) = %02x, want %02x", want, got, x)
		}
	}
}

func TestSearch(t *testing.T) {
	for name, box := range map[string]sbox{"SM4": sm4, "AES": aes, "inverse AES": aesInverse} {
		c := search(box, 2, 1)
		if !c.computes(box) {
			t.Errorf("%s: the circuit is wrong", name)
		}
		if len(c.gates) > 116 {
			t.Errorf("%s: %d gates", name, len(c.gates))
		}
		for i := range c.gates { // every gate matters
			g := &c.gates[i]
			whole := *g
			g.b = g.a
			if c.computes(box) {
				t.Errorf("%s: gate %d of %d does nothing", name, i, len(c.gates))
			}
			*g = whole
		}
	}
}

func TestOrder(t *testing.T) {
	var steps []step
	for v := 1; v < 40; v++ { // more than the registers hold
		steps = append(steps, step{uses: []int{0}, defs: []int{v}})
	}
	for v := 40; v < 60; v++ {
		steps = append(steps, step{uses: []int{v - 39, 60 - v}, defs: []int{v}})
	}
	before := newSpillModel(steps, 1).cost(steps)
	rnd := random(1)
	ordered := order(steps, 1, 5000, &rnd)
	if after := newSpillModel(ordered, 1).cost(ordered); after >= before {
		t.Errorf("%d moves, %d before", after, before)
	}
	made := []int{0}
	for _, s := range ordered {
		for _, v := range s.uses {
			if !slices.Contains(made, v) {
				t.Fatalf("value %d is read before it is made", v)
			}
		}
		made = append(made, s.defs...)
	}
	if len(made) != 60 || len(slices.Compact(slices.Sorted(slices.Values(made)))) != 60 {
		t.Errorf("steps are missing")
	}
}
