// Package forms computes with Boolean functions of many inputs, each in a normal form: two
// functions with the same form are equal, for all values of all inputs. It knows neither
// machines nor algorithms. The converse does not hold: equal functions may have different
// forms, and then nothing is proven. So the choice of forms decides what can be proven, never
// whether what is proven is true.
//
// # Forms
//
// A form is a sum modulo 2 of distinct atoms and perhaps the constant 1. Sums are cheap: adding
// forms is the symmetric difference of two sorted lists. All linear parts of a cipher
// (rotations, additions of keys, matrices over GF(2)) therefore need no thought. An atom is
//
//   - an input;
//   - a function of a space that is not affine (below);
//   - a bit of a sum of integers, or a carry;
//   - a product of two atoms, where polynomials are multiplied.
//
// Forms are kept once each, so that a Bit is an index and equality is that of numbers.
//
// # Spaces
//
// What is not linear, such as an S-box, is a function of few bits: of at most 8 forms, which
// span a vector space over GF(2). A space has a basis b0 … b7 of forms, reduced as in Gaussian
// elimination: the last atom of each basis form, its pivot, is in no other one. So it is easy
// to find whether any given form is in the space, and with which coefficients.
//
// Within a space, a function is a polynomial over GF(2) in the basis, whose monomials are
// products of distinct b (algebraic normal form, unique for a function): 256 bits. The
// polynomials that occurred make a basis of their own, in echelon form by leading monomials.
// One that they do not span becomes a new atom. Any other is a sum of such atoms and of the
// basis. All functions of the same 8 forms thus have a unique form, no matter from which
// operations they were made.
//
// # Example
//
// A full adder's carry, written in two ways:
//
//	m = ab + ac + bc        majority
//	n = ab + c(a + b)       carry
//
// With a, b and c declared as belonging together, their space has the basis a, b, c. The
// product ab is the polynomial b0·b1, a new atom #1. The products ac and bc become #2 and #3.
// So m is #1+#2+#3. For n, the factors c and a+b are in the space: the product of their
// polynomials b2 and b0+b1 is b0·b2 + b1·b2. Its leading monomial b1·b2 is that of #3, the rest
// that of #2: no new atom is needed. The form is #2+#3, and n is #1+#2+#3: the same number as m.
//
// Now let u = m+n+x for an input x. The form is x, without a word about adders.
//
// An S-box works the same. A specification looks up S(k+p), for 8 forms k0+p0 … k7+p7: that
// makes a space, and 8 atoms. A kernel that computes S with 115 gates in some other basis
// of the field, or by nibbles and tables, on k+p or on an affine image of it, computes
// polynomials in the same space. At the end, the same 8 polynomials are there, hence the same
// atoms. It is essential that the specification runs first: it says which forms belong
// together and which functions get atoms; a product of two bits alone would otherwise make
// a space of two dimensions, in which other bits of the S-box are not.
//
// # Sums of integers
//
// A sum of words modulo 2^n is a list of words with integer coefficients, and a constant. Sums
// of sums are flattened, the complement of w is -w-1, a word of one bit at position i is 2^i
// times this bit, and words that never have a 1 at the same position are joined. Equal lists
// give the same n atoms. Nothing is known of these atoms but where they are from.
//
// # Lanes
//
// Kernels compute with many blocks side by side, and in the same way with each. The inputs of a
// block can be those of a lane: then a function of these and of other inputs, such as round keys,
// is a number of the lane and a form of a template, in which the lane's inputs have names without
// the number. All lanes share the template: what was computed in one is there for the others. That
// is sound because an equation of the template holds for any inputs, so for those of each lane.
// The same form in two lanes is two functions, unless no input of a lane is in it; then it has no
// lane. A sum over lanes is a list with a form for each. No other function of several lanes can be
// computed.
//
// Values assigns the same values to the inputs of all lanes.
//
// # Limits
//
// Forms grow where nothing matches. An Engine has limits of atoms in a form and of memory. Do
// returns an error if a computation meets one.
//
// Every form also has its values for 64 random assignments of the inputs. Where two forms differ
// in one of these, the functions are different, and the assignment is a counterexample.
package forms
