// Package offload is where an algorithm asks whether something other than its
// own code should work on a message: the Linux crypto API, which package linux
// brings. Programs that do not import that package have no provider: their keys
// have a nil [Key], and nothing of AF_ALG is linked into them.
package offload

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Floor is the length below which nobody is asked. Two system calls never pay
// for less, and the callers' check is a comparison with a constant.
const Floor = 512

// An Operation is what an engine can be good at, or not.
type Operation uint8

const (
	CBCEncrypt Operation = iota
	CBCDecrypt
	CTR
	XTSEncrypt
	XTSDecrypt
	Seal
	Open
	Operations int = iota
)

// A Kind says what a key is for.
type Kind uint8

const (
	AES    Kind = iota // CBC, CTR, GCM
	AESXTS             // both keys
	SM4
	SM4XTS
)

// A Gate is the length from which on to ask, for one operation. It opens and
// closes while keys are in use.
type Gate struct{ from atomic.Int64 }

const closed = 1<<63 - 1

// Open lets requests of n bytes and more pass.
func (g *Gate) Open(n int) { g.from.Store(int64(n)) }

// Close lets nothing pass.
func (g *Gate) Close() { g.from.Store(closed) }

// Lets reports whether requests of n bytes pass.
func (g *Gate) Lets(n int) bool { return int64(n) >= g.from.Load() }

// A Worker does what a key is asked for, or says that it did not. Buffers are
// checked already: dst and src have the same length and are the same memory or
// do not overlap. It must not keep a buffer, nor show one to another goroutine:
// they may be on the stack of the caller.
type Worker interface {
	// CBC works on whole blocks from the front and returns how many bytes it
	// has done. It leaves in iv the one for the rest. Of the rest of dst
	// everything may be overwritten, unless it is src.
	CBC(iv *[16]byte, dst, src []byte, decrypt bool) int
	// CTR is the same for counter mode; it leaves the last part of a block.
	CTR(counter *[16]byte, dst, src []byte) int
	// XTS does all or nothing. In the second case it leaves src as it was.
	XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool
	// Seal fills out with ciphertext and tag, or leaves plaintext as it was.
	Seal(out, nonce, plaintext, data []byte) bool
	// Open fills out with the plaintext; tagSize bytes of ciphertext are the
	// tag. A forged message is done, but not good, and out is as it was or zero.
	Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool)
	// Wipe forgets the key and closes what is open.
	Wipe()
}

// A Key is a key that somebody else has, too. Callers ask Takes first, and if it
// agrees one of the other methods, which are those of [Worker].
type Key struct {
	Worker Worker
	gates  [Operations]*Gate
}

// shut is the gate of what a key is not for.
var shut Gate

func init() { shut.Close() }

// NewKey returns a key for no operation.
func NewKey(w Worker) *Key {
	k := &Key{Worker: w}
	for i := range k.gates {
		k.gates[i] = &shut
	}
	return k
}

// For sets the gate of an operation.
func (k *Key) For(o Operation, g *Gate) { k.gates[o] = g }

// Takes reports whether a request of n bytes, which are not less than [Floor],
// may be for the worker. Of messages with additional data they are those to be
// encrypted. It is for every call on every key: k may be nil, and it is inlined.
func (k *Key) Takes(o Operation, n int) bool {
	return k != nil && k.gates[o].Lets(n)
}

// CBC is that of [Worker].
func (k *Key) CBC(iv *[16]byte, dst, src []byte, decrypt bool) int {
	return k.Worker.CBC(HiddenBlock(iv), Hidden(dst), Hidden(src), decrypt)
}

// CTR is that of [Worker].
func (k *Key) CTR(counter *[16]byte, dst, src []byte) int {
	return k.Worker.CTR(HiddenBlock(counter), Hidden(dst), Hidden(src))
}

// XTS is that of [Worker].
func (k *Key) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool {
	return k.Worker.XTS(HiddenBlock(tweak), Hidden(dst), Hidden(src), decrypt)
}

// Seal is that of [Worker].
func (k *Key) Seal(out, nonce, plaintext, data []byte) bool {
	return k.Worker.Seal(Hidden(out), Hidden(nonce), Hidden(plaintext), Hidden(data))
}

// Open is that of [Worker].
func (k *Key) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	return k.Worker.Open(Hidden(out), Hidden(nonce), Hidden(ciphertext), Hidden(data), tagSize)
}

// Wipe is that of [Worker]; k may be nil.
func (k *Key) Wipe() {
	if k != nil {
		k.Worker.Wipe()
	}
}

// Hidden returns b in a way that the compiler cannot follow. Through an
// interface it would see every caller's buffer escape, in all programs. It is for
// calls that keep no pointer into b, as those of a Worker. Stacks move only at calls, and there is none between the two
// conversions: hence the directives, for checkptr and the race detector add some.
//
//go:nocheckptr
//go:norace
func Hidden(b []byte) []byte {
	h := struct {
		data     uintptr
		len, cap int
	}{uintptr(unsafe.Pointer(unsafe.SliceData(b))), len(b), cap(b)}
	return *(*[]byte)(unsafe.Pointer(&h))
}

// HiddenBlock is [Hidden] for a block.
//
//go:nocheckptr
//go:norace
func HiddenBlock(b *[16]byte) *[16]byte {
	h := uintptr(unsafe.Pointer(b))
	return *(**[16]byte)(unsafe.Pointer(&h))
}

// A Provider takes keys.
type Provider interface {
	// NewKey returns nil if it has no use for keys of that kind and size. It
	// must not keep the slice.
	NewKey(kind Kind, key []byte) *Key
}

var provider atomic.Pointer[Provider]

// Use makes p the provider for keys made from now on; nil for none.
func Use(p Provider) {
	if p == nil {
		provider.Store(nil)
		return
	}
	provider.Store(&p)
}

// Offer shows a key to the provider, if there is one, and returns what becomes of
// it.
func Offer(kind Kind, key []byte) *Key {
	if p := provider.Load(); p != nil {
		return (*p).NewKey(kind, Hidden(key))
	}
	return nil
}

// What package driver tells on, without knowing who said it.
var state struct {
	sync.Mutex
	report   func() []string
	warnings []string
}

// Link notes that the program has a provider, in use or not, and what tells in
// lines what has become of it.
func Link(report func() []string) {
	state.Lock()
	defer state.Unlock()
	state.report = report
}

// Linked reports whether there is one.
func Linked() bool {
	state.Lock()
	defer state.Unlock()
	return state.report != nil
}

// Warn adds a line to what driver.Warnings returns, once.
func Warn(line string) {
	state.Lock()
	defer state.Unlock()
	if !slices.Contains(state.warnings, line) {
		state.warnings = append(state.warnings, line)
	}
}

// Warnings returns these lines and those of the provider.
func Warnings() []string {
	state.Lock()
	list, report := slices.Clone(state.warnings), state.report
	state.Unlock()
	if report != nil { // it may warn
		list = append(list, report()...)
	}
	return list
}
