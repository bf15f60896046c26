// Package report reads the recordings of functrace and writes them for people and for other tools:
// as a text tree, as Trace Event JSON, as folded stacks, as the distinct chains of calls that
// reached a function, and as an HTML page.
package report

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
)

// Outcome says how a call ended.
type Outcome uint8

// The outcomes of a call. Unfinished calls were open when the recording ended.
const (
	Returned   = Outcome(rt.Returned)
	Failed     = Outcome(rt.Failed)
	Panicked   = Outcome(rt.Panicked)
	Goexit     = Outcome(rt.Goexit)
	Unfinished = Outcome(rt.Goexit + 1)
)

// String implements fmt.Stringer.
func (o Outcome) String() string {
	return [...]string{"returned", "returned an error", "panicked", "exited the goroutine",
		"did not finish"}[min(o, Unfinished)]
}

// Bad reports whether the call failed: it panicked or returned an error.
func (o Outcome) Bad() bool { return o == Failed || o == Panicked }

// Func is a function of the traced program.
type Func struct {
	Name string // as the runtime names it
	File string
	Line int
}

// Call is one call of a function.
type Call struct {
	Func       *Func
	Parent     *Call // nil for the first call of a goroutine
	Calls      []*Call
	Start, End time.Duration // since the start of the recording
	Outcome    Outcome
	Args       string // argument values, if they were recorded
	Error      string // the text of the returned error, if it was recorded
	Trace      string // the traceparent (W3C) of the request that it begins, if it was recorded
}

// Goroutine is one goroutine of the traced program.
type Goroutine struct {
	ID       uint64
	ParentID uint64        // the goroutine that started it, 0 if unknown
	From     *Call         // the call whose go statement started it, nil if unknown
	Forked   time.Duration // when that statement ran
	Calls    []*Call       // calls in their order

	FromGoroutine *Goroutine // the goroutine of From
}

// Process is the recording of one process.
type Process struct {
	Program   string
	GoVersion string
	PID       int
	Start     time.Time
	// when the recording ended: its last event, if the program did not end it itself
	End        time.Duration
	Complete   bool         // Stop was called or main.main returned
	Reason     string       // why a snapshot was made
	Dropped    uint64       // events that were not recorded
	Goroutines []*Goroutine // goroutines by id

	// Damage says what of the recording could not be read, and where; the rest is here.
	Damage []*FormatError
}

// FormatError says where a recording is damaged.
type FormatError struct {
	File   string
	Offset int64 // the offset in bytes
	Reason string
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: byte %d: %s", e.File, e.Offset, e.Reason)
}

// ReadFiles reads recordings: files, each with the recording of one process or several in a row, or
// folders of files named *.functrace. Of a damaged recording it reads what there is, see Damage.
func ReadFiles(paths ...string) ([]*Process, error) {
	var all []*Process
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.functrace")); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s: the folder has no *.functrace file", path)
			}
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			ps, err := Read(name, data)
			if err != nil {
				return nil, err
			}
			all = append(all, ps...)
		}
	}
	return all, nil
}

// reader reads the recording of one process.
type reader struct {
	file  string
	rate  float64 // nanoseconds a tick
	base  int64   // where the recording starts in the file
	data  []byte
	order binary.ByteOrder
	proc  *Process
	funcs map[uint32]*Func
	piece []piece
	forks map[uint64]fork
	calls []Call // allocated and not yet used
	lost  int    // open calls whose entry is not there

	cut  uint64 // end of a snapshot in ticks: what is later does not count; else the largest number
	last uint64 // time in ticks before the end in which calls of a flight recorder count; 0 for all
}

// callsAtOnce is how many calls are allocated together: a large recording has millions.
const callsAtOnce = 256

// piece is the events of one turn of a goroutine.
type piece struct {
	sequence, goroutine, parent, fork uint64
	depth                             int    // number of the calls that are open at its start
	ticks, until                      uint64 // when it starts and when its last event was
	from, to                          int    // offsets in data
}

type fork struct {
	in   *Goroutine
	call *Call
	at   time.Duration
}

