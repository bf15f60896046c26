package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Format is a way to write recordings.
type Format string

// The formats of Write.
const (
	Tree       Format = "tree"        // indented text
	TraceEvent Format = "trace-event" // JSON that Perfetto and chrome://tracing open
	// a line a chain for flame graphs: names;names and own time in ns
	Folded Format = "folded"
	JSON   Format = "json"  // one object a call, nested
	Pprof  Format = "pprof" // a profile of calls and their own times, for go tool pprof

	Perfetto   Format = "perfetto"   // Perfetto's own trace format, for ui.perfetto.dev
	OTLP       Format = "otlp"       // OpenTelemetry spans, as a collector takes them
	Speedscope Format = "speedscope" // for speedscope.app
)

// FormatNames are the names of the formats, for messages and help.
const FormatNames = "tree, trace-event, folded, json, pprof, perfetto, otlp, speedscope"

// WriteOptions are the options of Write.
type WriteOptions struct {
	Durations    bool          // Tree: with the time each call took
	MinDuration  time.Duration // Tree: without calls that took less, and what they called
	SlowestFirst bool          // Tree: the calls of a call by time, not by when they began
	Unfolded     bool          // Tree: every call by itself, also those in a row that look alike
}

// Write writes recordings in a format.
func Write(w io.Writer, procs []*Process, f Format, o WriteOptions) error {
	b := bufio.NewWriter(w)
	var err error
	switch f {
	case Tree:
		writeTree(b, procs, o)
	case TraceEvent:
		err = writeTraceEvents(b, procs)
	case Folded:
		writeFolded(b, procs)
	case JSON:
		err = writeJSON(b, procs)
	case Pprof:
		err = writeProfile(b, procs)
	case Perfetto:
		err = writePerfetto(b, procs)
	case OTLP:
		err = writeOTLP(b, procs)
	case Speedscope:
		err = writeSpeedscope(b, procs)
	default:
		return fmt.Errorf("unknown format %q (%s)", f, FormatNames)
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// event is one event of the Trace Event format. Times are in microseconds.
type event struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	TS   micros         `json:"ts"`
	Dur  *micros        `json:"dur,omitempty"`
	PID  int            `json:"pid"`
	TID  uint64         `json:"tid"`
	ID   uint64         `json:"id,omitempty"`
	BP   string         `json:"bp,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// note is what is known of a call beside its function and times.
type note struct{ name, text string }

// notes are those of a call: none if it just returned.
func (c *Call) notes() (list []note) {
	if c.Outcome != Returned || c.Args != "" {
		list = append(list, note{"outcome", c.Outcome.String()})
	}
	for _, n := range []note{{"arguments", c.Args}, {"error", c.Error}, {"traceparent", c.Trace}} {
		if n.text != "" {
			list = append(list, n)
		}
	}
	return list
}

type micros time.Duration

func (m micros) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%03d", m/1000, m%1000), nil
}

// writeTraceEvents writes complete events ("X"), the names of processes and goroutines ("M"), and
// an arrow for each go statement ("s", "f").
func writeTraceEvents(b *bufio.Writer, procs []*Process) (err error) {
	b.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	first := true
	put := func(e event) {
		text, failed := json.Marshal(e)
		if failed != nil {
			err = errors.Join(err, failed)
			return
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteByte('\n')
		b.Write(text)
	}
	flow := uint64(0)
	for _, p := range procs {
		put(event{Name: "process_name", Ph: "M", PID: p.PID,
			Args: map[string]any{"name": p.Program}})
		for _, g := range p.Goroutines {
			put(event{Name: "thread_name", Ph: "M", PID: p.PID, TID: g.ID,
				Args: map[string]any{"name": fmt.Sprintf("goroutine %d", g.ID)}})
			if g.From == nil || len(g.Calls) == 0 {
				continue
			}
			flow++
			put(event{Name: "go", Cat: "go", Ph: "s", TS: micros(g.Forked), PID: p.PID,
				TID: g.FromGoroutine.ID, ID: flow})
			put(event{Name: "go", Cat: "go", Ph: "f", BP: "e", TS: micros(g.Calls[0].Start),
				PID: p.PID, TID: g.ID, ID: flow})
		}
		p.Walk(func(g *Goroutine, c *Call, _ int) {
			dur := micros(c.End - c.Start)
			e := event{Name: c.Func.Name, Cat: "call", Ph: "X", TS: micros(c.Start), Dur: &dur,
				PID: p.PID, TID: g.ID}
			for _, note := range c.notes() {
				if e.Args == nil {
					e.Args = make(map[string]any)
				}
				e.Args[note.name] = note.text
			}
			put(e)
		})
	}
	b.WriteString("\n]}\n")
	return err
}

func writeFolded(b *bufio.Writer, procs []*Process) {
	root := walkChains(procs, func(c *Call, at *node) {
		at.own += c.self()
	})
	var write func(n *node, path string)
	write = func(n *node, path string) {
		for _, name := range slices.Sorted(maps.Keys(n.down)) {
			down, path := n.down[name], strings.TrimPrefix(path+";"+name, ";")
			if name != GoMark {
				fmt.Fprintf(b, "%s %d\n", path, down.own)
			}
			write(down, path)
		}
	}
	write(root, "")
}

type jsonCall struct {
	Func    string `json:"func"`
	Start   int64  `json:"start_ns"`
	End     int64  `json:"end_ns"`
	Outcome string `json:"outcome"`
	Args    string `json:"args,omitempty"`
	Error   string `json:"error,omitempty"`
	Trace   string `json:"traceparent,omitempty"`
}

type jsonGoroutine struct {
	ID     uint64 `json:"id"`
	Parent uint64 `json:"parent,omitempty"`
}

type jsonProcess struct {
	Program  string    `json:"program"`
	PID      int       `json:"pid"`
	Start    time.Time `json:"start"`
	Complete bool      `json:"complete"`
	Dropped  uint64    `json:"dropped"`
}

// writeJSON writes a list of processes, each with its goroutines, each with its calls, each with
// the calls in it. It goes through the tree by itself: encoding/json would need a second one in
// memory.
func writeJSON(b *bufio.Writer, procs []*Process) error {
	return writeList(b, procs, func(p *Process) error {
		return writeObject(b, jsonProcess{p.Program, p.PID, p.Start, p.Complete, p.Dropped},
			"goroutines", func() error {
				return writeList(b, p.Goroutines, func(g *Goroutine) error {
					return writeObject(b, jsonGoroutine{g.ID, g.ParentID}, "calls", func() error {
						return writeJSONCalls(b, g.Calls)
					})
				})
			})
	})
}

func writeJSONCalls(b *bufio.Writer, calls []*Call) error {
	return writeList(b, calls, func(c *Call) error {
		var inner func() error
		if len(c.Calls) > 0 {
			inner = func() error { return writeJSONCalls(b, c.Calls) }
		}
		return writeObject(b, jsonCall{c.Func.Name, int64(c.Start), int64(c.End),
			c.Outcome.String(), c.Args, c.Error, c.Trace}, "calls", inner)
	})
}

// writeObject writes v, which must be a struct, with one more field, whose value the function
// writes.
func writeObject(b *bufio.Writer, v any, field string, value func() error) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if value != nil {
		b.Write(text[:len(text)-1])
		fmt.Fprintf(b, ",%q:", field)
		if err := value(); err != nil {
			return err
		}
		text = []byte{'}'}
	}
	_, err = b.Write(text)
	return err
}

func writeList[T any](b *bufio.Writer, list []T, write func(T) error) error {
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteString(",\n")
		}
		if err := write(v); err != nil {
			return err
		}
	}
	return b.WriteByte(']')
}
