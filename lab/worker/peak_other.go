//go:build !linux

package worker

// peakBytes is only known on Linux.
func peakBytes() int64 { return 0 }

// preemptions is only known on Linux.
func preemptions() (count int64, thread int) { return 0, 0 }