// Read reads the recordings in data; name is for error messages. It fails if it can read none of
// them.
func Read(name string, data []byte) ([]*Process, error) {
	var all []*Process
	if len(data) == 0 {
		return nil, &FormatError{name, 0, "the file is empty"}
	}
	var unread []*FormatError
	for base := 0; base < len(data); {
		end := base + rt.ChunkSize
		for end < len(data) && !isHeader(data[end:]) {
			end += rt.ChunkSize
		}
		end = min(end, len(data))
		r := &reader{file: name, base: int64(base), data: data[base:end], funcs: map[uint32]*Func{},
			forks: map[uint64]fork{}, cut: math.MaxUint64, proc: new(Process)}
		if err := r.read(); err != nil {
			unread = append(unread, err)
		} else {
			all = append(all, r.proc)
		}
		base = end
	}
	if len(all) == 0 {
		return nil, unread[0]
	}
	all[0].Damage = append(all[0].Damage, unread...)
	return all, nil
}

// isHeader reports whether a recording begins here, in whatever version of the format.
func isHeader(b []byte) bool { return len(b) >= 8 && order(b) != nil }

// order returns the byte order of the recording that begins here, nil if none does.
func order(b []byte) binary.ByteOrder {
	const version = 0xff << 56
	for _, o := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if o.Uint64(b)&^version == rt.Magic&^version {
			return o
		}
	}
	return nil
}

func (r *reader) fail(off int, format string, args ...any) *FormatError {
	return &FormatError{r.file, r.base + int64(off), fmt.Sprintf(format, args...)}
}

// damaged notes what could not be read, unless it is nil.
func (r *reader) damaged(err *FormatError) {
	if err != nil && len(r.proc.Damage) < maxDamage {
		r.proc.Damage = append(r.proc.Damage, err)
	}
}

// maxDamage bounds how many places of damage are told.
const maxDamage = 100

func (r *reader) u64(off int) uint64 { return r.order.Uint64(r.data[off:]) }

// read reads the recording, as far as it goes. It fails if that is nowhere.
func (r *reader) read() *FormatError {
	if len(r.data) < rt.ChunkSize || !isHeader(r.data) {
		return r.fail(0, "this is not a functrace recording")
	}
	r.order = order(r.data)
	if magic := r.u64(0); magic != rt.Magic && magic != rt.Magic2 {
		return r.fail(0,
			"a recording of format %q, made by another version of functrace; "+
				"this one reads formats 2 and 3", rune(magic>>56))
	}
	r.header()
	for off := rt.ChunkSize; off < len(r.data); off += rt.ChunkSize {
		r.damaged(r.scan(off, min(off+rt.ChunkSize, len(r.data)/rt.WordSize*rt.WordSize)))
	}
	if len(r.data)%rt.ChunkSize != 0 {
		r.damaged(r.fail(len(r.data), "the file is cut here"))
	}
	if n := r.u64(rt.HeaderPieces); r.proc.Complete && r.u64(rt.HeaderRing) == 0 &&
		n > uint64(len(r.piece)) {
		r.damaged(r.fail(len(r.data), "%d of %d pieces of the recording are missing",
			n-uint64(len(r.piece)), n))
	}
	r.build()
	return nil
}

// header reads what the header says. What makes no sense there counts as not said.
func (r *reader) header() {
	r.rate = math.Float64frombits(r.u64(rt.HeaderRate))
	if !(r.rate >= 1e-3 && r.rate <= 1e9) {
		r.damaged(r.fail(rt.HeaderRate, "a rate of %v nanoseconds a tick; times are in ticks",
			r.rate))
		r.rate = 1
	}
	p := r.proc
	p.PID = int(r.u64(rt.HeaderPID))
	p.Start = time.Unix(0, int64(r.u64(rt.HeaderStart)))
	p.Complete = r.u64(rt.HeaderEnd) != 0
	p.Dropped = r.u64(rt.HeaderDropped)
	end := rt.HeaderEnd
	if cut := r.u64(rt.HeaderCut); cut != 0 {
		r.cut, end = cut, rt.HeaderCut
	}
	var errs [4]*FormatError
	p.End, errs[0] = r.time(end, r.u64(end))
	p.Program, errs[1] = r.text(rt.HeaderProgram)
	p.GoVersion, errs[2] = r.text(rt.HeaderGo)
	p.Reason, errs[3] = r.text(rt.HeaderReason)
	for _, err := range errs {
		r.damaged(err)
	}
	if last := float64(r.u64(rt.HeaderLast)); last > 0 {
		r.last = uint64(min(last/r.rate, math.MaxInt64))
	}
}

func (r *reader) text(off int) (string, *FormatError) {
	n := r.u64(off)
	if n > rt.MaxHeaderText {
		return "", r.fail(off, "a header text of %d bytes, the limit is %d", n, rt.MaxHeaderText)
	}
	return string(r.data[off+8:][:n]), nil
}

