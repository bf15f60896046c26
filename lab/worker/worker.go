// Package worker is the part of the lab that runs in the measured processes. An implementation says which messages and
// operations it has, as loops; [Main] takes requests on standard input, one JSON object a line, and answers each with one.
//
// It is a module of its own without requirements, because those of its users that cannot be in one module must share it.
package worker

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// Input is what an operation works on.
type Input struct {
	Data [][]byte // the encoded messages, taken in turns
}

// Loop does an operation n times, beginning with the first message. It returns the sum of what it read or wrote, so that
// the work can be neither left out nor be wrong. A probe, when there is one, is shown each result; without one the loop is
// what is timed, so it is the timed code itself that is checked.
type Loop func(n int, p *Probe) (sum uint64)

// Op prepares a loop. Each goroutine gets a loop of its own.
type Op func(in Input) Loop

// The operations. Not every implementation has all of them.
const (
	Index       = "index"       // make the fields readable: index one level, or decode all where there is nothing less
	Unmarshal   = "unmarshal"   // decode all into a new target
	Reuse       = "reuse"       // decode all into a used target
	Read2       = "read2"       // from bytes to two fields
	ReadPath    = "readpath"    // from bytes to the plain fields on one way down to the deepest message
	ReadAll     = "readall"     // from bytes to every field
	Append      = "append"      // encode into a reused buffer
	Marshal     = "marshal"     // encode into a new buffer
	PassThrough = "passthrough" // decode, encode into a new buffer
)

// Ops is the list of operations, in the order of reports.
var Ops = []string{Index, Unmarshal, Reuse, Read2, ReadPath, ReadAll, Append, Marshal, PassThrough}

// Writes tells whether op gives bytes.
func Writes(op string) bool { return op == Append || op == Marshal || op == PassThrough }

// Impl is one implementation in one form.
type Impl struct {
	Name   string                   // without spaces
	Module string                   // whose version is its version; empty for code of the lab
	Types  map[string]map[string]Op // by message, then by operation
}

// Version returns the version of the implementation's module in this binary.
func (i Impl) Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || i.Module == "" {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == i.Module {
			if d.Replace != nil && d.Replace.Version != "" {
				return d.Replace.Version
			}
			return d.Version
		}
	}
	return ""
}

// find returns an operation, or an error that lists what there is.
func (i Impl) find(typ, op string) (Op, error) {
	ops, ok := i.Types[typ]
	if !ok {
		return nil, fmt.Errorf("%s has no message %q; there are: %s", i.Name, typ, strings.Join(sorted(i.Types), ", "))
	}
	if ops[op] == nil {
		return nil, fmt.Errorf("%s has no operation %q for %s; there are: %s", i.Name, op, typ, strings.Join(sorted(ops), ", "))
	}
	return ops[op], nil
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Bool is what a bool adds to the sum of a reading loop. Integers add themselves, sign-extended; floats their bits; strings
// and bytes their length.
func Bool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Must stops the worker's request when err is not nil.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// Sized returns buf with length n, a new slice when it is too short. It is for encoders that want room of the exact size.
func Sized(buf []byte, n int) []byte {
	if cap(buf) < n {
		return make([]byte, n)
	}
	return buf[:n]
}
