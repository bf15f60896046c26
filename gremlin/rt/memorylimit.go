package rt

// UnmarshalWithin is m.Unmarshal(b) for input that nobody vouches for. An empty element of a list
// of messages is two bytes of input and a struct in memory, which may have a thousand;
// UnmarshalWithin returns an error with the code TooMuchMemory, which names the field and the
// offset, and leaves m empty, where the message might take more than max bytes.
//
// What it would take is estimated before anything is allocated, in one walk over b, and not less
// than what Unmarshal allocates: lists of scalars and unknown fields are counted six times, because
// they may be copied as they grow, and so are lists of messages whose elements do not stand
// together. 64 times the input and a MiB is ample for data that somebody wants to send. m itself is
// not counted, nor what it held before.
func UnmarshalWithin(b []byte, m Message, max int) error {
	t := m.GremlinTable()
	m.Reset()
	s := estimator{d: Decoder{p: ptrOf(b), end: uint(len(b)), depth: MaxDepth - 1},
		left: int64(max)}
	// copies of strings, which are two without unsafe
	if len(b) <= MaxSize && s.spend(int64(len(b))*9/4, 0, 0) {
		s.message(uint(len(b)), 0, 0, t, MaxDepth-1)
	}
	if s.err != nil {
		s.err.Message = t.Name
		return s.err
	}
	// At all levels of nesting, whatever Unmarshal thinks of that.
	if len(b) > MaxSize || m.GremlinDecode(&s.d, s.d.end, 0) == bad {
		return diagnose(b, t, wellFormed)
	}
	return CheckInitialized(m)
}

// estimator weighs what decoding allocates. It stops where decoding would at the latest.
type estimator struct {
	d         Decoder // counts the elements of lists as decoding does
	left      int64
	onceBytes int64  // what was taken so far, where nothing is allocated more than once
	err       *Error // allocated when there is one
}

// regrowthFactor is how much more than its elements a list may have taken when it was not allocated
// at once: all its smaller predecessors.
const regrowthFactor = 6

// spend takes fixed bytes, and growing ones of what may be copied as it grows, for what is at off.
func (s *estimator) spend(fixed, growing int64, off uint) bool {
	s.onceBytes += fixed + growing
	if s.left -= fixed + regrowthFactor*growing; s.left >= 0 {
		return true
	}
	s.err = &Error{Code: TooMuchMemory, Offset: int(off)}
	return false
}

// message weighs the fields in [off, n), or up to the end of the group with this number, and
// returns the offset behind them; bad where decoding fails or too much is spent.
func (s *estimator) message(n, off, group uint, t *Table, depth int) uint {
	if depth < 0 {
		return bad
	}
	p := s.d.p
	// the tag of the field before, and where those like it end that are paid for
	var last, paidTo uint
	// a bit for each message, list of messages or map; from 1024 fields on they share them
	var seen [16]uint64
	room := firstUnknown + 24 + uint(unknownRoom)
	left, onceBefore := s.left, s.onceBytes // since all that there is may have been copied
	for off < n {
		tag, at := tagAt(p, n, off)
		if at == bad {
			return bad
		}
		if tag&7 == wireEnd {
			if group == 0 || tag>>3 != group {
				return bad
			}
			return at
		}
		i, f := fieldIndex(t.Fields, tag>>3), (*FieldInfo)(nil)
		if i >= 0 {
			f = &t.Fields[i]
		}
		known := f != nil && f.accepts(tag&7)
		start, next := s.value(n, at, tag, f, known, depth)
		ok, again := s.err == nil, false
		switch {
		case !ok:
		case !known:
			ok = next == bad || s.spend(int64(room), int64(next-off), off)
			room = 0
		case f.Kind < KindMessage:
			if next != bad {
				fixed, growing := f.memory(p, next, start, tag)
				ok = s.spend(fixed, growing, off)
			}
		case tag == last && at < paidTo: // paid for
		default:
			word, bit := &seen[i>>6&15], uint64(1)<<(i&63)
			again = *word&bit != 0
			*word |= bit
			cost := f.size() + f.size()/8 + 32
			if f.Kind == KindMap || f.Flags&FlagRepeated != 0 {
				cost, paidTo = s.adjacent(f, tag, n, at)
			}
			ok = s.spend(cost, 0, off)
		}
		// a list in pieces, or a message that is merged with one before and may have some
		if ok && again {
			if more := regrowthFactor*(s.onceBytes-onceBefore) - (left - s.left); more > 0 {
				ok = s.spend(more, 0, off)
				s.onceBytes -= more
			}
			left, onceBefore = s.left, s.onceBytes
		}
		if !ok {
			if MaxDepth-depth > maxPathLevels {
				s.err.Path = "..."
			} else if f != nil {
				s.err.in(f.Name, -1)
			}
			return bad
		}
		if next == bad {
			return bad
		}
		off, last = next, tag
	}
	if group != 0 {
		return bad
	}
	return off
}

