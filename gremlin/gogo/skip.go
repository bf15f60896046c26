package gogo

// SkipField passes over the field whose tag is at i, a group with all that is in it.
func SkipField(b []byte, i int) (next int) {
	for depth := 0; i < len(b); {
		var wire uint64
		if uint(i) < uint(len(b)) && b[i] < 0x80 {
			wire, i = uint64(b[i]), i+1
		} else if wire, i = longVarint(b, i); i < 0 {
			return i
		}
		switch wire & 7 {
		case 0:
			for n := 0; ; n++ {
				if n == 10 {
					return overflow
				}
				if i >= len(b) {
					return truncated
				}
				i++
				if b[i-1] < 0x80 {
					break
				}
			}
		case 1:
			i += 8
		case 2:
			n, start := Length(b, i)
			if start < 0 {
				return start
			}
			i = start + n
		case 3:
			depth++
		case 4:
			if depth == 0 {
				return endOfGroup
			}
			depth--
		case 5:
			i += 4
		case 6:
			return wireType6
		default:
			return wireType7
		}
		if depth == 0 {
			return i
		}
	}
	return truncated
}

// SkipEntry passes over a field of a map's entry that is neither key nor value. The entry ends at
// end.
func SkipEntry(b []byte, i, end int) (next int) {
	if i = SkipField(b, i); i > end {
		return truncated
	}
	return i
}

// Skip is what is behind the skip functions of generated files: how long the first field of b is.
func Skip(b []byte, e *Errors) (n int, err error) {
	if n = SkipField(b, 0); n < 0 {
		return 0, e.of(n)
	}
	return n, nil
}

// Unknown reads the field whose tag is at start, with its value at i, and which has no case in
// generated code: because the message has no such field, or because the wire type is none that the
// field has. It returns its bytes, which lie in b.
func (m *Message) Unknown(b []byte, start, i int, tag uint64) (raw []byte, next int, err error) {
	number := int32(tag >> 3)
	if i < 0 || number <= 0 || tag&7 == 4 {
		return nil, 0, m.badTag(b, start)
	}
	if name, ok := m.field(number); ok {
		return nil, 0, wrong("proto: wrong wireType = " + decimalU(tag&7) + " for field " + name)
	}
	if tag&7 == 2 {
		if next, i = Length(b, i); i >= 0 {
			i += next
		}
		next = i
	} else {
		next = SkipField(b, start)
	}
	if next < 0 {
		return nil, 0, m.Error(next)
	}
	if next > len(b) {
		return nil, 0, m.Error(truncated)
	}
	return b[start:next], next, nil
}

// badTag returns the error for the tag at i.
func (m *Message) badTag(b []byte, i int) error {
	wire, next := Varint(b, i)
	switch {
	case next < 0:
		return m.Error(next)
	case wire&7 == 4:
		return wrong("proto: " + m.Name + ": wiretype end group for non-group")
	}
	return wrong("proto: " + m.Name + ": illegal tag " + decimal(int64(int32(wire>>3))) +
		" (wire type " + decimalU(wire) + ")")
}
