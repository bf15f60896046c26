//go:build gc && !purego

#include "textflag.h"

DATA control<>+0(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA control<>+8(SB)/8, $0x1f1f1f1f1f1f1f1f
GLOBL control<>(SB), RODATA|NOPTR, $16

DATA quote<>+0(SB)/8, $0x2222222222222222
DATA quote<>+8(SB)/8, $0x2222222222222222
GLOBL quote<>(SB), RODATA|NOPTR, $16

DATA backslash<>+0(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA backslash<>+8(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL backslash<>(SB), RODATA|NOPTR, $16

#define CONSTANTS \
	MOVOU control<>(SB), X0 \
	MOVOU quote<>(SB), X1 \
	MOVOU backslash<>(SB), X2

// COPY copies 32 bytes from AX on and jumps if one of them is not plain. As signed numbers, both control characters and what is
// above 0x7f are at most 0x1f.
#define COPY(FAIL) \
	MOVOU    (SI)(AX*1), X3 \
	MOVOU    16(SI)(AX*1), X4 \
	MOVOU    X3, (DI)(AX*1) \
	MOVOU    X4, 16(DI)(AX*1) \
	MOVO     X3, X5 \
	MOVO     X4, X6 \
	MOVO     X3, X7 \
	MOVO     X4, X8 \
	PCMPGTB  X0, X5 \
	PCMPGTB  X0, X6 \
	PCMPEQB  X1, X7 \
	PCMPEQB  X1, X8 \
	PCMPEQB  X2, X3 \
	PCMPEQB  X2, X4 \
	PAND     X6, X5 \
	POR      X8, X7 \
	POR      X4, X3 \
	POR      X7, X3 \
	PANDN    X5, X3 \
	PMOVMSKB X3, BX \
	CMPL     BX, $0xffff \
	JNE      FAIL

// func copyBlocks(dst, src *byte, n int) (ok bool)
//
// The last block ends where the text does and overlaps the one before.
TEXT ·copyBlocks(SB), NOSPLIT, $0-25
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS
	XORL AX, AX
	SUBQ $32, CX
	JMP  test

block:
	COPY(fail)
	ADDQ $32, AX

test:
	CMPQ AX, CX
	JLT  block
	MOVQ CX, AX
	COPY(fail)
	MOVB $1, ok+24(FP)
	RET

fail:
	MOVB $0, ok+24(FP)
	RET

// func countBlocks(p *byte, n int) (run int, wide bool)
//
// AX counts, X6 gathers the bytes of whole blocks, and DX has the highest bits of those in front of the end of the run.
TEXT ·countBlocks(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	CONSTANTS
	PXOR X6, X6
	XORL AX, AX
	XORL DX, DX
	SUBQ $16, CX

block:
	CMPQ     AX, CX
	JGT      done
	MOVOU    (SI)(AX*1), X3
	MOVO     X3, X4
	MOVO     X3, X5
	PMINUB   X0, X4
	PCMPEQB  X3, X4 // what is not above 0x1f, as unsigned numbers
	PCMPEQB  X1, X5
	POR      X5, X4
	MOVO     X3, X5
	PCMPEQB  X2, X5
	POR      X5, X4
	PMOVMSKB X4, BX
	TESTL    BX, BX
	JNE      special
	POR      X3, X6
	ADDQ     $16, AX
	JMP      block

special:
	PMOVMSKB X3, DX
	LEAL     -1(BX), R8
	XORL     BX, R8 // ones up to the lowest bit of BX
	SHRL     $1, R8
	ANDL     R8, DX
	BSFL     BX, BX
	ADDQ     BX, AX

done:
	PMOVMSKB X6, BX
	ORL      BX, DX
	MOVQ     AX, run+16(FP)
	SETNE    wide+24(FP)
	RET
