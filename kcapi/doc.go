// Package kcapi uses the cryptography inside the Linux kernel, through sockets
// of the family AF_ALG: hashes and MACs, ciphers, AEADs and random generators.
//
//	aead, err := kcapi.OpenAEAD("gcm(aes)", kcapi.Bytes(key), 16)
//	if err != nil {
//		return err // errors.Is(err, kcapi.ErrNoAFALG) and others tell why
//	}
//	defer aead.Close()
//	sealed, err := aead.Seal(nil, nonce, plaintext, additionalData)
//
// # When to use it
//
// Hardly ever for speed. A message costs two system calls and Linux copies it
// on the way in, so that a CPU with instructions for an algorithm is quicker
// without. There are two reasons: a crypto engine beside a CPU that has no
// such instructions, which Linux offers here up to version 7.1 only, and keys
// that live in Linux's keyring and never in the memory of the program
// ([Serial]). Linux's own documentation calls the interface deprecated, and
// many systems restrict or forbid it: a program has to work without.
//
// # Names
//
// An algorithm has Linux's name, such as "sha256" or "cbc(aes)", and Linux
// takes the implementation of the highest priority; the name of a driver, such
// as "cbc-aes-aesni", takes that one. Linux may load modules for a name and
// build what a template describes, and what it has built stays for the whole
// system: names must come from the program, never from its input.
//
// # Go's interfaces
//
// [Hash.NewHash], [Cipher.NewBlock], [Cipher.NewEncrypter], [Cipher.NewDecrypter],
// [Cipher.NewStream] and [AEAD.NewAEAD] return what Linux computes as a hash.Hash,
// cipher.Block, cipher.BlockMode, cipher.Stream and cipher.AEAD. Those interfaces know
// no errors for most of what they do, and Linux can fail: then they panic with an
// [*Error], for which the documentation of each function has the details. Misuse,
// such as buffers that overlap, panics with a text, as in the standard library.
// They use the object that they come from until its Close.
//
// # What it does with sockets
//
// An object has one socket that holds algorithm and key, and a pool of
// sockets for operations, all closed by Close, or by the garbage collector
// when the object is forgotten; none passes to programs that this one starts.
// Nothing happens when the package is initialised. Every system call is told
// not to wait, so that none waits for data which nobody is going to send. What
// remains is the time that a driver takes: see [Timeout].
//
// Go's runtime is not told of the system calls of messages of up to 2 KiB, if
// /proc/crypto says that the driver is synchronous and there is no Timeout:
// other goroutines do not run in their place. /proc/crypto is asked when a name is
// opened for the first time.
//
// [Hash], [Cipher], [AEAD], [RNG], [Block] and what NewAEAD returns are safe for
// concurrent use; states, modes and streams are for one goroutine at a time.
//
// # Errors
//
// Functions return an [*Error]; errors.Is tells its [Reason]. What this
// package is given as data never makes it panic.
//
// Other systems than Linux, and programs built with the tag nokernel, get
// [ErrUnsupported] from every Open function that is called as it should be.
package kcapi
