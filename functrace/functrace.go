// Package functrace records which chain of calls led where.
//
// Several chains of calls reach the same function, and in one of them it misbehaves. Which one?
// functrace answers from a recording of every call: per goroutine, in order, with times and with
// how each call ended.
//
// There are two ways to have functions recorded.
//
// Without touching the sources: `functrace run ./cmd/app`, `functrace test ./...` and `functrace
// build` instrument the code while it is compiled, through an overlay. This package is not needed
// then. See the command's documentation.
//
// In the sources: `functrace inject -w` writes these lines at the start of each function, and
// `functrace remove -w` takes them out again; they can be written by hand as well.
//
//	if functrace.Enabled {
//		defer functrace.Trace()()
//	}
//
// Without the build tag `trace` Enabled is a false constant and the compiler removes the statement:
// the function is compiled, and inlined, as if it were not there. (A bare `defer
// functrace.Trace()()` works too, but a function that defers is never inlined and pays some
// nanoseconds.) With the tag, a call costs two events of 8 bytes, no lock and no allocation.
//
// A program that is built with the tag starts recording at its first traced call, into a file in
// the current directory, or where the environment variable FUNCTRACE says; Start and Stop do it
// under the program's control. The file is read by `functrace report`, `functrace view` and package
// report, also after the program crashed: events are stored in memory mapped from the file, so they
// survive os.Exit, a panic or a signal.
//
// With Options.Ring it is a flight recorder that can always be on: the file keeps its size and
// holds the last calls, and Snapshot, or a request that fails or is slow, copies them.
//
// All functions are safe for concurrent use. Without the tag all of them do nothing.
package functrace

import (
	"log/slog"
	"strings"
	"time"
)

// Options say where a recording goes. The zero value is useful.
type Options struct {
	// Path is the file to write. An existing file is replaced. A directory gets a file of its own
	// for each process, PROGRAM-PID.functrace; the default is the current directory.
	Path string

	// MaxBytes bounds the file, in bytes; 0 means 1 GiB, or, with Ring, 64 MiB.
	// When it is full, calls are dropped and counted.
	MaxBytes int64

	// Ring makes it a flight recorder: in a full file new calls take the place of the oldest.
	Ring bool

	// Last is how long before the end calls count, in a flight recorder and its snapshots; 0 is as
	// long as the file has room for them.
	Last time.Duration

	// Requests names the functions whose calls are requests, by patterns as for Off; none means
	// the outermost call of each goroutine, but not main.main. OnFailure, Slow and Share are about
	// requests.
	Requests []string

	// OnFailure, OnPanic and Slow make a snapshot when a request returns an error, when any
	// recorded call panics, when a request takes longer; at most one in 10 seconds and 16
	// in all.
	OnFailure, OnPanic bool
	Slow               time.Duration

	// Share records one of so many requests, with the goroutines that they start; 0 and 1 are all.
	Share uint32

	// RuntimeTrace has Go's own flight recorder run beside this one, and its trace of the same
	// seconds stored beside each snapshot, in a file of the same name with ".trace" added. It needs
	// Go 1.25.
	RuntimeTrace bool
}

// Stats is what a stopped recording says of itself.
type Stats struct {
	Path    string // the file
	Bytes   int64  // its size
	Dropped uint64 // events that were not recorded: the file was full or the calls too deep
}

// MaxChain bounds the length of the result of Chain.
const MaxChain = 64

// Calls is a chain of calls: the names of functions as the runtime writes them, the outermost
// first.
type Calls []string

// String returns the chain as "main.A -> main.B".
func (c Calls) String() string { return strings.Join(c, " -> ") }

// LogValue makes a chain one string in structured logs.
func (c Calls) LogValue() slog.Value { return slog.StringValue(c.String()) }
