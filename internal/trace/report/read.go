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
	Dropped    uint64       // events that were not recorded
	Goroutines []*Goroutine // goroutines by id
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
// folders of files named *.functrace.
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
}

// callsAtOnce is how many calls are allocated together: a large recording has millions.
const callsAtOnce = 256

// piece is the events of one turn of a goroutine.
type piece struct {
	sequence, goroutine, parent, fork uint64
	depth                             int    // number of the calls that are open at its start
	ticks                             uint64 // when it starts
	from, to                          int    // offsets in data
}

type fork struct {
	in   *Goroutine
	call *Call
	at   time.Duration
}

// Read reads the recordings in data; name is for error messages.
func Read(name string, data []byte) ([]*Process, error) {
	var all []*Process
	if len(data) == 0 {
		return nil, &FormatError{name, 0, "the file is empty"}
	}
	for base := 0; base < len(data); {
		end := base + rt.ChunkSize
		for end < len(data) && !isHeader(data[end:]) {
			end += rt.ChunkSize
		}
		end = min(end, len(data))
		r := &reader{file: name, base: int64(base), data: data[base:end], funcs: map[uint32]*Func{},
			forks: map[uint64]fork{}}
		p, err := r.read()
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		base = end
	}
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

func (r *reader) fail(off int, format string, args ...any) error {
	return &FormatError{r.file, r.base + int64(off), fmt.Sprintf(format, args...)}
}

func (r *reader) u64(off int) uint64 { return r.order.Uint64(r.data[off:]) }

func (r *reader) read() (*Process, error) {
	if len(r.data) < rt.ChunkSize || !isHeader(r.data) {
		return nil, r.fail(0, "this is not a functrace recording")
	}
	r.order = order(r.data)
	if magic := r.u64(0); magic != rt.Magic {
		return nil,
			r.fail(0,
				"a recording of format %c, made by another version of functrace; this one reads format %c",
				rune(magic>>56), rune(rt.Magic>>56))
	}
	r.rate = math.Float64frombits(r.u64(rt.HeaderRate))
	if !(r.rate >= 1e-3 && r.rate <= 1e9) {
		return nil, r.fail(rt.HeaderRate, "a rate of %v nanoseconds a tick", r.rate)
	}
	end, err := r.time(rt.HeaderEnd, r.u64(rt.HeaderEnd))
	if err != nil {
		return nil, err
	}
	r.proc = &Process{
		PID:      int(r.u64(rt.HeaderPID)),
		Start:    time.Unix(0, int64(r.u64(rt.HeaderStart))),
		End:      end,
		Complete: r.u64(rt.HeaderEnd) != 0,
		Dropped:  r.u64(rt.HeaderDropped),
	}
	if r.proc.Program, err = r.text(rt.HeaderProgram); err != nil {
		return nil, err
	}
	if r.proc.GoVersion, err = r.text(rt.HeaderGo); err != nil {
		return nil, err
	}
	for off := rt.ChunkSize; off+rt.ChunkSize <= len(r.data); off += rt.ChunkSize {
		if err := r.scan(off); err != nil {
			return nil, err
		}
	}
	return r.proc, r.build()
}

func (r *reader) text(off int) (string, error) {
	n := r.u64(off)
	if n > rt.MaxHeaderText {
		return "", r.fail(off, "a header text of %d bytes, the limit is %d", n, rt.MaxHeaderText)
	}
	return string(r.data[off+8:][:n]), nil
}

// time turns ticks since the start, which stand at off, into a time.
func (r *reader) time(off int, ticks uint64) (time.Duration, error) {
	ns := float64(ticks) * r.rate
	if ns > math.MaxInt64/2 {
		return 0, r.fail(off, "a time of %d ticks since the start", ticks)
	}
	return time.Duration(ns), nil
}

// words returns how many words the event at off fills.
func (r *reader) words(off, end int) (int, error) {
	kind, _, id, _ := rt.First(r.u64(off))
	n := 1
	switch kind {
	case rt.KindPiece:
		n = rt.PieceWords
	case rt.KindEnter, rt.KindExit:
	case rt.KindFork:
		n = rt.ForkWords
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
		return 0, r.fail(off, "an event of %d words crosses its chunk's end", n)
	}
	return n, nil
}

// scan notes the pieces and functions of the chunk at off.
func (r *reader) scan(off int) error {
	end := off + rt.ChunkSize
	inPiece := false
	for off < end && r.u64(off) != 0 {
		n, err := r.words(off, end)
		if err != nil {
			return err
		}
		kind, _, id, depth := rt.First(r.u64(off))
		word := func(i int) uint64 { return r.u64(off + i*rt.WordSize) }
		next := off + n*rt.WordSize
		switch {
		case kind == rt.KindPiece:
			inPiece = true
			r.piece = append(r.piece, piece{word(1), word(2), word(3), word(4),
				int(min(depth, rt.MaxDepth)), word(5), next, next})
		case kind == rt.KindFunc:
			line, name, file := rt.FuncLengths(word(1))
			text := r.data[off+2*rt.WordSize : next]
			r.funcs[id] = &Func{string(text[:name]),
				string(text[rt.Words(name)*rt.WordSize:][:file]), line}
		case !inPiece:
			return r.fail(off, "an event of no goroutine")
		}
		if inPiece {
			r.piece[len(r.piece)-1].to = next
		}
		off = next
	}
	return nil
}

// build makes the call trees.
func (r *reader) build() error {
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
		var err error
		if open, err = r.events(g, p, open); err != nil {
			return err
		}
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
	return nil
}

// events adds the events of a piece to its goroutine, whose open calls are given, and returns the
// open calls after it. Calls whose entry is lost are nil.
func (r *reader) events(g *Goroutine, p piece, open []*Call) ([]*Call, error) {
	ticks := p.ticks
	at, err := r.time(p.from, ticks)
	if err != nil {
		return nil, err
	}
	r.close(open, p.depth, at)
	open = open[:min(p.depth, len(open))]
	// Each has had a word in the file for its entry.
	if r.lost += max(0, p.depth-len(open)); r.lost > len(r.data)/rt.WordSize {
		return nil, r.fail(p.from,
			"more open calls than a recording of its size can have entries for")
	}
	for len(open) < p.depth {
		open = append(open, nil)
	}
	for off := p.from; off < p.to; {
		n, err := r.words(off, p.to)
		if err != nil {
			return nil, err
		}
		kind, nibble, id, delta := rt.First(r.u64(off))
		if kind != rt.KindText {
			ticks += delta
			if at, err = r.time(off, ticks); err != nil {
				return nil, err
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
				return nil, r.fail(off, "more than %d open calls", rt.MaxDepth)
			}
			if len(r.calls) == 0 {
				r.calls = make([]Call, callsAtOnce)
			}
			c := &r.calls[0]
			r.calls = r.calls[1:]
			*c = Call{Func: r.function(id), Start: at, Outcome: Unfinished, Parent: last}
			if last != nil {
				last.Calls = append(last.Calls, c)
			} else {
				g.Calls = append(g.Calls, c)
			}
			open = append(open, c)
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
			if nibble == rt.TextError {
				last.Error = text
			} else {
				last.Args = text
			}
		case rt.KindFork:
			if last != nil {
				r.forks[r.u64(off+rt.WordSize)] = fork{g, last, at}
			}
		}
		off += n * rt.WordSize
	}
	return open, nil
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
