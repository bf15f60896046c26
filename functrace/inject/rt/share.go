package rt

import "sync/atomic"

// share is of how many requests one is recorded, and requests how many have begun while it was more
// than one.
var share, requests atomic.Uint32

// Tokens of go statements: that of one in a request which is not recorded, and the bit that says
// that the statement is in one which is.
const (
	mutedFork  = 1<<64 - 1
	chosenFork = 1 << 63
)

// SetShare has one of n requests recorded from now on, with the goroutines that it starts; 0 and 1
// are all.
func SetShare(n uint32) { share.Store(n) }

// The roles of a Func: a request is an outermost call, or every call of this function, or no call
// of it.
const (
	requestOutermost = iota
	requestAlways
	requestNever
)

// roleAmong returns the role of f where the patterns name the requests.
func (f *Func) roleAmong(patterns []string) uint32 {
	role := uint32(requestOutermost)
	for _, p := range patterns {
		if matchFunc(p, f.name) {
			return requestAlways
		}
		role = requestNever
	}
	return role
}

// isRequest reports whether a call of f at a depth is a request.
func (f *Func) isRequest(depth uint32) bool {
	switch f.role.Load() {
	case requestAlways:
		return true
	case requestNever:
		return false
	}
	return depth == 0 && !f.main
}

// mute reports whether the call of f that begins is not to be recorded, and counts it then.
func (g *G) mute(f *Func) bool {
	if g.muted > 0 || g.unwanted(f) {
		g.muted++
		return true
	}
	return false
}

// unwanted reports whether a call of f begins a request that is not one of those to record.
func (g *G) unwanted(f *Func) bool {
	n := share.Load()
	switch {
	case n <= 1:
		return false
	case g.inherits:
		return g.mutes
	case g.chosen > 0 || !f.isRequest(g.depth):
		return false
	case (requests.Add(1)-1)%n != 0:
		return true
	}
	g.chosen = g.depth + 1
	return false
}

// leaveMuted notes the end of a call for which mute was true.
func (g *G) leaveMuted() {
	g.muted--
	if g.muted+g.depth == 0 {
		g.state.Store(idle)
	}
}
