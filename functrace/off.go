//go:build !trace

package functrace

import (
	"context"
	"io"
)

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

// Snapshot copies what is recorded at this moment into a file beside the recording, PATH.1.snapshot
// and so on, and returns its name. The program goes on meanwhile. The reason is in the file.
// Without the tag it does nothing.
func Snapshot(string) (string, error) {
	return "", nil
}

// WriteSnapshot is Snapshot to a writer.
// Without the tag it does nothing.
func WriteSnapshot(io.Writer, string) error {
	return nil
}

// Off ends recording of the functions that match a pattern, from their next call on, and On begins
// it. A pattern is the full name of a function, "path/of/pkg.(*T).Method", or the path of a
// package; "..." stands for any text. Later patterns have the last word. They return how many of
// the functions that were called so far match.
// Without the tag it does nothing.
func Off(string) int {
	return 0
}

// On is the opposite of Off.
// Without the tag it does nothing.
func On(string) int {
	return 0
}

// SetShare has one of n requests recorded from now on, see Options; 0 and 1 are all.
// Without the tag it does nothing.
func SetShare(uint32) {}

// SetTraceparent says how the traceparent of W3C's Trace Context is got from a context; "" is none.
// The calls of a request then carry the id of its trace. Package functrace/otel has such a
// function.
// Without the tag it does nothing.
func SetTraceparent(func(context.Context) string) {}
