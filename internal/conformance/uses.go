package conformance

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

// An Input is what the modes of a package of block ciphers process. Sizes, and where Text is divided,
// depend on Split.
type Input struct {
	Key            []byte // 64 bytes; most ciphers use the beginning
	IV, Data, Text []byte // 16 bytes; additional data; plaintext
	Split          int
}

// xtsHalves are where the second halves of keys begin.
var xtsHalves = []int{16, 24, 32}

// Differ makes the halves of the key differ, which XTS wants.
func (in Input) Differ() {
	for _, i := range xtsHalves {
		in.Key[i] = ^in.Key[0]
	}
}

// uses does everything that can be done with a Driver of a package and what its methods return. It finds
// the methods by reflection, so that no mode is left out: a method that it cannot call is an error.
type uses struct {
	Input
	t       testing.TB
	secret  bool              // the input is secret: without decryption that is checked
	outputs map[string][]byte // by the names of methods; without random ones
	objects map[string]any    // likewise
}

func use(t testing.TB, driver any, in Input, secret bool) *uses {
	u := &uses{in, t, secret, map[string][]byte{}, map[string]any{}}
	u.methods("", driver)
	return u
}

// Uses returns the output of everything that can be done with a driver, by name.
func Uses(t testing.TB, driver any, in Input) map[string][]byte {
	return use(t, driver, in, false).outputs
}

// Objects returns all objects that a driver makes, after some use, by the names of the methods.
func Objects(t testing.TB, driver any, key []byte) map[string]any {
	in := Input{bytes.Clone(key), make([]byte, 16), nil, make([]byte, 100), 32}
	in.Differ()
	return use(t, driver, in, false).objects
}

// Secrets does everything with a secret key and text, for valgrind, and compares the output with that
// for the same input when it is public. The function many adds to the output.
func Secrets(t testing.TB, driver any, many func(in Input) map[string][]byte) {
	in := Input{make([]byte, 64), make([]byte, 16), make([]byte, 33), make([]byte, 3000), 300}
	r := newRandom(t)
	for _, b := range [][]byte{in.Key, in.IV, in.Data, in.Text} {
		r.source.Read(b)
	}
	in.Differ()
	all := func(in Input) map[string][]byte {
		outputs := use(t, driver, in, true).outputs
		maps.Copy(outputs, many(in))
		return outputs
	}
	want := all(in)
	in.Key, in.Text = bytes.Clone(in.Key), bytes.Clone(in.Text)
	ctgrind.Secret(in.Key)
	ctgrind.Secret(in.Text)
	for _, i := range append(xtsHalves, 0) { // that the halves of an XTS key differ is public
		ctgrind.Public(in.Key[i : i+1])
	}
	for name, output := range all(in) {
		if ctgrind.Public(output); !bytes.Equal(output, want[name]) {
			t.Errorf("%s: wrong with secrets", name)
		}
	}
}

// FuzzUses compares everything that can be done with the drivers of a package with the portable one. The
// function on returns the output with a driver; check compares that of the portable driver with something
// else.
func FuzzUses(f *testing.F, rows []driver.Info, on func(t *testing.T, name string, in Input) map[string][]byte,
	check func(t *testing.T, in Input, outputs map[string][]byte)) {
	f.Add([]byte("a key"), []byte("an iv"), []byte("data"), bytes.Repeat([]byte("text"), 50), uint16(100))
	f.Fuzz(func(t *testing.T, key, iv, data, text []byte, split uint16) {
		key, iv = slices.Concat(key, make([]byte, 64))[:64], slices.Concat(iv, make([]byte, 16))[:16]
		text = bytes.Clone(text)
		for len(text) > 0 && len(text) < int(split) { // fuzzers like short inputs, kernels have long passes
			text = append(text, text...)
		}
		in := Input{key, iv, data, text, int(split)}
		in.Differ()
		want := on(t, rows[0].Name, in)
		check(t, in, want)
		for _, info := range rows[1:] {
			if info.Available() {
				got := on(t, info.Name, in)
				for name := range want {
					if !bytes.Equal(got[name], want[name]) {
						t.Errorf("%s: %s differs from generic", info.Name, name)
					}
				}
			}
		}
	})
}

