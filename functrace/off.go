//go:build !trace

package functrace

// Enabled reports whether the program was built with the tag `trace`.
const Enabled = false

func nothing() {}

// Trace records that the calling function was entered; calling its result records that it is left.
// The result must be deferred by that function itself. Without the tag it does nothing.
func Trace() func() { return nothing }

// Chain returns the traced calls that are open in the calling goroutine, at most the MaxChain
// innermost; nil if there is none or nothing is recorded. The result is the caller's. Without the
// tag it is nil.
func Chain() Calls { return nil }

// Start begins a recording. There can be one at a time. Calls that are open already are not part of
// it. Without the tag it does nothing and returns nil.
func Start(Options) error { return nil }

// Stop ends the recording; its file is complete when Stop returns. Without a recording it returns
// the zero Stats.
func Stop() (Stats, error) { return Stats{}, nil }
