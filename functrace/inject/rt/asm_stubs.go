//go:build amd64 || arm64

package rt

const haveAssembly = true

// gword returns the word at the offset, in bytes, of the runtime's record of the calling goroutine.
func gword(offset uintptr) uint64

// ret1 returns the address to which its caller, a Go function, will return; ret2 the one to which
// the caller of its caller will. They follow the frame pointers, which the compiler keeps on these
// architectures. They must be called from this package: calls from others go through a wrapper with
// a frame of its own.
func ret1() uintptr
func ret2() uintptr

// counter reads the processor's counter. counterSteady reports whether the processor promises that
// it runs at one rate, the same on all cores: "invariant TSC" on amd64, always on arm64. CPUID
// changes BX, which Go assembly may.
func counter() uint64
func counterSteady() bool
