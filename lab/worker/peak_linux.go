package worker

import "syscall"

// peakBytes returns the largest resident size that the process has had.
func peakBytes() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Maxrss) << 10
}

// preemptions counts how often the thread was made to wait while it could run, and tells which thread it is.
func preemptions() (count int64, thread int) {
	const ofThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(ofThread, &u) != nil {
		return 0, 0
	}
	return int64(u.Nivcsw), syscall.Gettid()
}
