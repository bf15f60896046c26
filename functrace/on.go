//go:build trace

package functrace

import "github.com/octopus-framework/octopus/functrace/inject/rt"

// Enabled reports whether the program was built with the tag `trace`.
const Enabled = true

// Trace records that the calling function was entered; calling its result records that it is left.
// The result must be deferred by that function itself.
func Trace() func() { return rt.Trace() }

// Chain returns the traced calls that are open in the calling goroutine, at most the MaxChain
// innermost; nil if there is none or nothing is recorded. The result is the caller's.
func Chain() Calls { return rt.Chain(MaxChain) }

// Start begins a recording. There can be one at a time. Calls that are open already are not part of
// it.
func Start(o Options) error { return rt.Start(rt.Options(o)) }

// Stop ends the recording; its file is complete when Stop returns. Without a recording it returns
// the zero Stats.
func Stop() (Stats, error) {
	s, err := rt.Stop()
	return Stats(s), err
}
