package kcapi

import (
	"fmt"
	"io"
	"strconv"
)

// A Key is a key, or says where Linux finds it. The zero value is no key.
type Key struct {
	kind   keyKind
	bytes  []byte
	serial int32
}

type keyKind uint8

const (
	noKey keyKind = iota
	keyBytes
	keySerial
)

// Bytes is a key of these bytes. They are not copied: Linux gets them when the
// object is opened, and nothing here refers to them afterwards.
func Bytes(key []byte) Key { return Key{kind: keyBytes, bytes: key} }

// Serial is the key with this serial number in Linux's keyring, of the type
// user, logon, encrypted or trusted; the process must have the permission to
// search it. Its bytes are copied inside Linux when the object is opened:
// revoking the key later does not stop the object. It needs Linux 6.2.
func Serial(id int32) Key { return Key{kind: keySerial, serial: id} }

// String tells the kind of the key and never its bytes.
func (k Key) String() string {
	switch k.kind {
	case keyBytes:
		return "key of " + strconv.Itoa(len(k.bytes)) + " bytes"
	case keySerial:
		return "key with the serial " + strconv.Itoa(int(k.serial))
	}
	return "no key"
}

// Format is String for all verbs.
func (k Key) Format(s fmt.State, _ rune) { io.WriteString(s, k.String()) }

// GoString is String, so that %#v does not show the bytes either.
func (k Key) GoString() string { return k.String() }
