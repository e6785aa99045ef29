// Package linux lets packages aes and sm4 use the cryptography inside Linux,
// through package kcapi: drivers of crypto engines beside the CPU, where they are
// faster than this library. Using it takes two steps:
//
//	import _ "github.com/cipherlane/cipherlane/linux"
//
// links the code, and CIPHERLANE=linux=engine in the environment, or a call of
// [Enable], enables it; CIPHERLANE=linux=off overrides Enable. Then aes.New,
// aes.NewCipher, aes.NewXTS and their counterparts in sm4 return objects that send
// long messages in the modes CBC, CTR, XTS and GCM to Linux. They compute the same
// results as other objects, and fall back to software if Linux fails.
//
// # When it is worth it
//
// A call to Linux costs 10 to 50 µs before the first byte. On a CPU with
// instructions for AES, no engine comes close to this library. It is worth it on
// machines with an engine and a CPU without such instructions, such as the SpacemiT
// K1 and the SoCs of many routers, for messages of some kilobytes, and with Linux
// up to 7.1: later versions hide engines from programs ([kcapi.ErrMasked]). The
// command "cipherlane doctor" shows what a machine has.
//
// # How Linux is selected
//
// [Engine] selects drivers that look like those of an engine (kcapi.Engines). [Any]
// selects whatever driver Linux selects for the name of the algorithm, for
// comparisons and tests. Drivers that have passed Linux's self-test are preferred. One
// whose test is still pending, as it is shortly after a module was loaded, is used only
// if it passes.
//
// The first long request for an algorithm and a key size starts a check and a
// measurement in the background, which take a tenth of a second, or up to a second
// on a busy machine. Until they are done, everything is computed in software.
// [Prepare] waits for them.
//
// The check uses a known answer and compares random messages of many lengths with
// this library, in both directions, in place and between buffers, with forged tags
// for GCM. A driver that computes wrong results is not used, and driver.Warnings
// reports it. A missing driver causes no warning; [Status] has the reason.
//
// The measurement fits a model, a + b n for the time of n bytes, to Linux and to
// software, and determines the length from which Linux takes a tenth less time, if
// there is one. Both sides take turns, with pauses, and only the shortest times
// count, so that a busy machine gives the same result as an idle one. The result is
// not final: requests and new keys start up to six more measurements, the first after
// a second, the last 17 minutes after the one before, which can only improve on the
// shortest times. A profile written by "cipherlane tune" contains model and length,
// and replaces the measurement. [Status] returns the result and how many calls Linux
// has handled since.
//
// Shorter requests are computed in software. In CBC and CTR longer ones are split
// into pieces of 64 KiB; XTS and GCM messages cannot be split, and are computed in
// software if they are longer than that. A key is opened in Linux as soon as a message
// arrives for which opening and computing in Linux take a tenth less time than
// software, so it pays off even with a new key for every message. Otherwise it is
// opened once software has worked with it for forty times as long as opening takes,
// so that keys for a few short messages are not slowed down. At most 16 calls are in
// Linux at a time; other calls are computed in software. If recent calls took longer
// than software would have taken under the same load, because other programs use the
// engine, Linux is not used for a while.
//
// # When it fails
//
// A call that fails, or does not return within two seconds, is repeated in software,
// from the unmodified message. The driver is not used for a second, and must then
// pass the check again. The pause doubles with every failure, up to about a minute,
// and after repeated failures the driver is not used any more. A forged message is
// not a failure: Linux's verdict on the tag counts.
//
// A driver that passes its check and computes wrong results later is not detected.
// If that would be a disaster, use GCM, whose receivers would notice, or software.
//
// A seccomp filter that kills the process instead of refusing the call cannot be
// handled: do not enable this package under such a filter.
//
// # What it costs
//
// An object that may use Linux keeps a copy of its key until it is wiped, in addition
// to the round keys, which reveal the key anyway. It has sockets, with Linux's copy of
// the key. They are closed by Wipe, by the garbage collector, or when other keys need
// them: at most 32 combinations of key and mode are open at a time. Child processes do
// not inherit the sockets.
//
// Programs that do not import this package do not link it or package kcapi, and their
// calls are not slower.
package linux
