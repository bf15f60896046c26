package rt

import (
	"math"
	"sync/atomic"
	"time"
)

// G is what a recording knows of one goroutine. Its fields belong to that goroutine, but for state and, once state is dead,
// the rest of its chunk.
type G struct {
	id       uint64
	rec      *recording
	state    atomic.Uint32
	depth    uint32
	limit    uint32 // calls at this depth or deeper are dropped: MaxDepth, less after a loss
	lostFrom uint32 // the depth of the outermost open call that was dropped; noLoss if none
	pos      uint32 // the next free slot of chunk; chunkSlots if there is none
	draining bool   // the file is full: chunk is for the exits of recorded calls only
	last     uint64 // the time of the last event: time never runs backwards, not even in a testing/synctest bubble
	chunk    *[chunkSlots]slot
	stack    []*Func
	exit     func() // made once, so that Enter returns it without an allocation
}

// The states of a G. A goroutine that is in no traced call is idle. When another goroutine needs a G and finds an idle
// one, it marks it dead and takes over the rest of its chunk: goroutines end without a word, and a program may start
// millions of them.
const (
	idle = iota
	busy
	dead
)

const noLoss = math.MaxUint32

// table finds the G of a goroutine id without a lock; entries that share a place push each other out.
var table [1 << 14]atomic.Pointer[G]

func tableSlot(id uint64) *atomic.Pointer[G] { return &table[id%uint64(len(table))] }

// self returns the G of the calling goroutine, ready for an event, nil if nothing is recorded.
func self() *G {
	r := active.Load()
	if r == nil {
		if r = startByItself(); r == nil {
			return nil
		}
	}
	id := goid()
	g := tableSlot(id).Load()
	if g == nil || g.id != id || g.rec != r {
		g = r.goroutine(id, true)
	}
	if g.depth == 0 && !g.state.CompareAndSwap(idle, busy) {
		g = r.adopt(id, 0)
	}
	return g
}

// peek returns the G of the calling goroutine if it is in a traced call, else nil.
func peek() *G {
	r := active.Load()
	if r == nil {
		return nil
	}
	id := goid()
	g := tableSlot(id).Load()
	if g == nil || g.id != id || g.rec != r {
		g = r.goroutine(id, false)
	}
	if g == nil || g.depth == 0 {
		return nil
	}
	return g
}

// enter records that f was called.
func (g *G) enter(f *Func) {
	id := f.id.Load()
	if id == 0 {
		id = registerCaller(f)
	}
	depth := g.depth
	g.depth = depth + 1
	if int(depth) < len(g.stack) {
		g.stack[depth] = f
	} else if depth < MaxDepth {
		g.stack = append(g.stack, f)
	}
	if depth >= g.limit || g.pos >= chunkSlots && !g.refill(false) {
		g.lostFrom = min(g.lostFrom, depth)
		g.limit = min(g.limit, g.lostFrom)
		g.rec.drop()
		return
	}
	g.put(g.now(), word(KindEnter, 0, depth, id))
}

// leave records that the innermost open call ended.
func (g *G) leave(o Outcome) {
	depth := g.depth - 1
	g.depth = depth
	switch {
	case depth >= g.lostFrom:
		if depth == g.lostFrom {
			g.lostFrom = noLoss
			if !g.draining {
				g.limit = MaxDepth
			}
		}
		g.rec.drop()
	case g.pos >= chunkSlots && !g.refill(true):
		g.rec.drop()
	default:
		g.put(g.now(), word(KindExit, o, depth, g.stack[depth].id.Load()))
	}
	if depth == 0 {
		if g.stack[0].main {
			g.rec.finish()
		}
		g.state.Store(idle)
	}
}

// text records bytes that belong to the innermost open call. At most MaxText bytes of b are kept.
func (g *G) text(which uint64, b []byte) {
	b = b[:min(len(b), MaxText)]
	s := g.more(1 + textSlots(len(b)))
	if s == nil {
		return
	}
	copy(bytesOf(s[1:]), b)
	s[0].a = which
	s[0].w = word(KindText, 0, g.depth-1, uint32(len(b)))
}

// fork records a go statement and returns the id that the new goroutine reports, 0 if it was dropped.
func (g *G) fork() uint64 {
	s := g.more(2)
	if s == nil {
		return 0
	}
	id := g.rec.forks.Add(1)
	s[1].a = id
	s[0].a = g.now()
	s[0].w = word(KindFork, 0, g.depth-1, 0)
	return id
}

// more returns n slots, to be filled from the last to the first, for an event inside the innermost open call; nil, and
// the event counts as dropped, if that call was dropped or there is no room.
func (g *G) more(n int) []slot {
	if g.depth > g.limit || int(g.pos)+n > chunkSlots && !g.refill(false) {
		g.rec.drop()
		return nil
	}
	s := g.chunk[g.pos:][:n]
	g.pos += uint32(n)
	return s
}

func (g *G) now() uint64 {
	g.last = max(g.last, uint64(max(0, time.Since(g.rec.start))))
	return g.last
}

func (g *G) put(a, w uint64) {
	s := &g.chunk[g.pos%chunkSlots]
	g.pos++
	s.a = a
	s.w = w
}

// refill gives g a new chunk; it reports whether there is one. The rest of the old chunk stays empty.
func (g *G) refill(leaving bool) bool {
	s := g.rec.chunk(leaving)
	if s == nil {
		return false
	}
	if g.rec.full.Load() {
		g.draining = true
		g.limit = 0
	}
	g.chunk, g.pos = s, 0
	g.begin(0, 0)
	return true
}

// begin writes the record that says whose events follow. There must be room for it.
func (g *G) begin(parent, fork uint64) {
	s := g.chunk[g.pos:][:2]
	g.pos += 2
	s[1] = slot{parent, fork}
	s[0].a = g.id
	s[0].w = g.rec.pieces.Add(1)<<seqShift | uint64(KindPiece)
}
