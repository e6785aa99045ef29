// Package linux lets packages aes and sm4 use the cryptography inside Linux,
// through package kcapi: drivers of crypto engines beside the CPU, where they are
// quicker than this library. A program asks for it twice:
//
//	import _ "github.com/cipherlane/cipherlane/linux"
//
// links the code, and CIPHERLANE=linux=engine in its environment, or [Enable],
// puts it in use; CIPHERLANE=linux=off forbids both. Then aes.New, aes.NewCipher, aes.NewXTS and those of sm4 return
// objects that send long messages in the modes CBC, CTR, XTS and GCM to Linux.
// They compute the same as others, and go on in software whatever happens in
// Linux.
//
// # When it is worth it
//
// A call costs Linux 10 to 50 µs before the first byte. On a CPU that has
// instructions for AES no engine comes near to this library. It is worth it where
// there is an engine and a CPU that lacks them, such as SpacemiT K1 and the SoCs
// of many routers, for messages of some kilobytes, and up to Linux 7.1: later
// versions hide engines from programs ([kcapi.ErrMasked]). The command
// "cipherlane doctor" tells what there is.
//
// # How it is decided
//
// [Engine] takes what looks like the driver of an engine (kcapi.Engines), and
// [Any] whatever Linux gives for the name of the algorithm, to compare and to
// test. A driver that Linux itself has not tested yet, as soon after a module was
// loaded, is taken when that test has passed.
//
// The first long request for an algorithm and a size of keys starts, in the
// background, a check and a measurement, which take a tenth of a second, or up to
// a second on a busy machine; until they are done all is software. [Prepare] waits for
// them.
//
// The check has a known answer and compares random messages of many lengths with
// this library, in both directions, in place and not, with forged tags for GCM. A
// driver that is wrong is not used, and driver.Warnings says so. One that is
// absent is no reason to complain; [Status] has the reason.
//
// The measurement gives a time a + b n for n bytes, with Linux and without, and
// the length from which on Linux takes a tenth less, if there is one. Both sides take
// turns, with pauses, and the shortest times count, so that a busy machine gives
// the answer of a quiet one. The answer is not final: requests and new keys start up to six
// more measurements, the first after a second, the last after 17 minutes more, which
// only improve on the shortest times. A profile
// written by "cipherlane tune" brings model and length along and is not doubted.
// [Status] has what was found and how many calls Linux got since.
//
// Shorter requests are software.
// Longer ones are cut into pieces of 64 KiB in CBC and CTR; above that XTS and GCM,
// which cannot be cut, are software. A key is opened in Linux for a message for which
// that and Linux take a tenth less than software, so that a new key for every
// message is no obstacle; or else when software has worked with it forty times as
// long as opening takes, so that keys for a few short messages are not slowed down.
// At most 16 calls are in Linux at a time; others are software
// meanwhile. When calls have lately taken longer than software takes at that
// time, because others use the engine, Linux is left alone for a while.
//
// # When it fails
//
// A call that fails, or does not answer in two seconds, is done again in software,
// from a message that is still whole, and the driver is left alone for a second;
// then it has to pass the check again. Each time this takes twice as long, and
// after some times it is for good. A forged message is no failure: it is what Linux
// says it is.
//
// What cannot be seen is a driver that has passed its check and computes something
// else later. Where that would be a disaster, use GCM, whose receivers would
// notice, or software.
//
// A seccomp filter that kills the process instead of refusing the call cannot be
// survived: do not enable this under one.
//
// # What it costs
//
// An object that may go to Linux has a copy of its key until it is wiped, beside the
// round keys, which tell as much. It has sockets, with Linux's copy of the key,
// that its Wipe closes, or the garbage collector, or the key that needs them more:
// 32 keys and modes are open at a time at most. No program that this one starts
// gets any of them.
//
// In programs that do not import this package, no code of it or of package kcapi is
// linked, and no call is slower.
package linux
