package rt

import (
	"math"
	"sync/atomic"
)

// G is what a recording knows of one goroutine. Its fields belong to that goroutine, but for state
// and, once state is dead, the rest of its chunk.
type G struct {
	id       uint64
	rec      *recording
	state    atomic.Uint32
	depth    uint32
	limit    uint32 // calls at this depth or deeper are dropped: MaxDepth, less after a loss
	lostFrom uint32 // the depth of the outermost open call that was dropped; noLoss if none
	pos      uint32 // the next free word of chunk; chunkWords if there is none
	draining bool   // the file is full: chunk is for the exits of recorded calls only
	last     uint64 // the time of the last event or Piece, as of ticks: it never runs backwards
	slot     *slot  // where chunk belongs
	chunk    *[chunkWords]uint64
	stack    []frame
	exit     func() // made once, so that Enter returns it without an allocation
	parent   uint64 // the goroutine that started this one, and its Fork, 0 if unknown
	fork     uint64

	chosen   uint32 // 1 + the depth of the request that is recorded as one of several, or 0
	traced   bool   // an open call has told the trace of its request
	muted    uint32 // open calls of a request that is not recorded
	inherits bool   // what started the goroutine has decided whether its calls are recorded
	mutes    bool   // if so: they are not
	unmute   func() // leaveMuted, made once
}

// frame is an open call.
type frame struct {
	f  *Func
	at uint64 // when it was entered, as of ticks
}

// The states of a G. A goroutine that is in no traced call is idle. When another goroutine needs a
// G and finds an idle one, it marks it dead and takes over the rest of its chunk: goroutines end
// without a word, and a program may start millions of them.
const (
	idle = iota
	busy
	dead
)

const noLoss = math.MaxUint32

// table finds the G of a goroutine id without a lock; entries that share a place push each other
// out.
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
	if g.depth+g.muted == 0 && !g.state.CompareAndSwap(idle, busy) {
		g = r.adopt(id, 0)
	}
	return g
}

// peek returns the G of the calling goroutine if it is in a recorded call, else nil.
func peek() *G {
	g, _ := look()
	return g
}

// look is peek, and reports whether the goroutine is in a call of a request that is not recorded.
func look() (g *G, muted bool) {
	r := active.Load()
	if r == nil {
		return nil, false
	}
	id := goid()
	g = tableSlot(id).Load()
	if g == nil || g.id != id || g.rec != r {
		g = r.goroutine(id, false)
	}
	if g == nil || g.muted > 0 || g.depth == 0 {
		return nil, g != nil && g.muted > 0
	}
	return g, false
}

// enter records that f was called.
func (g *G) enter(f *Func) {
	id := f.id.Load()
	depth := g.depth
	if int(depth) == len(g.stack) && depth < MaxDepth {
		g.stack = append(g.stack, frame{})
	}
	if int(depth) < len(g.stack) {
		g.stack[depth].f = f
	}
	if depth < g.limit && id <= MaxFuncs {
		if delta, ok := g.ready(1, false); ok {
			g.put(delta, first(KindEnter, 0, id))
			g.stack[depth].at = g.last
			g.depth = depth + 1
			return
		}
	}
	g.lostFrom = min(g.lostFrom, depth)
	g.limit = min(g.limit, g.lostFrom)
	g.rec.drop()
	g.depth = depth + 1
}

// leave records that the innermost open call ended.
func (g *G) leave(o Outcome) {
	depth := g.depth - 1
	if depth >= g.lostFrom {
		if depth == g.lostFrom {
			g.lostFrom = noLoss
			if !g.draining {
				g.limit = MaxDepth
			}
		}
		g.rec.drop()
	} else if delta, ok := g.ready(1, true); ok {
		g.put(delta, first(KindExit, uint8(o), 0))
		if w := &g.rec.watch; w.on {
			w.look(g.rec, g.stack[depth], depth, g.last, o)
		}
	} else {
		g.rec.drop()
	}
	g.depth = depth
	if g.chosen > depth {
		g.chosen = 0
	}
	if depth == 0 {
		g.traced = false
		if g.stack[0].f.main {
			_ = g.rec.finish()
		}
		g.state.Store(idle)
	}
}