// Keys checks all objects that a driver makes. None shows its key if it is printed. Those that are made
// from a key can be wiped, and then nothing in them depends on it.
func Keys(t testing.TB, driver any) {
	one := Objects(t, driver, bytes.Repeat([]byte{1}, 64))
	two := Objects(t, driver, bytes.Repeat([]byte{2}, 64))
	for name, x := range one {
		for _, x := range []any{x, reflect.Indirect(reflect.ValueOf(x)).Interface()} {
			if got := fmt.Sprintf("%v", x); got != hidden.Text {
				t.Errorf("%s: %T is printed as %.100s", name, x, got)
			}
		}
		if _, ok := x.(Wiper); ok {
			wipe(t, x)
			wipe(t, two[name])
			continue
		}
		if !strings.Contains(name, ".") {
			t.Errorf("%s: %T has no method Wipe", name, x)
		}
		delete(one, name)
		delete(two, name)
	}
	dropZeros(reflect.ValueOf(one), map[unsafe.Pointer]bool{})
	dropZeros(reflect.ValueOf(two), map[unsafe.Pointer]bool{})
	for name, x := range one {
		if !reflect.DeepEqual(x, two[name]) {
			t.Errorf("%s: %T still knows its key after Wipe", name, x)
		}
		if public(x) {
			reflect.New(reflect.TypeOf(x).Elem()).Interface().(Wiper).Wipe() // the zero value
		}
	}
}

// eachKey calls f with the results of all methods of a driver that make something from a key of n bytes.
func eachKey(driver any, n int, f func(name string, x reflect.Value, err error)) {
	v := reflect.ValueOf(driver)
	for i := range v.NumMethod() {
		if t := v.Method(i).Type(); t.NumIn() == 1 && t.NumOut() == 2 && t.In(0) == reflect.TypeFor[[]byte]() {
			key := append([]byte{1}, make([]byte, 64)...)[:n]
			results := v.Method(i).Call([]reflect.Value{reflect.ValueOf(key)})
			err, _ := results[1].Interface().(error)
			f(v.Type().Method(i).Name, results[0], err)
		}
	}
}

// KeySizes checks that a driver refuses keys of sizes that no cipher has.
func KeySizes(t *testing.T, pkg string, driver any) {
	for n := range 65 {
		if n%8 == 0 && n >= 16 {
			continue
		}
		eachKey(driver, n, func(name string, x reflect.Value, err error) {
			// What is not nil is not printed: package fmt would dereference nil pointers, and recover, which
			// goes wrong at times under qemu-ppc64le, as it tells another address.
			if err == nil || !strings.HasPrefix(err.Error(), pkg+": invalid ") ||
				!strings.Contains(err.Error(), fmt.Sprintf("key size %d, want ", n)) || !x.IsNil() {
				t.Errorf("%s: key of %d bytes: error %v, and no object: %v", name, n, err, x.IsNil())
			}
		})
	}
}

// NotInFIPS checks that a driver makes nothing from a key in FIPS 140-only mode.
func NotInFIPS(t *testing.T, pkg string, driver any) {
	FIPSOnly(t, func(t *testing.T) {
		refused := map[string]bool{}
		for n := 16; n <= 64; n += 8 {
			eachKey(driver, n, func(name string, _ reflect.Value, err error) {
				if err == nil {
					t.Errorf("%s: a key of %d bytes is taken", name, n)
				} else if refused[name] = refused[name] || err.Error() == pkg+": not available in FIPS 140-only mode"; n == 64 && !refused[name] {
					t.Errorf("%s: error %v", name, err)
				}
			})
		}
	})
}

