package kcapi

import (
	"fmt"
	"io"
	"strconv"
)

// A Key is a key, or a reference to one in Linux's keyring. The zero value is no key.
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

// Bytes returns a key with these bytes. It does not copy them: Linux receives them
// when the object is opened, and this package does not use them afterwards.
func Bytes(key []byte) Key { return Key{kind: keyBytes, bytes: key} }

// Serial returns the key with this serial number in Linux's keyring. It must be of
// type user, logon, encrypted or trusted, and the process needs search permission
// for it. Its bytes are copied inside Linux when the object is opened: revoking the
// key later does not stop the object. Serial needs Linux 6.2.
func Serial(id int32) Key { return Key{kind: keySerial, serial: id} }

// String describes the key without revealing its bytes.
func (k Key) String() string {
	switch k.kind {
	case keyBytes:
		return "key of " + strconv.Itoa(len(k.bytes)) + " bytes"
	case keySerial:
		return "key with the serial " + strconv.Itoa(int(k.serial))
	}
	return "no key"
}

// Format prints the result of String for all verbs.
func (k Key) Format(s fmt.State, _ rune) { io.WriteString(s, k.String()) }

// GoString returns the same as String.
func (k Key) GoString() string { return k.String() }
