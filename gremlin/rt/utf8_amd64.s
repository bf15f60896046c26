//go:build gc && !purego

#include "textflag.h"

// CHECK looks up what the 16 bytes in X0 may not be behind those in X1, which start one byte before, and compares with
// where they must be continuations because of the bytes two and three before, in X2 and X3. It adds to X9 what is wrong.
#define CHECK \
	PSUBUSB X14, X2 \
	PSUBUSB X15, X3 \
	POR     X3, X2 \
	PAND    X8, X2 \
	MOVO    X1, X3 \
	PSRLW   $4, X3 \
	PAND    X10, X3 \
	PAND    X10, X1 \
	PSRLW   $4, X0 \
	PAND    X10, X0 \
	MOVO    X11, X4 \
	PSHUFB  X3, X4 \
	MOVO    X12, X5 \
	PSHUFB  X1, X5 \
	MOVO    X13, X6 \
	PSHUFB  X0, X6 \
	PAND    X5, X4 \
	PAND    X6, X4 \
	PXOR    X2, X4 \
	POR     X4, X9

// func validBlocks(p *byte, n uint, t *[7][16]byte) bool
TEXT ·validBlocks(SB), NOSPLIT, $0-25
	MOVQ  p+0(FP), SI
	MOVQ  n+8(FP), BX
	MOVQ  t+16(FP), DI
	MOVOU (DI), X11
	MOVOU 16(DI), X12
	MOVOU 32(DI), X13
	MOVOU 48(DI), X10
	MOVOU 64(DI), X14
	MOVOU 80(DI), X15
	MOVOU 96(DI), X8
	PXOR  X9, X9
	LEAQ  -16(SI)(BX*1), BX // the last block

	// Zeros stand before the first block.
	MOVOU (SI), X0
	MOVO  X0, X1
	PSLLO $1, X1
	MOVO  X0, X2
	PSLLO $2, X2
	MOVO  X0, X3
	PSLLO $3, X3
	CHECK
	ADDQ  $16, SI

loop:
	CMPQ  SI, BX
	JCC   last
	MOVOU (SI), X0
	MOVOU -1(SI), X1
	MOVOU -2(SI), X2
	MOVOU -3(SI), X3
	CHECK
	ADDQ  $16, SI
	JMP   loop

last:
	MOVOU (BX), X0
	MOVOU -1(BX), X1
	MOVOU -2(BX), X2
	MOVOU -3(BX), X3
	CHECK

	PXOR     X0, X0
	PCMPEQB  X0, X9
	PMOVMSKB X9, AX
	CMPL     AX, $0xffff
	SETEQ    ret+24(FP)
	RET
