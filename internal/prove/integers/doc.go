// Package integers computes with words whose values are integers: polynomials with integer
// coefficients. It is a Logic for machine.Machine, for arithmetic with long numbers, as forms is for
// ciphers.
//
// A word of n bits is part of a total, which is a polynomial: a sum of words, or a product of two. Bits i
// to j-1 of a total t are
//
//	floor(t/2^i) - 2^(j-i) floor(t/2^j)
//
// Each such quotient is a new variable q with the fact 0 <= t - 2^j q < 2^j. A carry is one. So no word
// loses anything: that a carry is 0, or that two lost ones cancel, is shown and not assumed. A word that is
// chosen by a bit is a variable that has one of two values.
//
// A claim is that a polynomial is 0, 0 modulo a number, or not negative. There is a case for each value of each
// bit that chose a word in it. In each, coefficients that the modulus divides are left out. Of the
// others, bounds are computed: a sum of facts with factors is an upper bound of the polynomial, as each
// variable has a range. A search finds the factors (linear.go); that they are a bound is then computed
// by itself, with integers only. A number between -1 and 1 is 0.
//
// Samples, random values of the inputs, are computed along. They show a wrong kernel early, and that no
// fact is wrong.
package integers
