// Package loong64 has the SM2 kernels for LoongArch64. Elements are four limbs, the lowest first,
// below p, in Montgomery form. Points are X, Y, Z in Jacobian coordinates, or X, Y. The kernels have
// no branch or address that depends on a value, and leave nothing on the stack. Those that read
// tables have a second form with LSX.
package loong64
