// Package offload lets algorithms hand messages to something other than their own
// code: the Linux crypto API, through package linux. Programs that do not import that
// package have no provider: their keys have a nil [Key], and no code for AF_ALG is
// linked into them. The hook costs them two comparisons, of a length and of a pointer with nil.
package offload

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Floor is the minimum length for offloading. For less, two system calls never pay off,
// and callers can check it by a comparison with a constant.
const Floor = 512

// An Operation is an operation for which an engine may or may not be faster.
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

// A Kind is the kind of a key: its cipher and modes.
type Kind uint8

const (
	AES    Kind = iota // CBC, CTR, GCM
	AESXTS             // XTS, with both keys
	SM4
	SM4XTS
)

// A Gate contains the minimum length of requests for one operation. It can be opened
// and closed while keys are in use.
type Gate struct{ from atomic.Int64 }

const closed = 1<<63 - 1

// Open lets requests of at least n bytes pass.
func (g *Gate) Open(n int) { g.from.Store(int64(n)) }

// Close lets nothing pass.
func (g *Gate) Close() { g.from.Store(closed) }

// Lets reports whether requests of n bytes pass.
func (g *Gate) Lets(n int) bool { return int64(n) >= g.from.Load() }

// A Worker performs operations with a key, or reports that it did not. The caller has
// checked the buffers: dst and src have the same length and overlap entirely or not at
// all. A Worker must not retain a buffer or pass it to another goroutine: it may be on
// the stack of the caller.
type Worker interface {
	// CBC processes whole blocks from the beginning and returns the number of
	// bytes processed. It updates iv for the rest. It may overwrite the rest of
	// dst, unless dst is src.
	CBC(iv *[16]byte, dst, src []byte, decrypt bool) int
	// CTR is like CBC, for counter mode; it does not process a partial last block.
	CTR(counter *[16]byte, dst, src []byte) int
	// XTS processes the whole message, or returns false and leaves src unchanged.
	XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool
	// Seal fills out with ciphertext and tag, or returns false and leaves plaintext
	// unchanged.
	Seal(out, nonce, plaintext, data []byte) bool
	// Open fills out with the plaintext; the last tagSize bytes of ciphertext are
	// the tag. For a forged message it returns true and false, and out is unchanged
	// or zero.
	Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool)
	// Wipe erases the key and closes what is open for it.
	Wipe()
}

// A Key is a key with a [Worker]. Callers call Takes first and, if that returns true,
// the method for the operation.
type Key struct {
	Worker Worker
	gates  [Operations]*Gate
}

// shut is the gate of operations that a key does not support.
var shut Gate

func init() { shut.Close() }

// NewKey returns a key that supports no operation until For is called.
func NewKey(w Worker) *Key {
	k := &Key{Worker: w}
	for i := range k.gates {
		k.gates[i] = &shut
	}
	return k
}

// For sets the gate for an operation.
func (k *Key) For(o Operation, g *Gate) { k.gates[o] = g }

// Takes reports whether the worker may handle a request of n bytes, where n is at least
// [Floor]. Additional data does not count. Takes is called for every request on every
// key: k may be nil, and the call is inlined.
func (k *Key) Takes(o Operation, n int) bool {
	return k != nil && k.gates[o].Lets(n)
}

// CBC calls [Worker.CBC].
func (k *Key) CBC(iv *[16]byte, dst, src []byte, decrypt bool) int {
	return k.Worker.CBC(HiddenBlock(iv), Hidden(dst), Hidden(src), decrypt)
}

// CTR calls [Worker.CTR].
func (k *Key) CTR(counter *[16]byte, dst, src []byte) int {
	return k.Worker.CTR(HiddenBlock(counter), Hidden(dst), Hidden(src))
}

// XTS calls [Worker.XTS].
func (k *Key) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool {
	return k.Worker.XTS(HiddenBlock(tweak), Hidden(dst), Hidden(src), decrypt)
}

// Seal calls [Worker.Seal].
func (k *Key) Seal(out, nonce, plaintext, data []byte) bool {
	return k.Worker.Seal(Hidden(out), Hidden(nonce), Hidden(plaintext), Hidden(data))
}

// Open calls [Worker.Open].
func (k *Key) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	return k.Worker.Open(Hidden(out), Hidden(nonce), Hidden(ciphertext), Hidden(data), tagSize)
}

// Wipe calls [Worker.Wipe]; k may be nil.
func (k *Key) Wipe() {
	if k != nil {
		k.Worker.Wipe()
	}
}

// Hidden returns b but hides it from escape analysis. Otherwise, calls through an
// interface would make every caller's buffer escape to the heap, in all programs. Use it
// only for calls that do not retain a pointer into b, such as those of a Worker. Stacks
// move only at calls, and there must be none between the two conversions: hence the
// directives, because checkptr and the race detector would insert calls.
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

// A Provider provides workers for keys.
type Provider interface {
	// NewKey returns nil if keys of that kind and size are not supported. It must
	// not retain the slice.
	NewKey(kind Kind, key []byte) *Key
}

var provider atomic.Pointer[Provider]

// Use makes p the provider for keys made from now on. If p is nil, there is none.
func Use(p Provider) {
	if p == nil {
		provider.Store(nil)
		return
	}
	provider.Store(&p)
}

// Offer passes a key to the provider, if there is one, and returns the result of
// NewKey, or nil.
func Offer(kind Kind, key []byte) *Key {
	if p := provider.Load(); p != nil {
		return (*p).NewKey(kind, Hidden(key))
	}
	return nil
}

// state contains what package driver reports about the provider.
var state struct {
	sync.Mutex
	report   func() []string
	warnings []string
}

// Link records that a provider is linked into the program, in use or not. report
// returns lines about its state.
func Link(report func() []string) {
	state.Lock()
	defer state.Unlock()
	state.report = report
}

// Linked reports whether a provider is linked.
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

// Warnings returns the lines passed to Warn and those of the provider's report.
func Warnings() []string {
	state.Lock()
	list, report := slices.Clone(state.warnings), state.report
	state.Unlock()
	if report != nil { // without the lock, because it may call Warn
		list = append(list, report()...)
	}
	return list
}
