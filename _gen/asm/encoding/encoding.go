// Package encoding encodes instructions that Go's assembler lacks, as functions from the
// numbers of registers to words. The order of operands is that of Go's assembler: sources
// first. Tests compare every function with listings of disassemblers in testdata.
//
// When Go's assembler learns an instruction, delete its function here.
package encoding
