// Package kcapi uses the cryptography inside the Linux kernel, through sockets
// of the family AF_ALG: hashes and MACs, ciphers, AEADs and random generators.
//
//	aead, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(key), 16)
//	if err != nil {
//		return err // errors.Is(err, kcapi.ErrNoAFALG) and others give the reason
//	}
//	defer aead.Close()
//	sealed, err := aead.Seal(nil, nonce, plaintext, additionalData)
//
// # When to use it
//
// Hardly ever for speed. A message costs two system calls, and Linux copies it
// on the way in, so software is faster on a CPU with instructions for the
// algorithm. There are two reasons to use it: a crypto engine beside a CPU
// without such instructions, which Linux offers to programs up to version 7.1
// only, and keys that stay in Linux's keyring and never enter the memory of the
// program ([Serial]). Linux's own documentation calls the interface deprecated,
// and many systems restrict or forbid it: a program must be able to work
// without it.
//
// # Names
//
// Algorithms have Linux's names. For the name of an algorithm, such as "sha256"
// or "cbc(aes)", Linux selects the driver with the highest priority; the name of
// a driver, such as "cbc-aes-aesni", selects that driver. Linux may load modules
// for a name and instantiate the template that it describes, and the result
// stays registered for the whole system: names must come from the program, never
// from its input.
//
// # Go's interfaces
//
// [Hash.NewHash], [Cipher.NewBlock], [Cipher.NewEncrypter], [Cipher.NewDecrypter],
// [Cipher.NewStream] and [AEAD.NewAEAD] return a hash.Hash, cipher.Block,
// cipher.BlockMode, cipher.Stream and cipher.AEAD that compute in Linux. Most methods
// of those interfaces cannot return an error, but Linux can fail: then they panic with
// an [*Error]. The documentation of each function has the details. Misuse, such as
// overlapping buffers, panics with a string, as in the standard library. The values
// use the object that they were made from: do not close it before you are done with them.
//
// # Sockets
//
// An object has one socket with the algorithm and the key, and a pool of sockets
// for operations. Close closes them all, or a cleanup does once the object is
// unreachable. Child processes do not inherit them. Nothing happens when the
// package is initialised. Messages are sent and received without blocking, so
// no call waits for data that will never be sent. There remains the time that
// a driver takes: see [Timeout].
//
// For messages of up to 2 KiB, the system calls bypass Go's scheduler if
// /proc/crypto lists the driver as synchronous and there is no Timeout: no other
// goroutine runs in place of the caller. /proc/crypto is read when a name is
// opened for the first time.
//
// [Hash], [Cipher], [AEAD], [RNG], [Block] and what NewAEAD returns are safe for
// concurrent use; states, modes and streams must be used by one goroutine at a time.
//
// # Errors
//
// Failures of Linux and invalid arguments are reported as an [*Error], and
// errors.Is matches its [Reason]. Except through Go's interfaces, no input makes
// this package panic.
//
// On systems other than Linux, and in programs built with the tag nokernel, every
// Open function returns [ErrUnsupported] unless its arguments are invalid.
package kcapi
