package anatomy

import (
	"strconv"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/internal/wire"
)

// walker is the state of one Of.
type walker struct {
	b     []byte
	left  int // nodes that may still be made
	text  int
	cut   bool
	fault *Fault // the first one in a message that is surely one

	guesses int // messages that are open and may be none: their faults are not the input's
}

// level is a message that is looked through.
type level struct {
	end   int    // where its bytes end
	group uint32 // the number of the end tag that ends it, or 0
	t     *dynamic.Type
	path  string
	depth int // levels that are left

	skipped bool // the level is in a group that is an unknown field
}

// maxPath is the length in bytes of the longest path that a fault has.
const maxPath = 300

func (l *level) at(n *Node, index int) string {
	name := n.Name
	if name == "" {
		name = strconv.Itoa(int(n.Number))
	}
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	switch {
	case l.path == "":
		return name
	case len(l.path) > maxPath:
		return l.path
	}
	return l.path + "." + name
}

// message returns the fields from off on, and the offset behind them, of a group that where its end
// tag starts. A fault is what is wrong with the message itself.
func (w *walker) message(l level, off int) (nodes []Node, next int, fault *Fault) {
	b := w.b[:l.end]
	any := anyType(b, off, &l)
	var elements map[uint32]int
	nextField := wire.Next
	if l.skipped {
		nextField = wire.NextSkipped
	}
	for off < l.end {
		f, wrong := nextField(b, off)
		switch {
		case wrong != "":
			return nodes, l.end, w.fail(&Fault{off, l.wrongPath(f), string(wrong)})
		case f.Type == wire.End && l.group == f.Number && l.group != 0:
			return nodes, off, nil
		case f.Type == wire.End:
			return nodes, l.end, w.fail(&Fault{off, l.path, string(wire.MisplacedEG)})
		case w.left == 0:
			w.cut = true
			if off, fault = w.rest(&l, off); fault != nil {
				return nodes, l.end, w.fail(fault)
			}
			return nodes, off, nil
		}
		w.left--
		n := Node{Tag: f.Tag, Length: f.Length, Value: f.Value, End: f.End, Next: f.Next,
			Number: f.Number, Wire: wireNames[f.Type]}
		field := l.field(&n, f)
		index := -1
		if field != nil && field.List() {
			if elements == nil {
				elements = map[uint32]int{}
			}
			index = elements[f.Number]
			elements[f.Number]++
		}
		inner := level{end: n.End, path: l.at(&n, index), depth: l.depth - 1}
		if field != nil {
			inner.t = field.Message
		}
		if any != nil && f.Number == 2 && f.Type == wire.Bytes {
			inner.t, n.Kind, n.Type = any, "message", any.Name
		}
		if f.Type == wire.Start {
			inner.skipped = field == nil
			if fault = w.groupNode(&n, &l, inner); fault != nil {
				return append(nodes, n), l.end, fault
			}
		} else {
			w.value(&n, field, inner)
		}
		nodes = append(nodes, n)
		off = n.Next
	}
	if l.group != 0 {
		return nodes, l.end, w.fail(&Fault{l.end, l.path, string(wire.NoEnd)})
	}
	return nodes, off, nil
}

// fail notes a fault, which is the input's unless it is in a guess.
func (w *walker) fail(f *Fault) *Fault {
	if w.guesses == 0 {
		w.fault = first(w.fault, f)
	}
	return f
}

// wrongPath returns the path of a field that is malformed.
func (l *level) wrongPath(f wire.Field) string {
	if f.Number == 0 {
		return l.path
	}
	n := Node{Number: f.Number}
	l.field(&n, f)
	return l.at(&n, -1)
}

// field finds the field of the schema that a node is of, nil when it is unknown, and describes it.
func (l *level) field(n *Node, f wire.Field) *dynamic.Field {
	if l.t == nil {
		return nil
	}
	field := l.t.Field(f.Number)
	if field == nil {
		if field = l.t.Extension(f.Number); field == nil {
			return nil
		}
	}
	n.Name, n.Kind = field.Name, kindNames[field.Kind]
	if field.Extension {
		n.Name = "[" + field.FullName + "]"
	}
	switch {
	case field.Message != nil:
		n.Type = field.Message.Name
	case field.Enum != nil:
		n.Type = field.Enum.Name
	}
	if !field.Accepts(f.Type) {
		n.Note = "unknown: another wire type"
		return nil
	}
	return field
}

