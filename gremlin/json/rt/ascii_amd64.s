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

// CHECK sets BX to 0xffff if the 32 bytes of X3 and X4 are plain. As signed numbers, both control characters and what is above 0x7f
// are at most 0x1f.
#define CHECK \
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
	PMOVMSKB X3, BX

// func putText(b []byte, name, v string) (ok bool)
//
// DI is where to write; R8 and R9 are the name and its length, SI and CX the value and its length. Both are copied as two pieces
// that overlap, or as blocks the last of which overlaps the one before.
TEXT ·putText(SB), NOSPLIT, $0-57
	MOVQ b_base+0(FP), DI
	ADDQ b_len+8(FP), DI
	MOVQ name_base+24(FP), R8
	MOVQ name_len+32(FP), R9
	MOVQ v_base+40(FP), SI
	MOVQ v_len+48(FP), CX
	CONSTANTS
	CMPQ R9, $8
	JLT  name4
	CMPQ R9, $16
	JGT  name32
	MOVQ (R8), AX
	MOVQ -8(R8)(R9*1), BX
	MOVQ AX, (DI)
	MOVQ BX, -8(DI)(R9*1)

value:
	ADDQ R9, DI
	MOVB $'"', (DI)
	INCQ DI
	MOVB $'"', (DI)(CX*1)
	CMPQ CX, $16
	JLT  value8
	CMPQ CX, $32
	JGT  value64
	MOVOU (SI), X3
	MOVOU -16(SI)(CX*1), X4
	MOVOU X3, (DI)
	MOVOU X4, -16(DI)(CX*1)

last:
	CHECK
	CMPL  BX, $0xffff
	SETEQ ok+56(FP)
	RET

value64:
	XORL AX, AX
	SUBQ $32, CX

block:
	MOVOU (SI)(AX*1), X3
	MOVOU 16(SI)(AX*1), X4
	MOVOU X3, (DI)(AX*1)
	MOVOU X4, 16(DI)(AX*1)
	CHECK
	CMPL  BX, $0xffff
	JNE   special
	ADDQ  $32, AX
	CMPQ  AX, CX
	JLT   block
	MOVOU (SI)(CX*1), X3
	MOVOU 16(SI)(CX*1), X4
	MOVOU X3, (DI)(CX*1)
	MOVOU X4, 16(DI)(CX*1)
	JMP   last

special:
	MOVB $0, ok+56(FP)
	RET

value8:
	CMPQ       CX, $8
	JLT        value4
	MOVQ       (SI), X3
	MOVQ       -8(SI)(CX*1), X4
	MOVQ       X3, (DI)
	MOVQ       X4, -8(DI)(CX*1)
	PUNPCKLQDQ X4, X3
	MOVO       X3, X4
	JMP        last

value4:
	CMPQ       CX, $4
	JLT        value1
	MOVL       (SI), X3
	MOVL       -4(SI)(CX*1), X4
	MOVL       X3, (DI)
	MOVL       X4, -4(DI)(CX*1)
	PUNPCKLLQ  X4, X3
	PUNPCKLQDQ X3, X3
	MOVO       X3, X4
	JMP        last

value1: // the first byte, the one in the middle and the last, and the first again
	TESTQ      CX, CX
	JEQ        empty
	MOVBLZX    (SI), AX
	MOVBLZX    -1(SI)(CX*1), BX
	MOVQ       CX, DX
	SHRQ       $1, DX
	MOVBLZX    (SI)(DX*1), R8
	MOVB       AX, (DI)
	MOVB       R8, (DI)(DX*1)
	MOVB       BX, -1(DI)(CX*1)
	MOVL       AX, DX
	SHLL       $8, R8
	SHLL       $16, BX
	SHLL       $24, DX
	ORL        R8, AX
	ORL        BX, AX
	ORL        DX, AX
	MOVL       AX, X3
	PUNPCKLLQ  X3, X3
	PUNPCKLQDQ X3, X3
	MOVO       X3, X4
	JMP        last

empty:
	MOVB $1, ok+56(FP)
	RET

name4:
	TESTQ R9, R9
	JEQ   value
	MOVL  (R8), AX
	MOVL  -4(R8)(R9*1), BX
	MOVL  AX, (DI)
	MOVL  BX, -4(DI)(R9*1)
	JMP   value

name32:
	XORL AX, AX
	LEAQ -16(R9), DX

names:
	MOVOU (R8)(AX*1), X3
	MOVOU X3, (DI)(AX*1)
	ADDQ  $16, AX
	CMPQ  AX, DX
	JLT   names
	MOVOU (R8)(DX*1), X3
	MOVOU X3, (DI)(DX*1)
	JMP   value

// func plainBlocks(s string) (n int, wide bool)
//
// AX counts, X6 gathers the bytes of whole blocks, and DX has the highest bits of those in front of the end of the run.
TEXT ·plainBlocks(SB), NOSPLIT, $0-25
	MOVQ s_base+0(FP), SI
	MOVQ s_len+8(FP), CX
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
	XORL     BX, R8     // ones up to the lowest bit of BX
	SHRL     $1, R8
	ANDL     R8, DX
	BSFL     BX, BX
	ADDQ     BX, AX

done:
	PMOVMSKB X6, BX
	ORL      BX, DX
	MOVQ     AX, n+16(FP)
	SETNE    wide+24(FP)
	RET
