// Package products computes with words of 16 bits modulo 2^16, as FrodoKEM multiplies matrices. It is a
// Logic for machine.Machine: forms.Engine with words that are polynomials.
//
// A word of 16 bits of forms, or of any other bits, is a variable. A sum of words, and a product of two, is
// a polynomial in variables with coefficients modulo 2^16, of degree 2 at most: two that are equal are the same
// 16 bits, whatever way they were computed. So it is enough to compare bits.
//
// Kernels add products of 32 bits, and use the low 16 bits of a sum. These depend on the low 16 bits of the
// summands and factors only. Nothing is known of the bits above them: they are new ones at each
// operation.
//
// Bits of polynomials may be added modulo 2 to other bits, which makes a bit that equals only one
// that was made of the same two; if all bits of a word are sums of a bit and of those of another word, it is a polynomial, too.
// With Sets, products of bits are sets of factors. Nothing is known of other functions of them.
//
// The steps of AES are functions without a meaning here: two of their results are the same if their inputs
// are. They have the names of FIPS 197; that AESENC, AESE and the like compute them is what package machine
// says of an instruction.
package products
