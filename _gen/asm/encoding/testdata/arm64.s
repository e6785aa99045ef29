# The instructions of arm64.go with every combination of the lowest and the highest
# register, with constants, and with registers that are all different. The first lines of
# arm64.txt say how it is made from this file.
.arch armv8.2-a+sm4

.macro two1 op, t, u, d, n
	\op v\d\().\t, v\n\().\u
.endm

.macro two op, t, u
	.irp d, 0, 31
	.irp n, 0, 31
	two1 \op, \t, \u, \d, \n
	.endr
	.endr
	two1 \op, \t, \u, 7, 18
.endm

.macro three1 op, t, u, d, n, m
	\op v\d\().\t, v\n\().\u, v\m\().\u
.endm

.macro three op, t, u
	.irp d, 0, 31
	.irp n, 0, 31
	.irp m, 0, 31
	three1 \op, \t, \u, \d, \n, \m
	.endr
	.endr
	.endr
	three1 \op, \t, \u, 7, 18, 29
.endm

.macro four1 op, t, d, n, m, a
	\op v\d\().\t, v\n\().\t, v\m\().\t, v\a\().\t
.endm

.macro four op, t
	.irp d, 0, 31
	.irp n, 0, 31
	.irp m, 0, 31
	.irp a, 0, 31
	four1 \op, \t, \d, \n, \m, \a
	.endr
	.endr
	.endr
	.endr
	four1 \op, \t, 7, 18, 29, 12
.endm

.macro shift1 op, t, u, i
	\op v0.\t, v31.\u, #\i
	\op v31.\t, v0.\u, #\i
	\op v7.\t, v18.\u, #\i
.endm

# A constant between 1 and the width of elements.
.macro shift op, t, u, width
	.irp i, 1, 3, \width
	shift1 \op, \t, \u, \i
	.endr
.endm

# Element i of registers up to m.
.macro element op, t, e, i, m
	\op v0.\t, v0.\t, v0.\e[\i]
	\op v31.\t, v0.\t, v0.\e[\i]
	\op v0.\t, v31.\t, v0.\e[\i]
	\op v0.\t, v0.\t, v\m\().\e[\i]
	\op v7.\t, v18.\t, v13.\e[\i]
.endm

four sm3ss1, 4s
.irp op, sm3tt1a, sm3tt1b, sm3tt2a, sm3tt2b
	.irp i, 0, 1, 2, 3
	\op v0.4s, v0.4s, v0.s[\i]
	\op v31.4s, v0.4s, v0.s[\i]
	\op v0.4s, v31.4s, v0.s[\i]
	\op v0.4s, v0.4s, v31.s[\i]
	\op v7.4s, v18.4s, v29.s[\i]
	.endr
.endr
.irp op, sm3partw1, sm3partw2, sm4ekey
	three \op, 4s, 4s
.endr
two sm4e, 4s, 4s

.irp op, mul, mla, mls
	.irp t, 8b, 16b, 4h, 8h, 2s, 4s
	three \op, \t, \t
	.endr
.endr
.irp op, mul, mla
	.irp i, 0, 1, 2, 4, 7
	element \op, 4h, h, \i, 15
	element \op, 8h, h, \i, 15
	.endr
	.irp i, 0, 1, 2, 3
	element \op, 2s, s, \i, 31
	element \op, 4s, s, \i, 31
	.endr
.endr
.irp op, umull, umlal
	three \op, 8h, 8b
	three \op, 4s, 4h
	three \op, 2d, 2s
	three \op\()2, 8h, 16b
	three \op\()2, 4s, 8h
	three \op\()2, 2d, 4s
.endr
two xtn, 8b, 8h
two xtn, 4h, 4s
two xtn, 2s, 2d
two xtn2, 16b, 8h
two xtn2, 8h, 4s
two xtn2, 4s, 2d
shift shrn, 8b, 8h, 8
shift shrn, 4h, 4s, 16
shift shrn, 2s, 2d, 32
shift shrn2, 16b, 8h, 8
shift shrn2, 8h, 4s, 16
shift shrn2, 4s, 2d, 32
three bic, 16b, 16b
three orn, 16b, 16b
two mvn, 16b, 16b
.irp op, cmhi, cmhs, cmgt, cmge
	.irp t, 8b, 16b, 4h, 8h, 2s, 4s, 2d
	three \op, \t, \t
	.endr
.endr
shift sshr, 8b, 8b, 8
shift sshr, 16b, 16b, 8
shift sshr, 4h, 4h, 16
shift sshr, 8h, 8h, 16
shift sshr, 2s, 2s, 32
shift sshr, 4s, 4s, 32
shift sshr, 2d, 2d, 64
.irp t, 8b, 16b, 4h, 8h, 2s, 4s, 2d
	two neg, \t, \t
.endr