// time turns ticks since the start, which stand at off, into a time.
func (r *reader) time(off int, ticks uint64) (time.Duration, *FormatError) {
	ns := float64(ticks) * r.rate
	if ns > math.MaxInt64/2 {
		return 0, r.fail(off, "a time of %d ticks since the start", ticks)
	}
	return time.Duration(ns), nil
}

// words returns how many words the event at off fills.
func (r *reader) words(off, end int) (int, *FormatError) {
	kind, _, id, _ := rt.First(r.u64(off))
	n := 1
	switch kind {
	case rt.KindPiece:
		n = rt.PieceWords
	case rt.KindEnter, rt.KindExit:
	case rt.KindFork:
		n = rt.ForkWords
	case rt.KindOpen:
		n = rt.OpenWords
	case rt.KindText:
		if id > rt.MaxText {
			return 0, r.fail(off, "a text of %d bytes, the limit is %d", id, rt.MaxText)
		}
		n += rt.Words(int(id))
	case rt.KindFunc:
		if n = 2; off+n*rt.WordSize <= end {
			_, name, file := rt.FuncLengths(r.u64(off + rt.WordSize))
			n += rt.Words(name) + rt.Words(file)
		}
	default:
		return 0, r.fail(off, "unknown kind of event %d", kind)
	}
	if off+n*rt.WordSize > end {
		return 0, r.fail(off, "an event of %d words crosses its chunk's end or the file's", n)
	}
	return n, nil
}

// scan notes the pieces and functions of the chunk from off to end.
func (r *reader) scan(off, end int) *FormatError {
	inPiece := false
	for off < end && r.u64(off) != 0 {
		n, err := r.words(off, end)
		if err != nil {
			return err
		}
		kind, _, id, high := rt.First(r.u64(off))
		word := func(i int) uint64 { return r.u64(off + i*rt.WordSize) }
		next := off + n*rt.WordSize
		switch {
		case kind == rt.KindPiece:
			inPiece = true
			r.piece = append(r.piece, piece{word(1), word(2), word(3), word(4),
				int(min(high, rt.MaxDepth)), word(5), word(5), next, next})
		case kind == rt.KindFunc:
			line, name, file := rt.FuncLengths(word(1))
			text := r.data[off+2*rt.WordSize : next]
			r.funcs[id] = &Func{string(text[:name]),
				string(text[rt.Words(name)*rt.WordSize:][:file]), line}
		case !inPiece:
			return r.fail(off, "an event of no goroutine")
		}
		if inPiece {
			p := &r.piece[len(r.piece)-1]
			p.to = next
			if kind == rt.KindEnter || kind == rt.KindExit || kind == rt.KindFork {
				p.until += high
			}
		}
		off = next
	}
	return nil
}

// build makes the call trees.
func (r *reader) build() {
	r.dropOld()
	slices.SortStableFunc(r.piece, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.goroutine, b.goroutine), cmp.Compare(a.sequence, b.sequence))
	})
	forked := make(map[*Goroutine]uint64)
	var g *Goroutine
	var open []*Call
	for _, p := range r.piece {
		if g == nil || g.ID != p.goroutine {
			r.close(open, 0, r.proc.End)
			open = nil
			g = &Goroutine{ID: p.goroutine}
			r.proc.Goroutines = append(r.proc.Goroutines, g)
		}
		if p.parent != 0 {
			g.ParentID = p.parent
		}
		if p.fork != 0 {
			forked[g] = p.fork
		}
		open = r.events(g, p, open)
	}
	r.close(open, 0, r.proc.End)
	for g, id := range forked {
		if f, ok := r.forks[id]; ok {
			g.From, g.FromGoroutine, g.Forked = f.call, f.in, f.at
		}
	}
	if !r.proc.Complete {
		r.finishOpen()
	}
}

// dropOld drops the pieces of a flight recorder that ended too long before the end.
func (r *reader) dropOld() {
	end := uint64(0)
	for _, p := range r.piece {
		end = max(end, min(p.until, r.cut))
	}
	r.piece = slices.DeleteFunc(r.piece, func(p piece) bool {
		return p.ticks > r.cut || r.last > 0 && p.until < end-min(end, r.last)
	})
}

