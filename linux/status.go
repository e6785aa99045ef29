package linux

import (
	"fmt"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/kcapi"
)

// A Use describes the use of Linux for an operation.
type Use struct {
	Algorithm string // "cbc(aes)"
	KeySize   int    // bytes; 0 for a hash
	Operation string // "encrypt", "decrypt", "seal", "open", "hash"

	Mode   Mode
	State  State
	Driver string // Linux's name for it, or "" if that is not known
	Engine bool   // the driver is believed to belong to an engine beside the CPU
	From   int    // minimum size, in bytes, of requests that go to Linux; 0 if none do
	Why    string // why Linux is not used, or ""

	// Model contains the measured times; it is zero until they are known.
	Model Model

	Calls    int64 // handled by Linux
	Bytes    int64
	Failures int64 // of both directions
}

// A Model describes the times of an operation, for n bytes in nanoseconds: A + B n with
// Linux's driver, and SoftA + SoftB n in software.
type Model struct{ A, B, SoftA, SoftB float64 }

func modelOf(c drivers.Crossover) Model { return Model{c.A, c.B, c.SoftA, c.SoftB} }

// A State is the state of an operation.
type State uint8

const (
	Disabled State = iota // the mode is Off
	Untried               // no request yet
	Trying                // being checked and measured
	InUse                 // long requests go to Linux, if From is not 0
	Paused                // after a failure, or for some requests because Linux was slower than software
	Unused                // see Why
	Planned               // no request yet; From is from the profile
)

func (s State) String() string {
	switch s {
	case Disabled:
		return "disabled"
	case Untried:
		return "untried"
	case Trying:
		return "being tried"
	case InUse:
		return "in use"
	case Paused:
		return "paused"
	case Unused:
		return "not used"
	case Planned:
		return "planned"
	}
	return "unknown"
}

// Status returns the state of every operation. It opens nothing: for operations that
// have not been tried, it returns the driver that would be used according to
// /proc/crypto, or why there is none.
func Status() []Use {
	p := current.Load()
	if p == nil {
		why := "neither CIPHERLANE=linux=engine nor Enable asks for it"
		if forbidden() {
			why = "CIPHERLANE=linux=off forbids it"
		}
		var list []Use
		for _, e := range newProvider(Off, system{}).list() {
			for _, o := range e.ops {
				list = append(list, Use{Algorithm: e.algorithm.name, KeySize: e.keySize, Operation: o.String(),
					State: Disabled, Why: why})
			}
		}
		return list
	}
	return p.status()
}

func (p *provider) status() []Use {
	var list []Use
	var env *kcapi.Environment
	for _, e := range p.list() {
		e.mu.Lock()
		for _, o := range e.ops {
			u := Use{
				Algorithm: e.algorithm.name, KeySize: e.keySize, Operation: o.String(),
				Mode: p.mode, Driver: e.driver, Engine: e.isEngine, Why: e.why,
				Calls: o.calls.Load(), Bytes: o.bytes.Load(), Failures: e.failures.Load(),
			}
			if m := o.found.Load(); m != nil {
				u.Model, u.From = modelOf(*m), m.From
			}
			switch e.state.Load() {
			case untried:
				u.State = Untried
				if env == nil {
					env = p.backend.environment()
				}
				_, r, why := choose(env, e.algorithm, p.mode)
				if why == "" && r.Driver == "" {
					r, _ = env.Winner(e.algorithm.socketType, e.algorithm.name)
				}
				u.Driver, u.Engine, u.Why = r.Driver, isEngine(env, r), why
				if c, ok := o.inProfile(p.crossovers(r.Driver), r.Driver); ok && why == "" {
					u.Model, u.From, u.State = modelOf(c), c.From, Planned
					if c.From == 0 {
						u.State, u.Why = Unused, verdict(u.Model)
					}
				}
			case preparing:
				u.State = Trying
			case ready:
				u.State = InUse
				switch {
				case u.From == 0:
					u.State, u.Why = Unused, verdict(u.Model)
				case o.resting != "":
					u.State, u.Why = Paused, o.resting
				}
			case paused:
				u.State = Paused
			default:
				u.State = Unused
			}
			list = append(list, u)
		}
		e.mu.Unlock()
	}
	return list
}

// tried returns a line for every operation with a driver that has been tried.
func tried() []string {
	var list []string
	if p := current.Load(); p != nil {
		for _, u := range p.status() {
			if u.Driver != "" && u.State != Untried && u.State != Planned {
				list = append(list, "linux: "+u.String())
			}
		}
	}
	return list
}

// String describes the state in one line, for people.
func (u Use) String() string {
	s := u.Algorithm
	if u.KeySize > 0 {
		s += fmt.Sprintf(", %d-bit keys", 8*u.KeySize)
	}
	s += ", " + u.Operation + ": " + u.State.String()
	if u.Driver != "" {
		s += ", " + u.Driver
	}
	if u.From > 0 {
		s += fmt.Sprintf(", from %d bytes on", u.From)
	}
	if u.Calls > 0 || u.State == InUse {
		s += fmt.Sprintf(", %d calls", u.Calls)
	}
	if u.Why != "" {
		s += ": " + u.Why
	}
	return s
}
