package rt

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options say where a recording goes. The zero value is useful.
type Options struct {
	// Path is the file to write. An existing file is replaced. A directory gets a file of its own
	// for each process, named after the program and the process id; the default is the current
	// directory.
	Path string

	// MaxBytes bounds the file, in bytes; 0 means DefaultMaxBytes, or, with Ring, DefaultRingBytes.
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
	// recorded call panics, when a request takes longer; at most one in TriggerPause and
	// MaxSnapshots in all.
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
	Dropped uint64 // events (entries, exits, texts, go statements) that were not recorded
}

const (
	// DefaultRingBytes is the size of a flight recorder's file unless its options say otherwise,
	// and minRingBytes the least one.
	DefaultRingBytes = 64 << 20
	minRingBytes     = 1 << 20

	// DefaultMaxBytes is the size at which a recording stops growing unless Options or the
	// environment say otherwise.
	DefaultMaxBytes = 1 << 30

	// exitReserve is by how much a full file still grows, so that calls it shows as entered are
	// also shown as left.
	exitReserve = 4 << 20

	// The file grows by segments, each twice as long as the one before it, within these bounds in
	// bytes.
	minSegment = 256 << 10
	maxSegment = 8 << 20

	// sweepStep is how many goroutines are looked at, for idle ones, each time a new one is met.
	sweepStep = 8

	// minRest is the rest of a chunk, in words, that is worth taking over.
	minRest = 32

	chunkWords = ChunkSize / WordSize
)

// ErrRunning is returned by Start while a recording is running.
var ErrRunning = errors.New("functrace: a recording is already running")

// recording is one file being written.
type recording struct {
	path    string
	limit   int64
	dropped *uint64 // the header's count of what was dropped
	header  []uint64
	rate    *uint64 // the header's rate
	full    atomic.Bool
	pieces  atomic.Uint64
	forks   atomic.Uint64
	ring    bool
	watch   watch

	start      time.Time
	startTicks uint64 // value of the counter at the start

	mu     sync.Mutex // guards what follows; taken once a chunk and once a goroutine
	store  *store
	free   []slot // mapped and not yet given away
	slots  [][]slot
	old    queue // chunks of a flight recorder to be written over, the oldest first
	used   int64
	closed bool
	byID   map[uint64]*G
	all    []*G // the Gs of byID, searched for idle ones in turn from hand on
	hand   int

	names []uint64 // the free rest of the chunk of function names; guarded by registry.mu
}

// slot is a chunk of the file. turns counts how often it was emptied, twice each: it is odd while
// that goes on.
type slot struct {
	words *[chunkWords]uint64
	turns atomic.Uint32
	names atomic.Bool // it holds names of functions
}

// active is the running recording, nil if there is none.
var active atomic.Pointer[recording]

// control guards starting and stopping. decided says that the program or the environment has
// chosen.
var (
	control sync.Mutex
	decided atomic.Bool
)

// Start begins a recording. There can be one at a time; a program that never calls Start begins one
// by itself at its first traced call, as the environment says. Safe for concurrent use.
func Start(o Options) error {
	control.Lock()
	defer control.Unlock()
	decided.Store(true)
	return start(o)
}

