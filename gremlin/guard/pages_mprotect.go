//go:build linux || darwin

package guard

import (
	"os"
	"syscall"
)

// allocate returns n bytes, at the start of pages of their own if pages are to be taken away.
func allocate(n int) []byte {
	if !pages {
		return make([]byte, n)
	}
	size := os.Getpagesize()
	size = (n + size - 1) / size * size
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("guard: no memory: " + err.Error())
	}
	return b[:n]
}

// withdraw takes the pages of b away, and gives the memory behind them back.
func withdraw(b []byte) {
	if !pages {
		return
	}
	all := b[:cap(b)]
	if err := forget(all); err != nil {
		panic("guard: pages cannot be given back: " + err.Error())
	}
	if err := syscall.Mprotect(all, syscall.PROT_NONE); err != nil {
		panic("guard: pages cannot be taken away: " + err.Error())
	}
}
