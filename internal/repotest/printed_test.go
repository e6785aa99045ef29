package repotest

import (
	"bytes"
	"crypto/cipher"
	"encoding"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"log/slog"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/chunked"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/internal/hidden"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// withKeys are the packages whose types may contain keys.
var withKeys = []string{"aes", "sm4", "sm3", "sm2", "chacha20", "chacha20poly1305", "frodokem", "chunked", "internal/modes"}

// notSecret are types with unexported fields that contain no secrets.
var notSecret = map[string]string{
	"aes.Driver": "a number", "sm4.Driver": "a number", "sm3.Driver": "a number", "sm2.Driver": "a number",
	"chacha20.Driver": "a number", "chacha20poly1305.Driver": "a number", "frodokem.Driver": "a number",
	"sm2.PublicKey": "public", "frodokem.EncapsulationKey": "public",
	"modes.GCMSIVPool": "functions",
	"modes.CCMLane":    "for packages aes and sm4, which do not show it",
	"modes.Many":       "functions and pools",
	"modes.ManyWork":   "for packages aes and sm4, which do not show it",
	"modes.CCMWork":    "for packages aes and sm4, which do not show it",
	"modes.Schedule":   "numbers of blocks",
	"modes.CCM":        "behind a pointer of the type CCM of packages aes and sm4",
	"modes.XTS":        "behind a pointer of the type XTS of packages aes and sm4",
	"modes.SIV":        "the type SIV of packages aes and sm4",
	"modes.GCMSIV":     "the type GCMSIV of packages aes and sm4",
	"modes.MAC":        "the type MAC of packages aes and sm4",

	"modes.RandomNonce": "the type GCMWithRandomNonce of packages aes and sm4",

	"aes.bulk":       "a Cipher",
	"aes.laneKernel": "zero between calls",
	"sm4.lanes":      "memory of a call, behind modes.ManyWork",
	"sm4.laneKernel": "memory of a call, behind modes.ManyWork",
	"sm4.bulk":       "a Cipher",
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// secrets returns an object of every type that contains secrets, after some use.
func secrets() []any {
	key := make([]byte, 64)
	for i := range key {
		key[i] = byte(151*i + 113)
	}
	k16, k32, iv := key[:16], key[:32], key[30:46]
	text := bytes.Repeat([]byte("a plaintext that nobody is to see "), 100)
	a, s := must(aes.New(k32)), must(sm4.New(k16))
	list := []any{
		a, must(a.NewGCM(12, 16)), must(a.NewCCM(12, 16)), must(aes.NewXTS(k32)), must(aes.NewGCMSIV(k32)), must(aes.NewSIV(k32)), must(aes.NewGCMWithRandomNonce(k32)), must(sm4.NewGCMWithRandomNonce(k16)),
		s, must(s.NewGCM(12, 16)), must(s.NewCCM(12, 16)), must(sm4.NewXTS(k32)), must(sm4.NewXTSGB(k32)), must(sm4.NewGCMSIV(k16)), must(sm4.NewSIV(k32)), must(sm4.NewHCTR(k32)),
		a.NewCMAC(), must(aes.NewXCBC(k16)), s.NewCMAC(), s.NewCBCMAC(), must(sm4.NewXCBC(k16)), sm3.New(), sm3.NewHMAC(k32),
		a.NewCTR(iv), a.NewCFBEncrypter(iv), a.NewCFBDecrypter(iv), a.NewOFB(iv), a.NewCBCEncrypter(iv), a.NewCBCDecrypter(iv),
		s.NewCTR(iv), s.NewCFBEncrypter(iv), s.NewCFBDecrypter(iv), s.NewOFB(iv), s.NewCBCEncrypter(iv), s.NewCBCDecrypter(iv),
		a.NewXTSEncrypter((*[16]byte)(iv), false), s.NewXTSDecrypter((*[16]byte)(iv), true),
		s.NewBCEncrypter(iv), s.NewBCDecrypter(iv), s.NewOFBNLFEncrypter(iv), s.NewOFBNLFDecrypter(iv),
		must(chacha20.NewUnauthenticatedCipher(k32, iv[:12])), must(chacha20poly1305.New(k32)), must(chacha20poly1305.NewX(k32)),
		must(frodokem.FrodoKEM640SHAKE.GenerateKey()),
	}
	for _, name := range slices.Sorted(maps.Keys(driversOf)) { // round keys have other forms
		list = append(list, driversOf[name](k32)...)
	}
	d := must(sm2.NewPrivateKey(k32))
	must(d.Sign(nil, k32, nil))
	x := must(sm2.NewExchange(d, nil, d.PublicKey(), nil, true))
	must(x.Agree(d.PublicKey().Bytes(), 32))
	list = append(list, d, x, must(sm2.NewExchange(d, nil, d.PublicKey(), nil, false)))

	var sealed bytes.Buffer
	w := must(chunked.NewWriter(&sealed, chunked.SM4GCM(), k16, nil))
	w.Write(text)
	w.Close()
	w = must(chunked.NewWriter(new(bytes.Buffer), chunked.SM4GCM(), k16, nil))
	r := must(chunked.NewReader(bytes.NewReader(sealed.Bytes()), chunked.SM4GCM(), k16, nil))
	ra := must(chunked.NewReaderAt(bytes.NewReader(sealed.Bytes()), int64(sealed.Len()), chunked.SM4GCM(), k16, nil))
	must(w.Write(text))
	must(r.Read(make([]byte, 10)))
	must(ra.ReadAt(make([]byte, 10), 3))
	list = append(list, w, r, ra)

	for _, o := range list {
		switch o := o.(type) {
		case interface{ Write([]byte) (int, error) }:
			o.Write(text[:45])
		case cipher.Stream:
			o.XORKeyStream(make([]byte, 37), text[:37])
		case cipher.BlockMode:
			o.CryptBlocks(make([]byte, 64), text[:64])
		}
	}
	return list
}

// driversOf creates ciphers with the drivers of a package.
var driversOf = map[string]func(key []byte) []any{
	"aes": func(key []byte) (list []any) {
		for _, i := range aes.Drivers() {
			if d, err := aes.On(i.Name); err == nil {
				list = append(list, must(d.New(key)), must(d.NewGCM(key)))
			}
		}
		return list
	},
	"sm4": func(key []byte) (list []any) {
		for _, i := range sm4.Drivers() {
			if d, err := sm4.On(i.Name); err == nil {
				list = append(list, must(d.New(key[:16])), must(d.NewGCM(key[:16])))
			}
		}
		return list
	},
}

// Printing or encoding a value must not show the contents of a key, or of an object
// derived from one: neither as a pointer, nor as a value, nor in another struct.
func TestKeysAreNotPrinted(t *testing.T) {
	tested := map[string]bool{}
	for _, o := range secrets() {
		v := reflect.ValueOf(o)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		tested[v.Type().String()] = true
		for _, said := range shown(o) {
			t.Errorf("%T: %s", o, said)
		}
		for _, verb := range verbs {
			for _, x := range []any{o, v.Interface()} {
				if got := fmt.Sprintf(verb, x); got != hidden.Text {
					t.Errorf("%T: %s prints %.200s", x, verb, got)
				}
			}
		}
	}
	all := candidates(t)
	for name := range notSecret {
		if !slices.Contains(all, name) {
			t.Errorf("%s is in the list of those with nothing to hide, and need not be", name)
		}
	}
	for _, name := range all {
		if !tested[name] && notSecret[name] == "" {
			t.Errorf("%s is not among those that are tested, nor in the list of those with nothing to hide", name)
		}
		if tested[name] && notSecret[name] != "" {
			t.Errorf("%s is tested, although it is said to have nothing to hide", name)
		}
	}
}

// Types without protection are detected.
func TestPrintedMutant(t *testing.T) {
	type words struct{ state [8]uint32 }
	w := new(words)
	for i := range w.state {
		w.state[i] = 0x9e3779b9 * uint32(i+1)
	}
	type Encoded struct{ Key []byte }
	for _, o := range []any{
		&struct{ key [16]byte }{[16]byte([]byte("0123456789abcdef"))},
		w,
		&Encoded{[]byte("0123456789abcdef")},
	} {
		if len(shown(o)) == 0 {
			t.Errorf("%T has no protection, and nobody notices", o)
		}
	}
}

var verbs = []string{"%v", "%+v", "%#v", "%x", "%X", "%d", "%s", "%q", "%b", "%o", "%O", "%c", "%U", "%e", "%g", "%t", "%20v", "%-5.3d"}

// shown returns descriptions of all outputs that reveal numbers in an object, which is
// a pointer.
func shown(o any) (list []string) {
	v := reflect.ValueOf(o)
	indirect := reflect.New(v.Type())
	indirect.Elem().Set(v)
	fields := []reflect.StructField{{Name: "Pointer", Type: v.Type()}, {Name: "Any", Type: reflect.TypeFor[any]()}, {Name: "hidden", PkgPath: "user", Type: v.Type()}}
	user := reflect.New(reflect.StructOf(append(fields, reflect.StructField{Name: "Value", Type: v.Type().Elem()})))
	user.Elem().Field(0).Set(v)
	user.Elem().Field(1).Set(v)
	user.Elem().FieldByName("Value").Set(v.Elem())
	needles := needles(v)
	check := func(what, output string) {
		for _, n := range needles {
			if strings.Contains(strings.ToLower(output), n) {
				list = append(list, fmt.Sprintf("%s shows %q", what, n))
				return
			}
		}
	}
	for name, x := range map[string]any{
		"a pointer": o, "a value": v.Elem().Interface(), "a pointer to a pointer": indirect.Interface(),
		"a struct": user.Elem().Interface(), "a pointer to a struct": user.Interface(), "a slice": []any{o}, "a map": map[string]any{"key": o},
	} {
		for _, verb := range verbs {
			check(verb+" of "+name, fmt.Sprintf(verb, x))
		}
		check("Println of "+name, fmt.Sprintln(x))
		var b bytes.Buffer
		log.New(&b, "", 0).Print(x)
		slog.New(slog.NewTextHandler(&b, nil)).Info("message", "key", x)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("message", "key", x)
		check("a log of "+name, b.String())
		for encoder, encode := range map[string]func(any) error{
			"json": json.NewEncoder(&b).Encode,
			"xml":  xml.NewEncoder(&b).Encode,
			"gob":  gob.NewEncoder(&b).Encode,
		} {
			if _, ok := o.(encoding.BinaryMarshaler); ok && encoder == "gob" {
				continue // a hash is marshaled with its state on purpose
			}
			b.Reset()
			err := encode(x) // most cannot
			check(encoder+" of "+name, b.String()+fmt.Sprint(err))
		}
	}
	return list
}

// needles returns strings that reveal the numbers of an object if they occur in an
// output: consecutive numbers in several formats.
func needles(v reflect.Value) (list []string) {
	for _, numbers := range arrays(v, map[uintptr]bool{}) {
		for i := 0; i+3 <= len(numbers.list); i++ {
			three := numbers.list[i : i+3]
			if slices.Min(three) < 10 { // found everywhere
				continue
			}
			for _, format := range []string{"%d %d %d", "%d, %d, %d", "%d,%d,%d", "%x %x %x", "%#x, %#x, %#x", "%o %o %o", "%b %b %b"} {
				list = append(list, fmt.Sprintf(format, three[0], three[1], three[2]))
			}
			if numbers.size == 1 {
				b := []byte{byte(three[0]), byte(three[1]), byte(three[2])}
				if i+8 <= len(numbers.list) {
					for _, x := range numbers.list[i+3 : i+8] {
						b = append(b, byte(x))
					}
					list = append(list, fmt.Sprintf("%x", b), fmt.Sprintf("% x", b), strings.ToLower(string(b)))
					if i%3 == 0 {
						list = append(list, strings.ToLower(base64.RawStdEncoding.EncodeToString(b)[:10]))
					}
				}
			}
			if len(list) > 2000 {
				break
			}
		}
	}
	return list
}

type numbers struct {
	list []uint64
	size int // bytes of each
}

// arrays returns the arrays and slices of numbers reachable from an object.
func arrays(v reflect.Value, seen map[uintptr]bool) (list []numbers) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return nil
		}
		seen[v.Pointer()] = true
		return arrays(v.Elem(), seen)
	case reflect.Interface:
		if !v.IsNil() {
			return arrays(v.Elem(), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, arrays(v.Field(i), seen)...)
		}
	case reflect.Array, reflect.Slice:
		switch v.Type().Elem().Kind() {
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			n := numbers{size: int(v.Type().Elem().Size())}
			for i := range min(v.Len(), 200) {
				n.list = append(n.list, v.Index(i).Uint())
			}
			return []numbers{n}
		}
		for i := range min(v.Len(), 20) {
			list = append(list, arrays(v.Index(i), seen)...)
		}
	}
	return list
}

// candidates returns the types of the packages that may contain secrets: those with
// Wipe, those that encrypt or authenticate, and exported ones with unexported fields.
func candidates(t *testing.T) []string {
	working := []string{"Wipe", "XORKeyStream", "CryptBlocks", "Seal", "Sum"}
	found := map[string]bool{}
	for _, name := range files(t, ".go") {
		dir := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || !slices.Contains(withKeys, dir) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "../../"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || !slices.Contains(working, d.Name.Name) {
					continue
				}
				receiver := d.Recv.List[0].Type
				if p, ok := receiver.(*ast.StarExpr); ok {
					receiver = p.X
				}
				found[f.Name.Name+"."+receiver.(*ast.Ident).Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s, ok := spec.(*ast.TypeSpec)
					if !ok || !s.Name.IsExported() {
						continue
					}
					fields, ok := s.Type.(*ast.StructType)
					if ok && slices.ContainsFunc(fields.Fields.List, func(f *ast.Field) bool {
						return len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
					}) {
						found[f.Name.Name+"."+s.Name.Name] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
