package rounds

import "github.com/cipherlane/cipherlane/_gen/aes/permute"

// Tables returns the tables that stay in registers, and then those that are loaded when they
// are needed.
func Tables() []byte {
	s := permute.Linear(permute.SBoxLinear).After(field.FromTower)
	u3, v3 := field.Output(field.ToTower.After(permute.Times(3)).After(s))
	u2, v2 := field.Output(field.ToTower.After(permute.Times(2)).After(s))
	low, high := permute.Nibbles(field.ToTower)
	u, v := field.Output(s)
	return joined(u3, v3, u2, v2, low, high, u, v)
}

// TablesBack returns those of decryption.
func TablesBack() []byte {
	to := field.ToTower.After(permute.SBoxLinearInverse)
	from := permute.Linear(permute.SBoxLinear).After(field.FromTower)
	u3, v3 := field.Output(to.After(permute.Times(3)).After(field.FromTower))
	u2, v2 := field.Output(to.After(permute.Times(2)).After(field.FromTower))
	low, high := permute.Nibbles(to)
	u, v := field.Output(field.FromTower)
	low5, high5 := permute.Nibbles(to.After(permute.Times(5)).After(from))
	return joined(u3, v3, u2, v2, low, high, u, v, low5, high5)
}

var field = permute.NewTower()

// joined returns the tables for inversions, and more.
func joined(more ...permute.Table) []byte {
	return permute.Join(append([]permute.Table{permute.Inverses(1), permute.Inverses(field.A)}, more...)...)
}
