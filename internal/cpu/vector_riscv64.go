//go:build !purego && go1.25

package cpu

// vlmax is in vector_riscv64.s.
//
//ct:public
func vlmax() uint64

// VectorBytes returns the size of a vector register. The CPU must have [V].
func VectorBytes() int { return int(vlmax()) }