// text records bytes that belong to the innermost open call. At most MaxText bytes of b are kept.
func (g *G) text(which uint8, b []byte) {
	b = b[:min(len(b), MaxText)]
	n := 1 + Words(len(b))
	if g.depth <= g.limit {
		if _, ok := g.ready(uint32(n), false); ok {
			s := g.chunk[g.pos:][:n]
			g.pos += uint32(n)
			copy(bytesOf(s[1:]), b)
			atomic.StoreUint64(&s[0], first(KindText, which, uint32(len(b))))
			return
		}
	}
	g.rec.drop()
}

// forks records a go statement and returns the id that the new goroutine reports, 0 if it was
// dropped.
func (g *G) forks() uint64 {
	if g.depth <= g.limit {
		if delta, ok := g.ready(ForkWords, false); ok {
			id := g.rec.forks.Add(1)
			g.chunk[g.pos+1] = id
			g.put(delta, first(KindFork, 0, 0))
			g.pos++
			return id
		}
	}
	g.rec.drop()
	return 0
}

// ready makes room for n words and returns the time since the last event, for put; not ok if there
// is no room.
func (g *G) ready(n uint32, leaving bool) (delta uint64, ok bool) {
	delta = uint64(max(0, int64(ticks()-g.last)))
	if g.pos+n <= chunkWords && delta <= maxDelta {
		return delta, true
	}
	return 0, g.restart(n, delta, leaving)
}

// put stores the first word of an event, for which ready made room.
func (g *G) put(delta, w uint64) {
	g.last += delta
	g.chunk[g.pos%chunkWords] = delta<<deltaShift | w
	g.pos++
}

// restart begins a new piece with room for n words behind it, in a new chunk if need be. The rest
// of the old chunk stays empty.
func (g *G) restart(n uint32, delta uint64, leaving bool) bool {
	if g.pos+PieceWords+g.opens()*OpenWords+n > chunkWords {
		done := g.slot
		g.slot = nil
		s := g.rec.chunk(leaving, done)
		if s == nil {
			if !g.rec.ring {
				g.slot = done
			} else {
				g.use(nil)
			}
			return false
		}
		if g.rec.full.Load() {
			g.draining = true
			g.limit = 0
		}
		g.use(s)
	}
	g.last += delta
	g.begin()
	return true
}

// use makes a chunk, nil for none, the one of the goroutine.
func (g *G) use(s *slot) {
	if s == nil {
		g.slot, g.chunk, g.pos = nil, nil, chunkWords
		return
	}
	g.slot, g.chunk, g.pos = s, s.words, 0
}

// opens is how many Opens stand behind a Piece: in a flight recorder, one for each of the innermost
// calls whose entry was recorded.
func (g *G) opens() uint32 {
	if !g.rec.ring {
		return 0
	}
	return min(g.depth, g.lostFrom, MaxOpen)
}

// begin writes the Piece that says whose events follow. There must be room for it.
func (g *G) begin() {
	s := g.chunk[g.pos:][:PieceWords]
	g.pos += PieceWords
	s[1], s[2], s[3], s[4], s[5] = g.rec.pieces.Add(1), g.id, g.parent, g.fork,
		g.last-g.rec.startTicks
	atomic.StoreUint64(&s[0], uint64(g.depth)<<deltaShift|first(KindPiece, 0, 0))
	if !g.rec.ring {
		g.parent, g.fork = 0, 0 // once is enough
		return
	}
	to := min(g.depth, g.lostFrom)
	for i := to - g.opens(); i < to; i++ {
		open := g.stack[i]
		g.chunk[g.pos+1] = open.at - g.rec.startTicks
		atomic.StoreUint64(&g.chunk[g.pos],
			uint64(i)<<deltaShift|first(KindOpen, 0, open.f.id.Load()))
		g.pos += OpenWords
	}
}
