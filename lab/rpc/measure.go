package main

import (
	"runtime"
	"slices"
	"syscall"
	"time"
)

// figures are those of one round, per message that the client received.
type figures struct {
	CPU    float64 `json:"cpu_ns"` // user and system, client and server together
	P50    float64 `json:"p50_ns"` // of a call: of all its messages for a server stream
	P99    float64 `json:"p99_ns"`
	Allocs float64 `json:"allocs"`
	Bytes  float64 `json:"alloc_bytes"`
}

// round calls for at least the time given and returns the figures.
func (r *rig) round(shape string, least time.Duration) (f figures, err error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := cpuTime(), time.Now()
	var took []float64
	messages := 0
	for time.Since(began) < least {
		start := time.Now()
		n, err := r.call(shape)
		if err != nil {
			return f, err
		}
		took = append(took, float64(time.Since(start)))
		messages += n
	}
	spent := cpuTime() - cpu
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	n := float64(messages)
	return figures{CPU: float64(spent) / n, P50: took[len(took)/2], P99: took[len(took)*99/100],
		Allocs: float64(after.Mallocs-before.Mallocs) / n, Bytes: float64(after.TotalAlloc-before.TotalAlloc) / n}, nil
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it cannot fail with these arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// median returns that of one figure over rounds.
func median(all []figures, of func(figures) float64) float64 {
	var v []float64
	for _, f := range all {
		v = append(v, of(f))
	}
	slices.Sort(v)
	return v[len(v)/2]
}
