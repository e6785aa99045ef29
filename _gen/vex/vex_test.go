package vex

import (
	"bytes"
	"testing"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The bytes are those of LLVM 22.1.8: llvm-mc -triple x86_64 -mattr=+sm3,+sm4
// -show-encoding, given the lines in the comments.
func TestEncodings(t *testing.T) {
	for _, x := range []struct {
		i    instruction
		j    int
		rm   Op
		v, r reg.VecPhysical
		want []byte
	}{
		{key4, -1, reg.X1, reg.X2, reg.X3, []byte{0xc4, 0xe2, 0x6a, 0xda, 0xd9}},                                                             // vsm4key4 %xmm1, %xmm2, %xmm3
		{key4, -1, reg.X8, reg.X0, reg.X0, []byte{0xc4, 0xc2, 0x7a, 0xda, 0xc0}},                                                             // vsm4key4 %xmm8, %xmm0, %xmm0
		{key4, -1, reg.X7, reg.X15, reg.X7, []byte{0xc4, 0xe2, 0x02, 0xda, 0xff}},                                                            // vsm4key4 %xmm7, %xmm15, %xmm7
		{key4, -1, reg.X15, reg.X9, reg.X14, []byte{0xc4, 0x42, 0x32, 0xda, 0xf7}},                                                           // vsm4key4 %xmm15, %xmm9, %xmm14
		{key4, -1, Mem{Base: reg.RAX}, reg.X0, reg.X0, []byte{0xc4, 0xe2, 0x7a, 0xda, 0x00}},                                                 // vsm4key4 (%rax), %xmm0, %xmm0
		{key4, -1, Mem{Base: reg.R8, Disp: 16}, reg.X10, reg.X5, []byte{0xc4, 0xc2, 0x2a, 0xda, 0x68, 0x10}},                                 // vsm4key4 16(%r8), %xmm10, %xmm5
		{key4, -1, Mem{Base: reg.RBP}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x72, 0xda, 0x55, 0x00}},                                           // vsm4key4 (%rbp), %xmm1, %xmm2
		{key4, -1, Mem{Base: reg.R13}, reg.X1, reg.X12, []byte{0xc4, 0x42, 0x72, 0xda, 0x65, 0x00}},                                          // vsm4key4 (%r13), %xmm1, %xmm12
		{key4, -1, Mem{Base: reg.RSP, Disp: -128}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x72, 0xda, 0x54, 0x24, 0x80}},                         // vsm4key4 -128(%rsp), %xmm1, %xmm2
		{key4, -1, Mem{Base: reg.R12, Disp: -129}, reg.X4, reg.X3, []byte{0xc4, 0xc2, 0x5a, 0xda, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff}},       // vsm4key4 -129(%r12), %xmm4, %xmm3
		{key4, -1, Mem{Base: reg.RDI, Disp: 128}, reg.X8, reg.X8, []byte{0xc4, 0x62, 0x3a, 0xda, 0x87, 0x80, 0x00, 0x00, 0x00}},              // vsm4key4 128(%rdi), %xmm8, %xmm8
		{key4, -1, Mem{Base: reg.R15, Disp: 4660}, reg.X6, reg.X9, []byte{0xc4, 0x42, 0x4a, 0xda, 0x8f, 0x34, 0x12, 0x00, 0x00}},             // vsm4key4 4660(%r15), %xmm6, %xmm9
		{key4, -1, reg.Y1, reg.Y2, reg.Y3, []byte{0xc4, 0xe2, 0x6e, 0xda, 0xd9}},                                                             // vsm4key4 %ymm1, %ymm2, %ymm3
		{key4, -1, reg.Y8, reg.Y0, reg.Y0, []byte{0xc4, 0xc2, 0x7e, 0xda, 0xc0}},                                                             // vsm4key4 %ymm8, %ymm0, %ymm0
		{key4, -1, reg.Y7, reg.Y15, reg.Y7, []byte{0xc4, 0xe2, 0x06, 0xda, 0xff}},                                                            // vsm4key4 %ymm7, %ymm15, %ymm7
		{key4, -1, reg.Y15, reg.Y9, reg.Y14, []byte{0xc4, 0x42, 0x36, 0xda, 0xf7}},                                                           // vsm4key4 %ymm15, %ymm9, %ymm14
		{key4, -1, Mem{Base: reg.RAX}, reg.Y0, reg.Y0, []byte{0xc4, 0xe2, 0x7e, 0xda, 0x00}},                                                 // vsm4key4 (%rax), %ymm0, %ymm0
		{key4, -1, Mem{Base: reg.R8, Disp: 16}, reg.Y10, reg.Y5, []byte{0xc4, 0xc2, 0x2e, 0xda, 0x68, 0x10}},                                 // vsm4key4 16(%r8), %ymm10, %ymm5
		{key4, -1, Mem{Base: reg.RBP}, reg.Y1, reg.Y2, []byte{0xc4, 0xe2, 0x76, 0xda, 0x55, 0x00}},                                           // vsm4key4 (%rbp), %ymm1, %ymm2
		{key4, -1, Mem{Base: reg.R13}, reg.Y1, reg.Y12, []byte{0xc4, 0x42, 0x76, 0xda, 0x65, 0x00}},                                          // vsm4key4 (%r13), %ymm1, %ymm12
		{key4, -1, Mem{Base: reg.RSP, Disp: -128}, reg.Y1, reg.Y2, []byte{0xc4, 0xe2, 0x76, 0xda, 0x54, 0x24, 0x80}},                         // vsm4key4 -128(%rsp), %ymm1, %ymm2
		{key4, -1, Mem{Base: reg.R12, Disp: -129}, reg.Y4, reg.Y3, []byte{0xc4, 0xc2, 0x5e, 0xda, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff}},       // vsm4key4 -129(%r12), %ymm4, %ymm3
		{key4, -1, Mem{Base: reg.RDI, Disp: 128}, reg.Y8, reg.Y8, []byte{0xc4, 0x62, 0x3e, 0xda, 0x87, 0x80, 0x00, 0x00, 0x00}},              // vsm4key4 128(%rdi), %ymm8, %ymm8
		{key4, -1, Mem{Base: reg.R15, Disp: 4660}, reg.Y6, reg.Y9, []byte{0xc4, 0x42, 0x4e, 0xda, 0x8f, 0x34, 0x12, 0x00, 0x00}},             // vsm4key4 4660(%r15), %ymm6, %ymm9
		{rnds4, -1, reg.X1, reg.X2, reg.X3, []byte{0xc4, 0xe2, 0x6b, 0xda, 0xd9}},                                                            // vsm4rnds4 %xmm1, %xmm2, %xmm3
		{rnds4, -1, reg.X8, reg.X0, reg.X0, []byte{0xc4, 0xc2, 0x7b, 0xda, 0xc0}},                                                            // vsm4rnds4 %xmm8, %xmm0, %xmm0
		{rnds4, -1, reg.X7, reg.X15, reg.X7, []byte{0xc4, 0xe2, 0x03, 0xda, 0xff}},                                                           // vsm4rnds4 %xmm7, %xmm15, %xmm7
		{rnds4, -1, reg.X15, reg.X9, reg.X14, []byte{0xc4, 0x42, 0x33, 0xda, 0xf7}},                                                          // vsm4rnds4 %xmm15, %xmm9, %xmm14
		{rnds4, -1, Mem{Base: reg.RAX}, reg.X0, reg.X0, []byte{0xc4, 0xe2, 0x7b, 0xda, 0x00}},                                                // vsm4rnds4 (%rax), %xmm0, %xmm0
		{rnds4, -1, Mem{Base: reg.R8, Disp: 16}, reg.X10, reg.X5, []byte{0xc4, 0xc2, 0x2b, 0xda, 0x68, 0x10}},                                // vsm4rnds4 16(%r8), %xmm10, %xmm5
		{rnds4, -1, Mem{Base: reg.RBP}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x73, 0xda, 0x55, 0x00}},                                          // vsm4rnds4 (%rbp), %xmm1, %xmm2
		{rnds4, -1, Mem{Base: reg.R13}, reg.X1, reg.X12, []byte{0xc4, 0x42, 0x73, 0xda, 0x65, 0x00}},                                         // vsm4rnds4 (%r13), %xmm1, %xmm12
		{rnds4, -1, Mem{Base: reg.RSP, Disp: -128}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x73, 0xda, 0x54, 0x24, 0x80}},                        // vsm4rnds4 -128(%rsp), %xmm1, %xmm2
		{rnds4, -1, Mem{Base: reg.R12, Disp: -129}, reg.X4, reg.X3, []byte{0xc4, 0xc2, 0x5b, 0xda, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff}},      // vsm4rnds4 -129(%r12), %xmm4, %xmm3
		{rnds4, -1, Mem{Base: reg.RDI, Disp: 128}, reg.X8, reg.X8, []byte{0xc4, 0x62, 0x3b, 0xda, 0x87, 0x80, 0x00, 0x00, 0x00}},             // vsm4rnds4 128(%rdi), %xmm8, %xmm8
		{rnds4, -1, Mem{Base: reg.R15, Disp: 4660}, reg.X6, reg.X9, []byte{0xc4, 0x42, 0x4b, 0xda, 0x8f, 0x34, 0x12, 0x00, 0x00}},            // vsm4rnds4 4660(%r15), %xmm6, %xmm9
		{rnds4, -1, reg.Y1, reg.Y2, reg.Y3, []byte{0xc4, 0xe2, 0x6f, 0xda, 0xd9}},                                                            // vsm4rnds4 %ymm1, %ymm2, %ymm3
		{rnds4, -1, reg.Y8, reg.Y0, reg.Y0, []byte{0xc4, 0xc2, 0x7f, 0xda, 0xc0}},                                                            // vsm4rnds4 %ymm8, %ymm0, %ymm0
		{rnds4, -1, reg.Y7, reg.Y15, reg.Y7, []byte{0xc4, 0xe2, 0x07, 0xda, 0xff}},                                                           // vsm4rnds4 %ymm7, %ymm15, %ymm7
		{rnds4, -1, reg.Y15, reg.Y9, reg.Y14, []byte{0xc4, 0x42, 0x37, 0xda, 0xf7}},                                                          // vsm4rnds4 %ymm15, %ymm9, %ymm14
		{rnds4, -1, Mem{Base: reg.RAX}, reg.Y0, reg.Y0, []byte{0xc4, 0xe2, 0x7f, 0xda, 0x00}},                                                // vsm4rnds4 (%rax), %ymm0, %ymm0
		{rnds4, -1, Mem{Base: reg.R8, Disp: 16}, reg.Y10, reg.Y5, []byte{0xc4, 0xc2, 0x2f, 0xda, 0x68, 0x10}},                                // vsm4rnds4 16(%r8), %ymm10, %ymm5
		{rnds4, -1, Mem{Base: reg.RBP}, reg.Y1, reg.Y2, []byte{0xc4, 0xe2, 0x77, 0xda, 0x55, 0x00}},                                          // vsm4rnds4 (%rbp), %ymm1, %ymm2
		{rnds4, -1, Mem{Base: reg.R13}, reg.Y1, reg.Y12, []byte{0xc4, 0x42, 0x77, 0xda, 0x65, 0x00}},                                         // vsm4rnds4 (%r13), %ymm1, %ymm12
		{rnds4, -1, Mem{Base: reg.RSP, Disp: -128}, reg.Y1, reg.Y2, []byte{0xc4, 0xe2, 0x77, 0xda, 0x54, 0x24, 0x80}},                        // vsm4rnds4 -128(%rsp), %ymm1, %ymm2
		{rnds4, -1, Mem{Base: reg.R12, Disp: -129}, reg.Y4, reg.Y3, []byte{0xc4, 0xc2, 0x5f, 0xda, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff}},      // vsm4rnds4 -129(%r12), %ymm4, %ymm3
		{rnds4, -1, Mem{Base: reg.RDI, Disp: 128}, reg.Y8, reg.Y8, []byte{0xc4, 0x62, 0x3f, 0xda, 0x87, 0x80, 0x00, 0x00, 0x00}},             // vsm4rnds4 128(%rdi), %ymm8, %ymm8
		{rnds4, -1, Mem{Base: reg.R15, Disp: 4660}, reg.Y6, reg.Y9, []byte{0xc4, 0x42, 0x4f, 0xda, 0x8f, 0x34, 0x12, 0x00, 0x00}},            // vsm4rnds4 4660(%r15), %ymm6, %ymm9
		{msg1, -1, reg.X1, reg.X2, reg.X3, []byte{0xc4, 0xe2, 0x68, 0xda, 0xd9}},                                                             // vsm3msg1 %xmm1, %xmm2, %xmm3
		{msg1, -1, reg.X8, reg.X0, reg.X0, []byte{0xc4, 0xc2, 0x78, 0xda, 0xc0}},                                                             // vsm3msg1 %xmm8, %xmm0, %xmm0
		{msg1, -1, reg.X7, reg.X15, reg.X7, []byte{0xc4, 0xe2, 0x00, 0xda, 0xff}},                                                            // vsm3msg1 %xmm7, %xmm15, %xmm7
		{msg1, -1, reg.X15, reg.X9, reg.X14, []byte{0xc4, 0x42, 0x30, 0xda, 0xf7}},                                                           // vsm3msg1 %xmm15, %xmm9, %xmm14
		{msg1, -1, Mem{Base: reg.RAX}, reg.X0, reg.X0, []byte{0xc4, 0xe2, 0x78, 0xda, 0x00}},                                                 // vsm3msg1 (%rax), %xmm0, %xmm0
		{msg1, -1, Mem{Base: reg.R8, Disp: 16}, reg.X10, reg.X5, []byte{0xc4, 0xc2, 0x28, 0xda, 0x68, 0x10}},                                 // vsm3msg1 16(%r8), %xmm10, %xmm5
		{msg1, -1, Mem{Base: reg.RBP}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x70, 0xda, 0x55, 0x00}},                                           // vsm3msg1 (%rbp), %xmm1, %xmm2
		{msg1, -1, Mem{Base: reg.R13}, reg.X1, reg.X12, []byte{0xc4, 0x42, 0x70, 0xda, 0x65, 0x00}},                                          // vsm3msg1 (%r13), %xmm1, %xmm12
		{msg1, -1, Mem{Base: reg.RSP, Disp: -128}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x70, 0xda, 0x54, 0x24, 0x80}},                         // vsm3msg1 -128(%rsp), %xmm1, %xmm2
		{msg1, -1, Mem{Base: reg.R12, Disp: -129}, reg.X4, reg.X3, []byte{0xc4, 0xc2, 0x58, 0xda, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff}},       // vsm3msg1 -129(%r12), %xmm4, %xmm3
		{msg1, -1, Mem{Base: reg.RDI, Disp: 128}, reg.X8, reg.X8, []byte{0xc4, 0x62, 0x38, 0xda, 0x87, 0x80, 0x00, 0x00, 0x00}},              // vsm3msg1 128(%rdi), %xmm8, %xmm8
		{msg1, -1, Mem{Base: reg.R15, Disp: 4660}, reg.X6, reg.X9, []byte{0xc4, 0x42, 0x48, 0xda, 0x8f, 0x34, 0x12, 0x00, 0x00}},             // vsm3msg1 4660(%r15), %xmm6, %xmm9
		{msg2, -1, reg.X1, reg.X2, reg.X3, []byte{0xc4, 0xe2, 0x69, 0xda, 0xd9}},                                                             // vsm3msg2 %xmm1, %xmm2, %xmm3
		{msg2, -1, reg.X8, reg.X0, reg.X0, []byte{0xc4, 0xc2, 0x79, 0xda, 0xc0}},                                                             // vsm3msg2 %xmm8, %xmm0, %xmm0
		{msg2, -1, reg.X7, reg.X15, reg.X7, []byte{0xc4, 0xe2, 0x01, 0xda, 0xff}},                                                            // vsm3msg2 %xmm7, %xmm15, %xmm7
		{msg2, -1, reg.X15, reg.X9, reg.X14, []byte{0xc4, 0x42, 0x31, 0xda, 0xf7}},                                                           // vsm3msg2 %xmm15, %xmm9, %xmm14
		{msg2, -1, Mem{Base: reg.RAX}, reg.X0, reg.X0, []byte{0xc4, 0xe2, 0x79, 0xda, 0x00}},                                                 // vsm3msg2 (%rax), %xmm0, %xmm0
		{msg2, -1, Mem{Base: reg.R8, Disp: 16}, reg.X10, reg.X5, []byte{0xc4, 0xc2, 0x29, 0xda, 0x68, 0x10}},                                 // vsm3msg2 16(%r8), %xmm10, %xmm5
		{msg2, -1, Mem{Base: reg.RBP}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x71, 0xda, 0x55, 0x00}},                                           // vsm3msg2 (%rbp), %xmm1, %xmm2
		{msg2, -1, Mem{Base: reg.R13}, reg.X1, reg.X12, []byte{0xc4, 0x42, 0x71, 0xda, 0x65, 0x00}},                                          // vsm3msg2 (%r13), %xmm1, %xmm12
		{msg2, -1, Mem{Base: reg.RSP, Disp: -128}, reg.X1, reg.X2, []byte{0xc4, 0xe2, 0x71, 0xda, 0x54, 0x24, 0x80}},                         // vsm3msg2 -128(%rsp), %xmm1, %xmm2
		{msg2, -1, Mem{Base: reg.R12, Disp: -129}, reg.X4, reg.X3, []byte{0xc4, 0xc2, 0x59, 0xda, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff}},       // vsm3msg2 -129(%r12), %xmm4, %xmm3
		{msg2, -1, Mem{Base: reg.RDI, Disp: 128}, reg.X8, reg.X8, []byte{0xc4, 0x62, 0x39, 0xda, 0x87, 0x80, 0x00, 0x00, 0x00}},              // vsm3msg2 128(%rdi), %xmm8, %xmm8
		{msg2, -1, Mem{Base: reg.R15, Disp: 4660}, reg.X6, reg.X9, []byte{0xc4, 0x42, 0x49, 0xda, 0x8f, 0x34, 0x12, 0x00, 0x00}},             // vsm3msg2 4660(%r15), %xmm6, %xmm9
		{rnds2, 6, reg.X1, reg.X2, reg.X3, []byte{0xc4, 0xe3, 0x69, 0xde, 0xd9, 0x06}},                                                       // vsm3rnds2 $6, %xmm1, %xmm2, %xmm3
		{rnds2, 0, reg.X8, reg.X0, reg.X0, []byte{0xc4, 0xc3, 0x79, 0xde, 0xc0, 0x00}},                                                       // vsm3rnds2 $0, %xmm8, %xmm0, %xmm0
		{rnds2, 14, reg.X7, reg.X15, reg.X7, []byte{0xc4, 0xe3, 0x01, 0xde, 0xff, 0x0e}},                                                     // vsm3rnds2 $14, %xmm7, %xmm15, %xmm7
		{rnds2, 38, reg.X15, reg.X9, reg.X14, []byte{0xc4, 0x43, 0x31, 0xde, 0xf7, 0x26}},                                                    // vsm3rnds2 $38, %xmm15, %xmm9, %xmm14
		{rnds2, 0, Mem{Base: reg.RAX}, reg.X0, reg.X0, []byte{0xc4, 0xe3, 0x79, 0xde, 0x00, 0x00}},                                           // vsm3rnds2 $0, (%rax), %xmm0, %xmm0
		{rnds2, 10, Mem{Base: reg.R8, Disp: 16}, reg.X10, reg.X5, []byte{0xc4, 0xc3, 0x29, 0xde, 0x68, 0x10, 0x0a}},                          // vsm3rnds2 $10, 16(%r8), %xmm10, %xmm5
		{rnds2, 4, Mem{Base: reg.RBP}, reg.X1, reg.X2, []byte{0xc4, 0xe3, 0x71, 0xde, 0x55, 0x00, 0x04}},                                     // vsm3rnds2 $4, (%rbp), %xmm1, %xmm2
		{rnds2, 24, Mem{Base: reg.R13}, reg.X1, reg.X12, []byte{0xc4, 0x43, 0x71, 0xde, 0x65, 0x00, 0x18}},                                   // vsm3rnds2 $24, (%r13), %xmm1, %xmm12
		{rnds2, 4, Mem{Base: reg.RSP, Disp: -128}, reg.X1, reg.X2, []byte{0xc4, 0xe3, 0x71, 0xde, 0x54, 0x24, 0x80, 0x04}},                   // vsm3rnds2 $4, -128(%rsp), %xmm1, %xmm2
		{rnds2, 6, Mem{Base: reg.R12, Disp: -129}, reg.X4, reg.X3, []byte{0xc4, 0xc3, 0x59, 0xde, 0x9c, 0x24, 0x7f, 0xff, 0xff, 0xff, 0x06}}, // vsm3rnds2 $6, -129(%r12), %xmm4, %xmm3
		{rnds2, 16, Mem{Base: reg.RDI, Disp: 128}, reg.X8, reg.X8, []byte{0xc4, 0x63, 0x39, 0xde, 0x87, 0x80, 0x00, 0x00, 0x00, 0x10}},       // vsm3rnds2 $16, 128(%rdi), %xmm8, %xmm8
		{rnds2, 18, Mem{Base: reg.R15, Disp: 4660}, reg.X6, reg.X9, []byte{0xc4, 0x43, 0x49, 0xde, 0x8f, 0x34, 0x12, 0x00, 0x00, 0x12}},      // vsm3rnds2 $18, 4660(%r15), %xmm6, %xmm9
	} {
		if got := encode(x.i, x.j, x.rm, x.v, x.r); !bytes.Equal(got, x.want) {
			t.Errorf("%s %d, %s, %s, %s: % x, want % x", x.i.name, x.j, x.rm.Asm(), x.v.Asm(), x.r.Asm(), got, x.want)
		}
	}
}
