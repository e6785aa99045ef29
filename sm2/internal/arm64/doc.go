// Package arm64 has the SM2 kernels for AArch64. Elements are four limbs, the lowest first, below
// p, in Montgomery form. Points are X, Y, Z in Jacobian coordinates, or X, Y. The kernels need
// no extension beyond what Go does, have no branch or address that depends on a value, and leave
// nothing on the stack.
package arm64