// public reports whether an object points to a type of a package that programs can import.
func public(x any) bool { return !strings.Contains(reflect.TypeOf(x).Elem().PkgPath(), "/internal/") }

// dropZeros sets each atomic.Pointer to memory that is zero to nil, because reflect.DeepEqual compares
// the addresses.
func dropZeros(v reflect.Value, seen map[unsafe.Pointer]bool) {
	switch v.Kind() {
	case reflect.Map:
		for _, key := range v.MapKeys() {
			dropZeros(v.MapIndex(key), seen)
		}
	case reflect.Pointer, reflect.Interface:
		if v.Kind() == reflect.Pointer {
			if seen[v.UnsafePointer()] {
				return
			}
			seen[v.UnsafePointer()] = true
		}
		dropZeros(v.Elem(), seen)
	case reflect.Struct:
		if v.Type().PkgPath() == "sync/atomic" && strings.HasPrefix(v.Type().Name(), "Pointer[") {
			p := reflect.NewAt(v.Type(), v.Addr().UnsafePointer())
			if to := p.MethodByName("Load").Call(nil)[0]; !to.IsNil() && to.Elem().IsZero() {
				p.Elem().SetZero()
			}
			return
		}
		for i := range v.NumField() {
			dropZeros(v.Field(i), seen)
		}
	}
}

// known are methods of interfaces of the standard library, those of package hidden, and others without
// output.
var known = []string{
	"NonceSize", "Overhead", "Seal", "Open", "XORKeyStream", "CryptBlocks", "BlockSize", "SetIV",
	"Write", "Sum", "Reset", "Size", "Clone", "Wipe", "Format", "String", "GoString",
	"OpenDeterministic", // with the method that seals
}

// methods does everything with the exported methods of an object that are not known.
func (u *uses) methods(of string, x any) {
	v := reflect.ValueOf(x)
	for i := range v.NumMethod() {
		if name := v.Type().Method(i).Name; !slices.Contains(known, name) {
			u.method(strings.TrimPrefix(of+"."+name, "."), v.Method(i))
		}
	}
}

func (u *uses) method(name string, method reflect.Value) {
	text, out, tweak := u.Text, make([]byte, len(u.Text)), (*[16]byte)(u.IV)
	call := func(f func()) {
		if len(text) >= 16 {
			f()
			u.outputs[name] = out
		}
	}
	switch f := method.Interface().(type) {
	case func(dst, src []byte):
		call(func() { f(out, text[:len(text)&^15]) })
	case func(dst, src []byte, sector uint64):
		call(func() { f(out, text, uint64(u.Split)) })
	case func(dst, src []byte, tweak *[16]byte):
		call(func() { f(out, text, tweak) })
	case func(dst, src, iv []byte, variant int):
		call(func() { f(out, text, u.IV, 1+u.Split%3) })
	case func(dst, key []byte) ([]byte, error):
		if u.secret && strings.Contains(name, "Unwrap") {
			break
		}
		out, err := f(nil, text[:len(text)&^7])
		if err != nil {
			out = []byte(err.Error())
		}
		u.outputs[name] = out
	case func(iv []byte) cipher.Stream:
		u.made(name, f(u.IV))
	case func(iv []byte) cipher.BlockMode:
		u.made(name, f(u.IV))
	case func(tweak *[16]byte, gb bool) cipher.BlockMode:
		u.made(name, f(tweak, false))
		u.made(name+" of GB", f(tweak, true))
	case func(dst, plaintext []byte, data ...[]byte) []byte:
		u.outputs[name] = f(nil, text, u.Data, u.IV, u.Data)
	default:
		if !u.constructor(name, method) {
			u.t.Errorf("%s: package conformance cannot call a %T, so it is not tested", name, f)
		}
	}
}

