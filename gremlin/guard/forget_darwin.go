package guard

// forget does nothing where package syscall has no call for it.
func forget([]byte) error { return nil }
