package guard

import "syscall"

// forget gives the memory behind pages back to the system.
func forget(b []byte) error { return syscall.Madvise(b, syscall.MADV_DONTNEED) }
