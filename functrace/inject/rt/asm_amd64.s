#include "textflag.h"

// func gword(offset uintptr) uint64
TEXT ·gword(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ (TLS), AX
	MOVQ offset+0(FP), CX
	MOVQ (AX)(CX*1), AX
	MOVQ AX, ret+8(FP)
	RET

// func ret1() uintptr
TEXT ·ret1(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ 8(BP), AX
	MOVQ AX, ret+0(FP)
	RET

// func ret2() uintptr
TEXT ·ret2(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (BP), AX
	MOVQ 8(AX), AX
	MOVQ AX, ret+0(FP)
	RET
