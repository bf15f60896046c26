package worker

import "syscall"

// peakBytes returns the largest resident size that the process has had.
func peakBytes() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}
