package prove

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// executions are how many random inputs a case has when it is executed.
const executions = 4

// known are bits with values. What is unknown is chosen by its name.
type known struct {
	machine.Concrete
	seed int
}

func (k known) Unknown(name string) machine.Bit {
	h := fnv.New64a()
	fmt.Fprint(h, k.seed, name)
	return machine.Bit(h.Sum64() >> 40 & 1)
}

// visits reports whether a kernel executes what a fault changes. Which way it goes depends on public
// values only, but for a few contracts, so that an example shows it.
func (c *Case) visits(f *Fault) bool {
	if f.symbol != "" {
		return true
	}
	seen, p := NewCoverage(c.Kernel), c.start(limits)
	p.Known = true
	p.Do(func() error { return p.prove(nil, seen) }) // a wrong result does not matter
	for pc := range f.instructions {
		if pc >= 0 && seen.next[pc] != nil {
			return true
		}
	}
	return seen.last >= 0 || seen.Count() == 0 // it has not come to the end
}

// executed runs a kernel with and without a fault on random values of the inputs, and returns an error if there is
// something else in memory.
func (c *Case) executed(fault *Fault) error {
	p := c.start(limits)
	return p.Do(func() (err error) {
		k := c.Kernel
		if p.machine, err = machine.New(k.arch, k.source, k.Name, p.logic()); err != nil {
			return err
		}
		p.setVectors(p.machine)
		contracts[c.Contract](p)
		for seed := range executions {
			right, results, err := p.execute(nil, seed)
			if err != nil {
				return fmt.Errorf("without a fault: %w", err)
			}
			other, otherResults, err := p.execute(fault, seed)
			if err != nil {
				return err
			}
			for name := range p.results {
				if !slices.Equal(results[name].Bits, otherResults[name].Bits) {
					return fmt.Errorf("%s: %s is another result for random inputs %d", c, name, seed)
				}
			}
			for i, o := range p.objects {
				if p.free[o] {
					continue
				}
				l := known{seed: seed}
				for _, at := range append(right[i].Written(), other[i].Written()...) {
					a, b := right[i].Get(l, at, 1), other[i].Get(l, at, 1)
					if a.Object == nil && b.Object == nil && !equal(a.Bits, b.Bits) {
						return fmt.Errorf("%s: %s+%d is another byte for random inputs %d", c, o.Name, at, seed)
					}
				}
			}
		}
		return nil
	})
}

func equal(a, b word) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// execute runs the kernel on copies of the objects, with values of the inputs, and returns them and
// the results.
func (p *proof) execute(
	fault *Fault, seed int,
) (list []*machine.Object, results map[string]machine.Value, err error) {
	k := p.one.Kernel
	m, err := machine.New(p.machine.Arch, k.source, k.Name, known{seed: seed})
	if err != nil {
		return nil, nil, err
	}
	p.placeStack(m)
	p.setVectors(m)
	value := func(b bit) bit {
		switch {
		case p.numbers != nil:
			return p.numbers.Value(b, seed)
		case p.products != nil:
			v, _ := p.products.Values(b)
			return bit(v >> seed & 1)
		}
		return bit(p.Input(b) >> seed & 1)
	}
	copies := map[*machine.Object]*machine.Object{}
	for _, o := range p.objects {
		list = append(list, machine.NewObject(o.Name, o.High))
		list[len(list)-1].Align, list[len(list)-1].At = o.Align, o.At
		copies[o] = list[len(list)-1]
	}
	for i, o := range p.objects {
		o.CopyTo(list[i], value, copies)
	}
	for name, v := range p.machine.Arguments {
		m.Arguments[name] = v.Copy(value, copies)
	}
	fault.plant(m)
	m.Before = func(in *machine.Instruction) (*machine.Instruction, error) {
		return fault.instruction(m.PC, in), nil
	}
	err = m.Run(maxSteps)
	return list, m.Results, err
}

// plant changes a constant.
func (f *Fault) plant(m *machine.Machine) {
	if f == nil || f.symbol == "" {
		return
	}
	o, err := m.Symbol(f.symbol)
	if err != nil {
		failed("%v", err)
	}
	v, _ := o.Bits(m.Logic, f.at, 1).Constant()
	o.SetBytes(f.at, []byte{byte(v) ^ f.mask})
}

// instruction returns what is executed in the place of an instruction.
func (f *Fault) instruction(pc int, in *machine.Instruction) *machine.Instruction {
	if f != nil && f.instructions[pc] != nil {
		return f.instructions[pc]
	}
	return in
}
