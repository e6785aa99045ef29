package modes_test

import "bytes"

// rekeyer is plain with other keys to come. It remembers some, since a cipher
// of the standard library is an allocation.
type rekeyer struct {
	plain
	known map[string]*plain
}

func (r *rekeyer) Rekey(key []byte) {
	c, ok := r.known[string(key)]
	if !ok {
		c = newPlain(bytes.Clone(key))
		if len(r.known) > 100 || r.known == nil {
			r.known = map[string]*plain{}
		}
		r.known[string(key)] = c
	}
	r.plain = *c
}

func (r *rekeyer) Wipe() { r.plain = plain{} }
