package kcapi

import (
	"strconv"
	"strings"
)

// diagnose refines the reason for a failure to open or bind a socket. Linux returns
// ENOENT for everything that it does not provide, whatever the cause. If the
// environment does not reveal more, r is returned unchanged.
func (e *Environment) diagnose(typ, name, call string, r Reason) (Reason, string) {
	switch call {
	case "socket":
		return e.noSocket(r)
	case "bind":
		if r == ErrNoAlgorithm {
			return e.noAlgorithm(typ, name)
		}
		if r == ErrSeccomp {
			return e.filtered()
		}
	}
	return r, ""
}

func (e *Environment) noSocket(r Reason) (Reason, string) {
	if r == ErrSeccomp {
		return e.filtered()
	}
	if r != ErrNoAFALG {
		return r, ""
	}
	switch e.AFALG.State {
	case Absent:
		return ErrNotCompiledIn, "AF_ALG"
	case Blocked:
		if e.Restrict == 2 {
			return ErrNotAllowed, "AF_ALG is closed"
		}
		return ErrModuleBlocked, e.AFALG.Why
	case Ready:
		if e.Seccomp == SeccompFilter {
			return ErrSeccomp, "a filter says that there is no AF_ALG"
		}
	case Loadable:
		return ErrNoAFALG, "Linux did not load module af_alg"
	}
	return ErrNoAFALG, ""
}

// filtered returns ErrSeccomp and what is likely to have refused the call.
func (e *Environment) filtered() (Reason, string) {
	switch {
	case e.Seccomp == SeccompFilter:
		return ErrSeccomp, "this process has a seccomp filter"
	case e.LSM != "":
		return ErrSeccomp, "this process is confined as " + strconv.Quote(e.LSM)
	}
	return ErrSeccomp, ""
}

func (e *Environment) noAlgorithm(typ, name string) (Reason, string) {
	part, ok := e.Types[typ]
	if !ok {
		return ErrNoAlgorithm, "sockets have no type " + strconv.Quote(typ)
	}
	switch part.State {
	case Absent:
		return ErrNotCompiledIn, "sockets of type " + typ
	case Blocked:
		return ErrModuleBlocked, part.Why
	}
	if !e.Allowed(name) {
		if !e.Privileged && e.withPrivileges().Allowed(name) {
			return ErrNotAllowed, "only with CAP_NET_ADMIN"
		}
		return ErrNotAllowed, ""
	}
	reason, detail := ErrNoAlgorithm, ""
	for _, r := range e.Algorithms {
		if r.Name != name && r.Driver != name {
			continue
		}
		switch {
		case !sockets(typ, r.Type):
			if detail == "" {
				detail = "it is listed as " + r.Type
			}
		case r.Internal:
			if detail == "" {
				detail = "it is for other drivers only"
			}
		case r.FIPS == "no":
			detail = "FIPS mode forbids it"
		case r.SelfTest != "passed":
			if reason != ErrMasked {
				reason, detail = ErrSelfTest, "not passed"
			}
		case e.HidesEngines && r.masked():
			reason, detail = ErrMasked, r.Driver
		}
	}
	if reason == ErrNoAlgorithm && detail == "" && part.State == Unknown && !strings.Contains(part.Why, "try") {
		detail = part.Why
	}
	return reason, detail
}

func (e *Environment) withPrivileges() *Environment {
	c := *e
	c.Privileged = true
	return &c
}

// Probe opens a socket of a type, binds it to the name of an algorithm or a
// driver, and closes it. It returns the same errors as the Open functions, with
// the most specific reason that the system reveals. The record is the driver's
// entry in /proc/crypto afterwards; it is empty if there is none or the file
// cannot be read.
//
// Linux may load modules for this and instantiate the template that the name
// describes, and the result stays registered: pass only names from your own program.
func Probe(typ, name string) (Record, error) {
	if !supported {
		return Record{}, &Error{Op: "open", Algorithm: name, Reason: ErrUnsupported}
	}
	if name == "" || len(name) > maxName || strings.IndexByte(name, 0) >= 0 || len(typ) > 13 {
		return Record{}, &Error{Op: "open", Algorithm: name, Reason: ErrNoAlgorithm, Detail: "no such name"}
	}
	call := "socket"
	fd, errno := newSocket()
	if errno == 0 {
		call = "bind"
		errno = bind(fd, typ, name)
		closeSocket(fd)
	}
	e := ReadEnvironment()
	if errno != 0 {
		err := &Error{Op: call, Algorithm: name, Errno: errno}
		err.Reason, err.Detail = classify(typ, name, call, errno)
		if err.Detail == "" {
			err.Reason, err.Detail = e.diagnose(typ, name, call, err.Reason)
		}
		return Record{}, err
	}
	r, _ := e.Winner(typ, name)
	return r, nil
}
