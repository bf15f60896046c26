//go:build gc && !purego

#include "textflag.h"

// UNSPREAD decodes varints. Of 64 bytes at a time it gathers which of them end a varint, so that no varint waits for the length
// of the one before. BX is where the next varint starts, DX the block, R11 the bits of its ends that are left.
#define UNSPREAD(STORE, SIZE) \
	MOVQ dst+0(FP), DI \
	MOVQ room+8(FP), R10 \
	LEAQ (DI)(R10*SIZE), R10 \
	MOVQ p+16(FP), SI \
	MOVQ n+24(FP), R8 \
	MOVQ off+32(FP), BX \
	MOVQ limit+40(FP), R9 \
	MOVQ $0x7f7f7f7f7f7f7f7f, R12 \
	MOVQ BX, DX \
block: \
	CMPQ DX, R8 \
	JCC  done \
	LEAQ 72(DX), AX \
	CMPQ AX, R9 \
	JHI  done \
	MOVOU (SI)(DX*1), X0 \
	MOVOU 16(SI)(DX*1), X1 \
	MOVOU 32(SI)(DX*1), X2 \
	MOVOU 48(SI)(DX*1), X3 \
	PMOVMSKB X0, R11 \
	PMOVMSKB X1, AX \
	PMOVMSKB X2, CX \
	PMOVMSKB X3, R13 \
	SHLQ $16, AX \
	ORQ  AX, R11 \
	SHLQ $32, CX \
	ORQ  CX, R11 \
	SHLQ $48, R13 \
	ORQ  R13, R11 \
	NOTQ R11 \
	MOVQ R8, AX \
	SUBQ DX, AX \
	CMPQ AX, $64 \
	JCC  whole \
	BZHIQ AX, R11, R11 \
whole: \
	TESTQ R11, R11 \
	JEQ  empty \
varint: \
	CMPQ DI, R10 \
	JCC  done \
	TZCNTQ R11, AX \
	LEAQ 1(DX)(AX*1), AX \
	MOVQ AX, CX \
	SUBQ BX, CX \
	MOVQ (SI)(BX*1), R13 \
	CMPQ CX, $8 \
	JHI  long \
	SHLQ $3, CX \
	BZHIQ CX, R12, CX \
	PEXTQ CX, R13, R13 \
store: \
	STORE R13, (DI) \
	ADDQ $SIZE, DI \
	MOVQ AX, BX \
	BLSRQ R11, R11 \
	JNE  varint \
empty: \
	ADDQ $64, DX \
	JMP  block \
long: \
	PEXTQ R12, R13, R13 \
	CMPQ CX, $10 \
	JHI  done \
	JNE  nine \
	MOVBQZX 9(SI)(BX*1), CX \
	CMPQ CX, $1 \
	JHI  done \
	SHLQ $63, CX \
	ORQ  CX, R13 \
nine: \
	MOVBQZX 8(SI)(BX*1), CX \
	ANDQ $0x7f, CX \
	SHLQ $56, CX \
	ORQ  CX, R13 \
	JMP  store \
done: \
	SUBQ dst+0(FP), DI \
	MOVQ DI, written+48(FP) \
	MOVQ BX, next+56(FP) \
	RET

// func unspread32(dst *byte, room uint, p *byte, n, off, limit uint) (written, next uint)
TEXT ·unspread32(SB), NOSPLIT, $0-64
	UNSPREAD(MOVL, 4)

// func unspread64(dst *byte, room uint, p *byte, n, off, limit uint) (written, next uint)
TEXT ·unspread64(SB), NOSPLIT, $0-64
	UNSPREAD(MOVQ, 8)