// value goes into a message, and behind any other value, of field f if it is known. It returns
// where the payload starts and the value ends.
func (s *estimator) value(n, at, tag uint, f *FieldInfo, known bool, depth int) (start, next uint) {
	switch {
	case known && f.Kind == KindGroup:
		return at, s.message(n, at, tag>>3, f.Sub.GremlinTable(), depth-1)
	case tag&7 != wireBytes:
		return at, skipValue(s.d.p, n, at, tag)
	}
	start, next = payloadAt(s.d.p, n, at)
	if known && f.Kind >= KindMessage && next != bad &&
		s.message(next, start, 0, f.Sub.GremlinTable(), depth-1) == bad {
		next = bad
	}
	return start, next
}

// adjacent returns what the elements of a list of messages or a map take that stand together, the
// first with its value at off, and where they end: decoding makes room for all of them when it
// comes to the first.
func (s *estimator) adjacent(f *FieldInfo, tag, n, off uint) (cost int64, end uint) {
	first := s.d.skipCounted(tag, n, off)
	count, end := s.d.countRun(tag, n, first)
	if f.Kind != KindMap {
		each := f.size()
		return int64(1+count) * (each + each/8 + 24), end // also if they are generated as pointers
	}
	entry := f.Sub.GremlinTable().Fields
	each := 8 + entry[0].size() + entry[1].size()
	// Room is made for eight at least, in powers of two, of which an eighth stays free; and for
	// less than there are where they are short, so that the map grows.
	cost = int64(max(8, s.d.entries(tag, n, first)))*each*5/2 + 64
	if count > int(end-first)/entryBytes {
		cost += int64(1+count) * each * 5
	}
	return cost, end
}

// memory returns what the value from start to end takes, of a field that is neither message nor
// map, and what of that may be copied as it grows.
func (f *FieldInfo) memory(p Ptr, end, start, tag uint) (fixed, growing int64) {
	// a pointer or the member of a oneof; or a number that a closed enum does not have
	if f.Flags&FlagRepeated == 0 {
		return 32, int64(end - start)
	}
	count := int64(1)
	if tag&7 == wireBytes && f.Kind.packable() {
		switch f.Kind.wire() {
		case wireVarint:
			count = int64(countVarints(p, end, start))
		case wireFixed32:
			count = int64(end-start) / 4
		default:
			count = int64(end-start) / 8
		}
	}
	return 16, count * f.size()
}

// size returns how many bytes a value is where it is part of a slice or of a map.
func (f *FieldInfo) size() int64 {
	switch f.Kind {
	case KindMessage, KindGroup:
		return int64(f.Sub.GremlinTable().Memory)
	case KindBool:
		return 1
	case KindString:
		return 16
	case KindBytes:
		return 24
	case KindInt32, KindSint32, KindUint32, KindSfixed32, KindFixed32, KindFloat:
		return 4
	}
	return 8 // of an enum four, and as much while it is looked up
}
