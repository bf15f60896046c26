//go:build trace

package functrace

import (
	"context"
	"io"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
)

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

// Snapshot copies what is recorded at this moment into a file beside the recording, PATH.1.snapshot
// and so on, and returns its name. The program goes on meanwhile. The reason is in the file.
func Snapshot(reason string) (path string, err error) {
	return rt.Snapshot(reason)
}

// WriteSnapshot is Snapshot to a writer.
func WriteSnapshot(w io.Writer, reason string) error {
	return rt.WriteSnapshot(w, reason)
}

// Off ends recording of the functions that match a pattern, from their next call on, and On begins
// it. A pattern is the full name of a function, "path/of/pkg.(*T).Method", or the path of a
// package; "..." stands for any text. Later patterns have the last word. They return how many of
// the functions that were called so far match.
func Off(pattern string) int {
	return rt.Switch(pattern, false)
}

// On is the opposite of Off.
func On(pattern string) int {
	return rt.Switch(pattern, true)
}

// SetShare has one of n requests recorded from now on, see Options; 0 and 1 are all.
func SetShare(n uint32) {
	rt.SetShare(n)
}

// SetTraceparent says how the traceparent of W3C's Trace Context is got from a context; "" is none.
// The calls of a request then carry the id of its trace. Package functrace/otel has such a
// function.
func SetTraceparent(f func(context.Context) string) { rt.SetTraceparent(f) }