// constructor calls a method that returns a MAC, or an object or an error: for a key, or for the sizes of
// nonce and tag. It uses some of what is valid. If it is not such a method, it returns false.
func (u *uses) constructor(name string, method reflect.Value) bool {
	t := method.Type()
	key, size := reflect.TypeFor[[]byte](), reflect.TypeFor[int]()
	if t.NumIn() == 0 && t.NumOut() == 1 && t.Out(0).Implements(reflect.TypeFor[hash.Hash]()) {
		u.made(name, method.Call(nil)[0].Interface())
		return true
	}
	if t.NumOut() != 2 || t.Out(1) != reflect.TypeFor[error]() {
		return false
	}
	valid, names := map[string]any{}, []string(nil)
	try := func(what string, arguments ...reflect.Value) {
		if results := method.Call(arguments); results[1].IsNil() {
			valid[what] = results[0].Interface()
			names = append(names, what)
		}
	}
	switch n := u.Split; {
	case t.NumIn() == 1 && t.In(0) == key:
		for _, n := range []int{16, 24, 32, 48, 64} {
			try(fmt.Sprint(8*n), reflect.ValueOf(u.Key[:n]))
		}
		if len(names) > 0 {
			names = names[n%len(names):][:1]
		}
	case t.NumIn() == 2 && t.In(0) == size && t.In(1) == size:
		for _, s := range [][2]int{{12, 16}, {7 + n%7, 4 + n%7*2}, {1 + n%16, 12 + n%5}} {
			try(fmt.Sprint(s), reflect.ValueOf(s[0]), reflect.ValueOf(s[1]))
		}
	default:
		return false
	}
	if len(names) == 0 {
		u.t.Errorf("%s: no argument that package conformance has is valid", name)
	}
	for _, what := range names {
		if t.Out(0) == reflect.TypeFor[cipher.Block]() { // the same object as of another method
			u.objects[name+what] = valid[what]
		} else {
			u.made(name+what, valid[what])
		}
	}
	return true
}

// made does everything with an object.
func (u *uses) made(name string, x any) {
	u.objects[name] = x
	cut, whole := min(u.Split, len(u.Text)), len(u.Text)&^15
	half := cut &^ 15
	switch x := x.(type) {
	case cipher.AEAD:
		u.seal(name, x)
	case cipher.Stream:
		out := make([]byte, len(u.Text))
		x.XORKeyStream(out, u.Text[:cut])
		x.XORKeyStream(out[cut:], u.Text[cut:])
		u.outputs[name] = out
	case cipher.BlockMode:
		out := make([]byte, whole)
		x.CryptBlocks(out, u.Text[:half])
		x.CryptBlocks(out[half:], u.Text[half:whole])
		u.outputs[name] = out
	case hash.Hash:
		x.Write(u.Text[:cut])
		x.Write(u.Text[cut:])
		u.outputs[name] = x.Sum(nil)
	}
	if public(x) {
		u.methods(name, x)
	}
}

func (u *uses) seal(name string, a cipher.AEAD) {
	nonce := u.IV[:a.NonceSize()]
	if len(nonce) == 13 && len(u.Text) >= 1<<16 { // too long for CCM
		return
	}
	sealed := a.Seal(nil, nonce, u.Text, u.Data)
	if len(nonce) > 0 {
		u.outputs[name] = sealed
	}
	if u.secret {
		return
	}
	opened, err := a.Open(nil, nonce, sealed, u.Data)
	if err != nil || !bytes.Equal(opened, u.Text) {
		u.t.Errorf("%s does not open its own message of %d bytes: %v", name, len(u.Text), err)
	}
	if s, ok := a.(deterministic); ok {
		opened, err := s.OpenDeterministic(nil, s.SealDeterministic(nil, u.Text, u.Data), u.Data)
		if err != nil || !bytes.Equal(opened, u.Text) {
			u.t.Errorf("%s does not open its own message without a nonce: %v", name, err)
		}
	}
}

// deterministic is SIV without a nonce.
type deterministic interface {
	SealDeterministic(dst, plaintext []byte, data ...[]byte) []byte
	OpenDeterministic(dst, ciphertext []byte, data ...[]byte) ([]byte, error)
}
