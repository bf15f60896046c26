//go:build !amd64 && !arm64

package rt

import "runtime"

const haveAssembly = false

func gword(uintptr) uint64 { return 0 }

func counter() uint64 { return 0 }

func counterSteady() bool { return false }

// ret1 and ret2 are described in asm_stubs.go.
//
//go:noinline
func ret1() uintptr {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	return pcs[0]
}

//go:noinline
func ret2() uintptr {
	var pcs [1]uintptr
	runtime.Callers(4, pcs[:])
	return pcs[0]
}