// events adds the events of a piece to its goroutine, whose open calls are given, and returns the
// open calls after it. Calls whose entry is lost are nil.
func (r *reader) events(g *Goroutine, p piece, open []*Call) []*Call {
	ticks := p.ticks
	at, err := r.time(p.from, ticks)
	if err != nil {
		r.damaged(err)
		return open
	}
	// Each has had a word in the file for its entry.
	if r.lost += max(0, p.depth-len(open)); r.lost > len(r.data)/rt.WordSize {
		r.damaged(r.fail(p.from,
			"more open calls than a recording of its size can have entries for"))
		return open
	}
	r.close(open, p.depth, at)
	open = open[:min(p.depth, len(open))]
	for len(open) < p.depth {
		open = append(open, nil)
	}
	for off := p.from; off < p.to; {
		n, err := r.words(off, p.to)
		if err != nil {
			r.damaged(err) // scan has seen the same words: it is not reached
			return open
		}
		kind, nibble, id, high := rt.First(r.u64(off))
		if kind != rt.KindText && kind != rt.KindOpen {
			if ticks += high; ticks > r.cut {
				return open
			}
			if at, err = r.time(off, ticks); err != nil {
				r.damaged(err)
				return open
			}
			r.proc.End = max(r.proc.End, at)
		}
		var last *Call
		if len(open) > 0 {
			last = open[len(open)-1]
		}
		switch kind {
		case rt.KindEnter:
			if len(open) == rt.MaxDepth {
				r.damaged(r.fail(off, "more than %d open calls", rt.MaxDepth))
				return open
			}
			open = append(open, r.call(g, last, id, at))
		case rt.KindOpen:
			entered, err := r.time(off, r.u64(off+rt.WordSize))
			if err != nil {
				r.damaged(err)
				return open
			}
			r.opened(g, open, high, id, min(entered, at))
		case rt.KindExit:
			if last != nil {
				last.End, last.Outcome = at, min(Outcome(nibble), Goexit)
			}
			open = open[:max(0, len(open)-1)]
		case rt.KindText:
			text := string(r.data[off+rt.WordSize:][:id])
			if last == nil {
				break
			}
			switch nibble {
			case rt.TextError:
				last.Error = text
			case rt.TextTrace:
				last.Trace = text
			default:
				last.Args = text
			}
		case rt.KindFork:
			if last != nil {
				r.forks[r.u64(off+rt.WordSize)] = fork{g, last, at}
			}
		}
		off += n * rt.WordSize
	}
	return open
}

// call makes a call of the function with a number, in parent, which may be nil.
func (r *reader) call(g *Goroutine, parent *Call, id uint32, at time.Duration) *Call {
	if len(r.calls) == 0 {
		r.calls = make([]Call, callsAtOnce)
	}
	c := &r.calls[0]
	r.calls = r.calls[1:]
	*c = Call{Func: r.function(id), Start: at, End: at, Outcome: Unfinished, Parent: parent}
	if parent != nil {
		parent.Calls = append(parent.Calls, c)
	} else {
		g.Calls = append(g.Calls, c)
	}
	return c
}

// opened puts an open call in its place where its entry is lost.
func (r *reader) opened(g *Goroutine, open []*Call, depth uint64, id uint32, at time.Duration) {
	if depth >= uint64(len(open)) {
		return
	}
	if c := open[depth]; c != nil {
		if c.Func == r.function(id) {
			return
		}
		r.close(open, int(depth), at) // its exit is lost as well
		clear(open[depth:])
	}
	var parent *Call
	if depth > 0 {
		parent = open[depth-1]
	}
	open[depth] = r.call(g, parent, id, at)
}

// close ends the open calls at depth or deeper: their exits were not recorded.
func (r *reader) close(open []*Call, depth int, at time.Duration) {
	for _, c := range open[min(depth, len(open)):] {
		if c != nil {
			c.End = max(at, c.Start)
		}
	}
}

// finishOpen lets calls that did not finish last until the last event of the process.
func (r *reader) finishOpen() {
	for _, g := range r.proc.Goroutines {
		calls := g.Calls
		for len(calls) > 0 {
			last := calls[len(calls)-1]
			if last.Outcome != Unfinished {
				break
			}
			last.End = r.proc.End
			calls = last.Calls
		}
	}
}

func (r *reader) function(id uint32) *Func {
	f := r.funcs[id]
	if f == nil {
		f = &Func{Name: fmt.Sprintf("function#%d", id)}
		r.funcs[id] = f
	}
	return f
}

// Walk calls f for every call of the process, outer calls before inner ones.
func (p *Process) Walk(f func(g *Goroutine, c *Call, depth int)) {
	for _, g := range p.Goroutines {
		var walk func([]*Call, int)
		walk = func(calls []*Call, depth int) {
			for _, c := range calls {
				f(g, c, depth)
				walk(c.Calls, depth+1) // depth is bounded by rt.MaxDepth when written
			}
		}
		walk(g.Calls, 0)
	}
}
