package golang

import (
	"slices"
	"strings"
)

// The systems and processors by which the go command chooses files, go/build's lists; a test
// compares them with it. The package itself is large, and other compilers of Go are not asked.
var (
	systems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl " +
		"netbsd openbsd plan9 solaris wasip1 windows zos")
	processors = strings.Fields("386 amd64 amd64p32 arm arm64 arm64be armbe loong64 mips mips64 " +
		"mips64le mips64p32 mips64p32le mipsle ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc " +
		"sparc64 wasm")
)

// namesPlatform tells whether the go command takes a Go file for one of some systems or processors
// because of its name, which is given without what comes after the first dot.
func namesPlatform(name string) bool {
	_, name, found := strings.Cut(name, "_")
	if !found {
		return false
	}
	words := strings.Split(name, "_")
	if words[len(words)-1] == "test" {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains(systems, last) || slices.Contains(processors, last)
}

// predeclared are the identifiers that Go has without a declaration.
var predeclared = strings.Fields("any append bool byte cap clear close comparable complex " +
	"complex128 complex64 copy delete error false float32 float64 imag int int16 int32 int64 int8 " +
	"iota len make max min new nil panic print println real recover rune string true uint uint16 " +
	"uint32 uint64 uint8 uintptr")