// rest passes over the fields of a message for which no nodes may be made any more.
func (w *walker) rest(l *level, off int) (next int, fault *Fault) {
	nextField := wire.Next
	if l.skipped {
		nextField = wire.NextSkipped
	}
	for off < l.end {
		f, wrong := nextField(w.b[:l.end], off)
		if wrong == "" && f.Type == wire.Start {
			_, f.Next, wrong = wire.SkipGroup(w.b[:l.end], f.Value, f.Number)
		}
		switch {
		case wrong != "":
			return 0, &Fault{off, l.wrongPath(f), string(wrong)}
		case f.Type == wire.End && l.group == f.Number && l.group != 0:
			return off, nil
		case f.Type == wire.End:
			return 0, &Fault{off, l.path, string(wire.MisplacedEG)}
		}
		off = f.Next
	}
	if l.group != 0 {
		return 0, &Fault{l.end, l.path, string(wire.NoEnd)}
	}
	return off, nil
}

// groupNode looks into a group. A fault in it ends the message that it is in, too, as nobody knows
// where the group ends.
func (w *walker) groupNode(n *Node, outer *level, inner level) *Fault {
	if n.Kind == "" {
		n.Kind = "group"
	}
	inner.end, inner.group = outer.end, n.Number
	if inner.depth <= 0 {
		n.Cut, w.cut = true, true
		end, next, wrong := wire.SkipGroup(w.b[:outer.end], n.Value, n.Number)
		if wrong != "" {
			n.End, n.Next = outer.end, outer.end
			n.Fault = &Fault{n.Tag, inner.path, string(wrong)}
			return w.fail(n.Fault)
		}
		n.End, n.Next = end, next
		return nil
	}
	n.Children, n.End, n.Fault = w.message(inner, n.Value)
	if n.Fault != nil {
		n.Next = n.End
		return n.Fault
	}
	_, n.Next = wire.Uvarint(w.b, n.End)
	return nil
}

// value looks into what is no group.
func (w *walker) value(n *Node, f *dynamic.Field, inner level) {
	payload := w.b[n.Value:n.End]
	switch {
	case n.Wire != "bytes":
		n.Text = number(payload, n.Wire, f)
		if f != nil && unlisted(payload, f) {
			n.Note = "unknown: no value of the enum"
		}
	case inner.t != nil:
		w.nested(n, inner)
	case f == nil:
		w.unknown(n, inner)
	case f.Kind <= dynamic.Double:
		w.packed(n, f)
	default:
		n.Text = quote(payload, f.Kind == dynamic.String, w.text)
		if f.UTF8 && !utf8.Valid(payload) {
			n.Fault = w.fail(&Fault{n.Value, inner.path, "the string is not UTF-8"})
		}
	}
}

// nested looks into a message of a known type.
func (w *walker) nested(n *Node, inner level) {
	if inner.depth <= 0 {
		n.Cut, w.cut = true, true
		return
	}
	n.Children, _, n.Fault = w.message(inner, n.Value)
}

// unknown looks into bytes of which nothing is known: as a message if they can be one.
func (w *walker) unknown(n *Node, inner level) {
	n.Text = quote(w.b[n.Value:n.End], utf8.Valid(w.b[n.Value:n.End]), w.text)
	if inner.depth <= 0 || n.Value == n.End {
		return
	}
	left, cut := w.left, w.cut
	w.guesses++
	nodes, _, fault := w.message(inner, n.Value)
	w.guesses--
	if fault != nil {
		w.left, w.cut = left, cut
		return
	}
	n.Children, n.Guess = nodes, true
}

// packed looks into a packed list.
func (w *walker) packed(n *Node, f *dynamic.Field) {
	typ := wireOf(f.Kind)
	for off := n.Value; off < n.End; {
		_, next := wire.Number(w.b[:n.End], off, typ)
		if next < 0 {
			n.Fault = w.fail(&Fault{off, n.Name, "the packed list ends in a number"})
			return
		}
		if w.left == 0 {
			n.Cut, w.cut = true, true
			return
		}
		w.left--
		e := Node{Tag: off, Length: off, Value: off, End: next, Next: next,
			Wire: wireNames[typ], Text: number(w.b[off:next], wireNames[typ], f)}
		if unlisted(w.b[off:next], f) {
			e.Note = "unknown: no value of the enum"
		}
		n.Children = append(n.Children, e)
		off = next
	}
}

// anyType returns the type of what the message from off on, a google.protobuf.Any, holds, nil when
// it is none or its type is not known.
func anyType(b []byte, off int, l *level) (t *dynamic.Type) {
	if l.t == nil || l.t.Name != "google.protobuf.Any" {
		return nil
	}
	for off < len(b) {
		f, wrong := wire.Next(b, off)
		if wrong != "" || f.Type == wire.Start || f.Type == wire.End {
			break
		}
		if f.Number == 1 && f.Type == wire.Bytes {
			url := b[f.Value:f.End]
			start := len(url)
			for start > 0 && url[start-1] != '/' {
				start--
			}
			t = l.t.Schema().Message(string(url[start:]))
		}
		off = f.Next
	}
	return t
}
