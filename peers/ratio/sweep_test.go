package main

import (
	"fmt"
	"testing"
)

// Every case can be run at every length that a sweep uses: tested at the ends of each
// range and around the limits of HKDF and CCM.
func TestSweepLengths(t *testing.T) {
	list := cases()
	for _, c := range list {
		t.Run(c.name+" "+c.peerName, func(t *testing.T) {
			operations := append([]rival{{name: c.pkg, f: c.ours}, {name: c.peerName, f: c.peer}}, otherDrivers(c)...)
			lengths := sweepLengths(c)
			for i, n := range lengths {
				if i > 2 && i < len(lengths)-3 && n%16 == 0 && n%1000 > 64 {
					continue
				}
				for _, o := range operations {
					call(t, fmt.Sprintf("%s, %s", at(c, n), o.name), func() { o.f(n)() })
				}
			}
		})
	}
}

func call(t *testing.T, name string, f func()) {
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("%s: panic: %v", name, e)
		}
	}()
	f()
}

// again finds every case: no two have the same names.
func TestAgain(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases() {
		if id := c.name + ", " + c.peerName; seen[id] {
			t.Errorf("there are two cases %s", id)
		} else {
			seen[id] = true
		}
	}
	s := suspect{c: cases()[0], rival: &rival{name: "generic"}}
	ours, peer := s.renewed()
	call(t, "ours", ours(16))
	call(t, "generic", peer(16))
}
