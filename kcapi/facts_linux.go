//go:build linux && !nokernel

package kcapi

import "sync"

// remembered caches the results of lookUp by type and name. Block, key and IV sizes are
// the same for all drivers of an algorithm.
func remembered(typ, name string) facts {
	key := typ + " " + name
	if f, ok := factsSeen.Load(key); ok {
		return f.(facts)
	}
	f := lookUp(typ, name)
	if f.isKnown() {
		factsSeen.Store(key, f)
	}
	return f
}

var factsSeen sync.Map

// lookUp returns the facts about the driver that Linux selects for a name.
func lookUp(typ, name string) facts {
	r, _ := Winner(typ, name)
	return facts{
		name: r.Name, driver: r.Driver, blockSize: r.BlockSize,
		minKey: r.MinKeySize, maxKey: r.MaxKeySize, ivSize: r.IVSize, maxTag: r.MaxAuthSize,
		sync: r.Driver != "" && !r.Async,
	}
}