func start(o Options) error {
	if active.Load() != nil {
		return ErrRunning
	}
	findOffsets()
	findSites()
	r, err := newRecording(o)
	if err != nil {
		return err
	}
	if err := r.watch.start(o); err != nil {
		return errors.Join(err, r.store.close(0), os.Remove(r.path))
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for i, f := range registry.funcs {
		r.describe(f, uint32(i+1))
	}
	active.Store(r)
	share.Store(o.Share)
	registry.requests = o.Requests
	for _, f := range registry.funcs {
		f.decide()
	}
	return nil
}

// Stop ends the running recording and returns what became of it; without one it returns the zero
// Stats. Calls that are open now appear as unfinished. Safe for concurrent use.
func Stop() (Stats, error) {
	control.Lock()
	defer control.Unlock()
	decided.Store(true)
	r := active.Swap(nil)
	if r == nil {
		return Stats{}, nil
	}
	for i := range table {
		// so that the garbage collector can unmap the file once no call refers to it
		table[i].Store(nil)
	}
	decideAll()
	err := errors.Join(r.watch.stop(), r.finish())
	return Stats{Path: r.path, Bytes: r.used, Dropped: atomic.LoadUint64(r.dropped)}, err
}

// startByItself starts the recording of a program that did not call Start; nil if there is none to
// be.
func startByItself() *recording {
	if decided.Load() {
		return nil
	}
	control.Lock()
	defer control.Unlock()
	if decided.Load() {
		return active.Load()
	}
	path := os.Getenv(EnvPath)
	if path != "off" {
		o, err := environment()
		o.Path = path
		if err == nil {
			err = start(o)
		}
		if err != nil {
			complain(errors.New("nothing is recorded: " + err.Error()))
		}
	}
	decided.Store(true)
	return active.Load()
}

func newRecording(o Options) (*recording, error) {
	r := &recording{
		path:  o.Path,
		limit: o.MaxBytes,
		byID:  make(map[uint64]*G),
		ring:  o.Ring,
	}
	switch {
	case o.Ring:
		if r.limit <= 0 {
			r.limit = DefaultRingBytes
		}
		r.limit = max(r.limit, minRingBytes)
	case r.limit <= 0:
		r.limit = DefaultMaxBytes
	}
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if info, err := os.Stat(r.path); r.path == "" || err == nil && info.IsDir() {
		r.path = filepath.Join(r.path, program+"-"+strconv.Itoa(os.Getpid())+".functrace")
	}
	var err error
	if r.store, err = createStore(r.path); err != nil {
		return nil, err
	}
	if !r.grow() {
		return nil, errors.Join(errors.New("no room for "+r.path), r.store.close(0))
	}
	r.startClock()
	r.watch.init(o)
	r.header = r.take().words[:]
	h := bytesOf(r.header)
	r.header[HeaderOrder/WordSize] = 1
	r.header[HeaderStart/WordSize] = uint64(r.start.UnixNano())
	r.header[HeaderPID/WordSize] = uint64(os.Getpid())
	r.dropped = &r.header[HeaderDropped/WordSize]
	r.rate = &r.header[HeaderRate/WordSize]
	*r.rate = math.Float64bits(clock.rate)
	r.header[HeaderLast/WordSize] = uint64(max(0, o.Last))
	if r.ring {
		r.header[HeaderRing/WordSize] = 1
	}
	putText(h[HeaderProgram:], program)
	putText(h[HeaderGo:], runtime.Version())
	r.header[0] = Magic
	// A recording ends when nothing refers to it any more: neither active nor the deferred exit of
	// an open call.
	runtime.AddCleanup(r, (*store).unmap, r.store)
	return r, nil
}

func putText(b []byte, s string) {
	s = s[:min(len(s), MaxHeaderText)]
	wordsOf(b[:WordSize])[0] = uint64(len(s))
	copy(b[WordSize:], s)
}

// grow maps the next segment of the file.
func (r *recording) grow() bool {
	n := min(max(r.store.size, minSegment), maxSegment)
	limit := r.limit
	if !r.ring {
		limit += exitReserve
	}
	n = min(n, limit-r.store.size) / ChunkSize * ChunkSize
	if n <= 0 {
		return false
	}
	b, err := r.store.extend(n)
	if err != nil {
		return false
	}
	r.free = make([]slot, n/ChunkSize)
	for i, words := 0, wordsOf(b); i < len(r.free); i++ {
		r.free[i].words = (*[chunkWords]uint64)(words[i*chunkWords:])
	}
	r.slots = append(r.slots, r.free)
	return true
}

// take cuts a chunk from the free ones, of which there must be some.
func (r *recording) take() *slot {
	s := &r.free[0]
	r.free = r.free[1:]
	r.used += ChunkSize
	return s
}

// chunk returns an empty chunk, nil if the recording is full. A call that is leaving may use the
// reserve. The caller is done with the chunk done, which may be nil.
func (r *recording) chunk(leaving bool, done *slot) *slot {
	if r.full.Load() && !leaving {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chunkLocked(leaving, done)
}

func (r *recording) chunkLocked(leaving bool, done *slot) *slot {
	if r.ring && !r.closed {
		return r.again(done)
	}
	if r.used >= r.limit {
		r.full.Store(true)
	}
	if r.closed || !leaving && r.full.Load() || len(r.free) == 0 && !r.grow() {
		r.full.Store(true)
		return nil
	}
	r.updateRate()
	return r.take()
}

func (r *recording) drop() { atomic.AddUint64(r.dropped, 1) }

// finish writes the header's last word and cuts the file to what is used. Chunks in use stay valid;
// new ones are no longer given out.
func (r *recording) finish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.full.Store(true)
	r.updateRate()
	r.header[HeaderPieces/WordSize] = r.pieces.Load()
	r.header[HeaderEnd/WordSize] = max(1, ticks()-r.startTicks)
	return r.store.close(r.used)
}

// goroutine returns the G of a goroutine, nil if it has none and create is false.
func (r *recording) goroutine(id uint64, create bool) *G {
	r.mu.Lock()
	g := r.byID[id]
	if g != nil {
		tableSlot(id).Store(g)
	}
	r.mu.Unlock()
	if g == nil && create {
		g = r.adopt(id, 0)
		g.state.Store(idle) // self makes it busy
	}
	return g
}

// adopt returns a new busy G for the calling goroutine, which the go statement with the given token
// started (0: unknown).
func (r *recording) adopt(id, fork uint64) *G {
	g := &G{id: id, rec: r, limit: MaxDepth, lostFrom: noLoss, pos: chunkWords}
	g.exit = func() { g.leave(outcomeAt(ret1())) }
	g.unmute = g.leaveMuted
	g.inherits, g.mutes = fork&chosenFork != 0, fork == mutedFork
	g.state.Store(busy)

	r.mu.Lock()
	defer r.mu.Unlock()
	place := len(r.all)
	for range min(sweepStep, len(r.all)) {
		r.hand = (r.hand + 1) % len(r.all)
		victim := r.all[r.hand]
		if victim.state.CompareAndSwap(idle, dead) {
			if chunkWords-victim.pos >= minRest && !victim.draining {
				g.slot, g.chunk, g.pos = victim.slot, victim.chunk, victim.pos
			} else if r.ring {
				r.old.put(victim.slot)
			}
			r.forget(victim)
			place = r.hand
			break
		}
	}
	if place == len(r.all) {
		r.all = append(r.all, g)
	} else {
		r.all[place] = g
	}
	r.byID[id] = g
	if g.chunk == nil {
		g.use(r.chunkLocked(false, nil))
	}
	g.parent, g.fork = parentID(), fork&^chosenFork
	if g.mutes {
		g.fork = 0
	}
	if g.chunk != nil {
		g.last = max(r.startTicks, ticks())
		g.begin()
	}
	tableSlot(id).Store(g)
	return g
}

// forget takes a dead G out of the tables.
func (r *recording) forget(g *G) {
	if r.byID[g.id] == g {
		delete(r.byID, g.id)
	}
	tableSlot(g.id).CompareAndSwap(g, nil)
}

// describe writes the name of a function. registry.mu must be held.
func (r *recording) describe(f *Func, id uint32) {
	name, file := tail(f.name), tail(f.file)
	n := 2 + Words(len(name)) + Words(len(file))
	if len(r.names) < n {
		c := r.namesChunk()
		if c == nil {
			r.drop()
			return
		}
		r.names = c.words[:]
	}
	copy(bytesOf(r.names[2+Words(len(name)):n]), file)
	copy(bytesOf(r.names[2:n]), name)
	r.names[1] = uint64(f.line)<<32 | uint64(len(name))<<16 | uint64(len(file))
	r.names[0] = first(KindFunc, 0, id)
	r.names = r.names[n:]
}

func tail(s string) string { return s[max(0, len(s)-MaxName):] }
