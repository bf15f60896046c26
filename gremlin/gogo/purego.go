//go:build purego

package gogo

import "math/rand/v2"

// chosen tells whether this call is one of those that look at the stack.
func chosen() bool { return rand.Uint32()%chosenEvery == 0 }
