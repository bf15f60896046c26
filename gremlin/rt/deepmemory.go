package rt

// A message that contains itself takes three bytes of input a level and a struct in memory, however
// wide. So messages that are nested deeper than anybody does it may take a certain amount of
// memory, and what is more is refused before it is allocated.

// freeLevels is how deep messages may be nested whatever they take. Most other implementations read
// no deeper than that.
const freeLevels = 100

// deepBudget returns how many bytes the structs of messages below freeLevels may take in an input
// of n bytes: 32 n and 512 KiB. That is half of what decoding may take in all, 64 n and a MiB,
// which is ample for messages that people send; the other half is for what is not nested.
func deepBudget(n uint) int64 { return 512<<10 + 32*int64(n) }

// withinDeepBudget tells whether the n bytes at p, a message of type t, stay within deepBudget. It
// is one walk over them, without an allocation.
func withinDeepBudget(p Ptr, n uint, t *Table) bool {
	w := deepCost{p: p, left: deepBudget(n)}
	w.message(n, 0, 0, t, 0)
	return w.left >= 0
}

// allowDeeper tells whether a message may be entered below freeLevels. When it is asked first it
// weighs what is there.
func (d *Decoder) allowDeeper() bool {
	if d.table != nil && withinDeepBudget(d.p, d.end, d.table) {
		d.depthFloor = freeLevels - (MaxDepth - 1)
	}
	d.table = nil
	return d.depth > d.depthFloor
}

// deepCost weighs the messages below freeLevels. What is malformed is passed over: who decodes will
// find it.
type deepCost struct {
	p    Ptr
	left int64
}

// message weighs what is nested in the fields in [off, n), or up to the end of the group with this
// number, of a message at this level, and returns the offset behind them or bad.
func (w *deepCost) message(n, off, group uint, t *Table, level int) uint {
	if level++; level > MaxDepth || w.left < 0 {
		return bad
	}
	plan := t.plan()
	for off < n {
		tag, at := tagAt(w.p, n, off)
		if at == bad {
			return bad
		}
		if tag&7 == wireEnd {
			if group == 0 || tag>>3 != group {
				return bad
			}
			return at
		}
		s := plan.step(tag >> 3)
		switch {
		case s.check() == checkMessage && tag&7 == wireBytes:
			start, end := payloadAt(w.p, n, at)
			if start == bad {
				return bad
			}
			w.enter(end, start, 0, plan.tables[s.field()], level)
			off = end
		case s.check() == checkGroup && tag&7 == wireStart:
			off = w.enter(n, at, tag>>3, plan.tables[s.field()], level)
		default:
			off = skipValue(w.p, n, at, tag)
		}
	}
	if off == bad || group != 0 {
		return bad
	}
	return off
}

// enter weighs a message at this level and what is nested in it.
func (w *deepCost) enter(n, off, group uint, t *Table, level int) uint {
	if level > freeLevels {
		w.left -= int64(t.Memory)
	}
	return w.message(n, off, group, t, level)
}
