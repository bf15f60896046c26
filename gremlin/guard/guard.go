// Package guard finds uses of memory that was given back: strings, byte slices and Readers that are
// kept longer than they are valid. It is switched on for a whole process by the environment:
//
//	GREMLIN_GUARD=1      what was released is overwritten with the word RELEASED
//	GREMLIN_GUARD=pages  in tests: its pages are taken away, and whoever reads them crashes there
//
// Consumers of package nerve and Borrowed of package gremlingrpc lend memory of this package then.
// Code that lends memory of its own can do the same:
//
//	if guard.On {
//		data = guard.Copy(data)
//	}
//	...
//	guard.Release(data)
//
// When it is off, all that is left is the comparison of a variable. Where there is no way to take
// pages away (elsewhere than on Linux and macOS), GREMLIN_GUARD=pages overwrites. Pages are not
// given back to the system as addresses, so that a long run needs many of these; memory behind them
// is.
package guard

import "os"

// On tells whether the environment asks for the guard. It does not change.
var On = os.Getenv(variable) != "" && os.Getenv(variable) != "0"

var pages = os.Getenv(variable) == "pages"

const variable = "GREMLIN_GUARD"

// released is what memory that was released reads as.
const released = "RELEASED"

// Copy returns a copy of b in memory that [Release] takes. It is safe for concurrent use.
func Copy(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	c := allocate(len(b))
	copy(c, b)
	return c
}

// Release makes memory that Copy returned unusable. It must be called once, with all of it; nil is
// allowed.
func Release(b []byte) {
	if len(b) == 0 {
		return
	}
	for i := 0; i < len(b); {
		i += copy(b[i:], released)
	}
	withdraw(b)
}
