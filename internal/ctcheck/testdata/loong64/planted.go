// Package planted has functions with a mistake and the same ones without it.
package planted

// A table look-up, and one that reads all of the table.
//
//ct:secret index v
//ct:public table
func LookUp(table *[4]uint, index uint) (v uint)

//ct:secret index v
//ct:public table
func LookUpAll(table *[4]uint, index uint) (v uint)

// A branch, and a selection.
//
//ct:secret x v
func Branch(x uint) (v uint)

//ct:secret x v
func Select(x uint) (v uint)

// A loop that ends at the first difference, and one that does not.
//
//ct:secret a b v
func Compare(a, b *[4]uint) (v uint)

//ct:secret a b v
func CompareAll(a, b *[4]uint) (v uint)

// A key that stays on the stack, and one that is overwritten there.
//
//ct:secret key out
func Spill(out, key *[4]uint)

//ct:secret key out
func SpillWiped(out, key *[4]uint)

// A division of a secret, and one of a length.
//
//ct:secret x v
func Divide(x, n uint) (v uint)

//ct:public
func DividePublic(x, n uint) (v uint)

// A secret that goes through the stack to an address, and a length that does.
//
//ct:secret key v
//ct:public table
func Travel(table, key *[4]uint, n uint) (v uint)

//ct:secret key v
//ct:public table
func TravelPublic(table, key *[4]uint, n uint) (v uint)

// A secret that goes through a look-up inside registers to an address, and one that stays there.
//
//ct:secret key v
//ct:public table
func Shuffle(table, key *[4]uint) (v uint)

//ct:secret key v
//ct:public table
func ShuffleAlone(table, key *[4]uint) (v uint)

// A secret that goes to public memory and results. The second half of the key is not
// secret.
//
//ct:secret key[0:16]
//ct:public key out
func Publish(out, key *[4]uint) (v uint)

//ct:secret key[0:16]
//ct:public key out
func PublishPublic(out, key *[4]uint) (v uint)
