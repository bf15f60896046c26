package report

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

// writeTree writes the calls of each goroutine, indented. A call that called nothing that was
// recorded is one line. Calls in a row that look alike are written once, with their number, and so
// are goroutines of a process, wherever they are.
func writeTree(b *bufio.Writer, procs []*Process, o WriteOptions) {
	for _, p := range procs {
		if len(procs) > 1 {
			fmt.Fprintf(b, "process %d %s\n", p.PID, p.Program)
		}
		t := treeWriter{b: b, o: o, ids: make(map[string]uint32)}
		for _, alike := range t.groups(p.Goroutines) {
			t.goroutines(alike)
		}
		if p.Dropped > 0 {
			fmt.Fprintf(b, "%d events were dropped: the recording is not complete\n", p.Dropped)
		}
	}
}

// treeWriter writes the trees of one process.
type treeWriter struct {
	b         *bufio.Writer
	o         WriteOptions
	goroutine uint64 // the one that is written
	alike     bool   // there are more that look like it

	ids    map[string]uint32 // a number for each shape
	shapes map[*Call]uint32  // the shapes of the calls of one root call, so that memory is bounded
}

// groups returns the goroutines that have calls, those that look alike together, in the order of
// the first of each group. Goroutines look alike if the same chain started them and their calls do.
func (t *treeWriter) groups(all []*Goroutine) [][]*Goroutine {
	var groups [][]*Goroutine
	known := make(map[string]int)
	for _, g := range all {
		if len(g.Calls) == 0 {
			continue
		}
		key := []byte(strings.Join(Path(g, nil), "\x00"))
		if t.o.Unfolded {
			key = binary.LittleEndian.AppendUint64(nil, g.ID)
		} else {
			for _, c := range g.Calls {
				t.shapes = make(map[*Call]uint32)
				key = binary.LittleEndian.AppendUint32(append(key, 0), t.shape(c))
			}
		}
		at, ok := known[string(key)]
		if !ok {
			at = len(groups)
			known[string(key)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], g)
	}
	return groups
}

// goroutines writes goroutines that look alike.
func (t *treeWriter) goroutines(alike []*Goroutine) {
	g := alike[0]
	t.goroutine, t.alike = g.ID, len(alike) > 1
	name := fmt.Sprintf("g[%02d]", g.ID)
	if len(alike) > 1 {
		name += fmt.Sprintf(" x %d", len(alike))
	}
	switch {
	case g.From != nil:
		ch := Chain{Funcs: Path(g, nil)}
		fmt.Fprintf(t.b, "%s: started by g[%02d]: %s\n", name, g.ParentID,
			strings.TrimSuffix(ch.String(), " -> go"))
	case g.ParentID != 0 && g.ID != 1:
		fmt.Fprintf(t.b, "%s: started by g[%02d]\n", name, g.ParentID)
	case len(alike) > 1:
		fmt.Fprintf(t.b, "%s\n", name)
	}
	t.calls(g.Calls, 1)
}

func (t *treeWriter) calls(calls []*Call, depth int) {
	if depth == 1 {
		t.shapes = make(map[*Call]uint32)
	}
	if t.o.MinDuration > 0 {
		calls = slices.DeleteFunc(slices.Clone(calls), func(c *Call) bool {
			return c.End-c.Start < t.o.MinDuration
		})
	}
	if t.o.SlowestFirst {
		calls = slices.Clone(calls)
		slices.SortStableFunc(calls, func(a, b *Call) int {
			return cmp.Compare(b.End-b.Start, a.End-a.Start)
		})
	}
	for i := 0; i < len(calls); {
		n := 1
		for i+n < len(calls) && !t.o.Unfolded && t.shape(calls[i]) == t.shape(calls[i+n]) {
			n++
		}
		t.run(calls[i:i+n], depth)
		i += n
	}
}

// run writes calls that look alike.
func (t *treeWriter) run(calls []*Call, depth int) {
	c := calls[0]
	fmt.Fprintf(t.b, "g[%02d]:%*s->%s", t.goroutine, depth*2, "", c.Func.Name)
	if c.Args != "" {
		fmt.Fprintf(t.b, "(%s)", c.Args)
	}
	if len(calls) > 1 {
		fmt.Fprintf(t.b, " x %d", len(calls))
	} else if id := c.traceID(); id != "" && !t.alike {
		fmt.Fprintf(t.b, " trace %s", id)
	}
	if len(c.Calls) > 0 {
		t.b.WriteByte('\n')
		t.calls(c.Calls, depth+1)
		fmt.Fprintf(t.b, "g[%02d]:%*s<-%s", t.goroutine, depth*2, "", c.Func.Name)
	}
	if t.o.Durations {
		var total time.Duration
		for _, c := range calls {
			total += c.End - c.Start
		}
		fmt.Fprintf(t.b, " %v", total)
	}
	if c.Outcome != Returned {
		fmt.Fprintf(t.b, " [%s]", c.Outcome)
	}
	if c.Error != "" {
		fmt.Fprintf(t.b, " %s", c.Error)
	}
	t.b.WriteByte('\n')
}

// shape returns a number that calls share which are written alike: function, arguments, outcome,
// error, and the calls in them.
func (t *treeWriter) shape(c *Call) uint32 {
	if id, ok := t.shapes[c]; ok {
		return id
	}
	key := fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", c.Func.Name, c.Args, c.Error, c.Outcome)
	for _, inner := range c.Calls {
		key = binary.LittleEndian.AppendUint32(append(key, 0), t.shape(inner))
	}
	id, ok := t.ids[string(key)]
	if !ok {
		id = uint32(len(t.ids))
		t.ids[string(key)] = id
	}
	t.shapes[c] = id
	return id
}
