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

	// MaxBytes bounds the file, in bytes; 0 means DefaultMaxBytes. When it is full, calls are
	// dropped and counted.
	MaxBytes int64
}

// Stats is what a stopped recording says of itself.
type Stats struct {
	Path    string // the file
	Bytes   int64  // its size
	Dropped uint64 // events (entries, exits, texts, go statements) that were not recorded
}

const (
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

// Environment variables that steer a program which starts recording by itself, at its first traced
// call.
const (
	EnvPath     = "FUNCTRACE"           // a file or directory, or "off"
	EnvMaxBytes = "FUNCTRACE_MAX_BYTES" // see Options.MaxBytes
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

	start      time.Time
	startTicks uint64 // value of the counter at the start

	mu     sync.Mutex // guards what follows; taken once a chunk and once a goroutine
	store  *store
	free   []uint64 // mapped and not yet given away
	used   int64
	closed bool
	byID   map[uint64]*G
	all    []*G // the Gs of byID, searched for idle ones in turn from hand on
	hand   int

	names []uint64 // the free rest of the chunk of function names; guarded by registry.mu
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
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for i, f := range registry.funcs {
		r.describe(f, uint32(i+1))
	}
	active.Store(r)
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
	err := r.finish()
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
		limit, err := strconv.ParseInt(os.Getenv(EnvMaxBytes), 10, 64)
		if err != nil && os.Getenv(EnvMaxBytes) != "" {
			_, _ = os.Stderr.WriteString("functrace: " + EnvMaxBytes +
				" is not a number of bytes; the default counts\n")
		}
		if err := start(Options{Path: path, MaxBytes: limit}); err != nil {
			_, _ = os.Stderr.WriteString("functrace: nothing is recorded: " + err.Error() + "\n")
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
	}
	if r.limit <= 0 {
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
	r.header = r.take()[:]
	h := bytesOf(r.header)
	r.header[HeaderOrder/WordSize] = 1
	r.header[HeaderStart/WordSize] = uint64(r.start.UnixNano())
	r.header[HeaderPID/WordSize] = uint64(os.Getpid())
	r.dropped = &r.header[HeaderDropped/WordSize]
	r.rate = &r.header[HeaderRate/WordSize]
	*r.rate = math.Float64bits(clock.rate)
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
	n = min(n, r.limit+exitReserve-r.store.size) / ChunkSize * ChunkSize
	if n <= 0 {
		return false
	}
	b, err := r.store.extend(n)
	if err != nil {
		return false
	}
	r.free = wordsOf(b)
	return true
}

// take cuts a chunk from the free words, of which there must be some.
func (r *recording) take() *[chunkWords]uint64 {
	s := (*[chunkWords]uint64)(r.free)
	r.free = r.free[chunkWords:]
	r.used += ChunkSize
	return s
}

// chunk returns an empty chunk, nil if the recording is full. A call that is leaving may use the
// reserve.
func (r *recording) chunk(leaving bool) *[chunkWords]uint64 {
	if r.full.Load() && !leaving {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chunkLocked(leaving)
}

func (r *recording) chunkLocked(leaving bool) *[chunkWords]uint64 {
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

// adopt returns a new busy G for the calling goroutine, which the given fork started (0: unknown).
func (r *recording) adopt(id, fork uint64) *G {
	g := &G{id: id, rec: r, limit: MaxDepth, lostFrom: noLoss, pos: chunkWords}
	g.exit = func() { g.leave(outcomeAt(ret1())) }
	g.state.Store(busy)

	r.mu.Lock()
	defer r.mu.Unlock()
	place := len(r.all)
	for range min(sweepStep, len(r.all)) {
		r.hand = (r.hand + 1) % len(r.all)
		victim := r.all[r.hand]
		if victim.state.CompareAndSwap(idle, dead) {
			if chunkWords-victim.pos >= minRest && !victim.draining {
				g.chunk, g.pos = victim.chunk, victim.pos
			}
			if r.byID[victim.id] == victim {
				delete(r.byID, victim.id)
			}
			tableSlot(victim.id).CompareAndSwap(victim, nil)
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
		if g.chunk = r.chunkLocked(false); g.chunk != nil {
			g.pos = 0
		}
	}
	if g.chunk != nil {
		g.last = max(r.startTicks, ticks())
		g.begin(parentID(), fork)
	}
	tableSlot(id).Store(g)
	return g
}

// describe writes the name of a function. registry.mu must be held.
func (r *recording) describe(f *Func, id uint32) {
	name, file := tail(f.name), tail(f.file)
	n := 2 + Words(len(name)) + Words(len(file))
	if len(r.names) < n {
		c := r.chunk(true)
		if c == nil {
			r.drop()
			return
		}
		r.names = c[:]
	}
	copy(bytesOf(r.names[2+Words(len(name)):n]), file)
	copy(bytesOf(r.names[2:n]), name)
	r.names[1] = uint64(f.line)<<32 | uint64(len(name))<<16 | uint64(len(file))
	r.names[0] = first(KindFunc, 0, id)
	r.names = r.names[n:]
}

func tail(s string) string { return s[max(0, len(s)-MaxName):] }
