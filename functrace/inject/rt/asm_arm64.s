#include "textflag.h"

// func gword(offset uintptr) uint64
TEXT ·gword(SB), NOSPLIT|NOFRAME, $0-16
	MOVD offset+0(FP), R0
	ADD  g, R0, R0
	MOVD (R0), R0
	MOVD R0, ret+8(FP)
	RET

// func ret1() uintptr
TEXT ·ret1(SB), NOSPLIT|NOFRAME, $0-8
	MOVD 8(R29), R0
	MOVD R0, ret+0(FP)
	RET

// func ret2() uintptr
TEXT ·ret2(SB), NOSPLIT|NOFRAME, $0-8
	MOVD (R29), R0
	MOVD 8(R0), R0
	MOVD R0, ret+0(FP)
	RET

// func counter() uint64
TEXT ·counter(SB), NOSPLIT|NOFRAME, $0-8
	MRS  CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func counterSteady() bool
TEXT ·counterSteady(SB), NOSPLIT|NOFRAME, $0-1
	MOVD $1, R0
	MOVB R0, ret+0(FP)
	RET
