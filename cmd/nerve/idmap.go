package main

import (
	"encoding/binary"
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// idMap says which id each record of a queue got in another one.
type idMap struct {
	// cut is the source id up to which ranges were given up, because metadata
	// of a pointer is short.
	cut    nerve.ID
	ranges []idRange
}

// idRange is n records one behind the other in both queues.
type idRange struct {
	from, to nerve.ID // the first
	n        uint64
}

// end is the last source id of r.
func (r idRange) end() nerve.ID { return r.from + nerve.ID(r.n) - 1 }

// end is the last source id that was copied, 0 if none was.
func (m *idMap) end() nerve.ID {
	if n := len(m.ranges); n > 0 {
		return m.ranges[n-1].end()
	}
	return m.cut
}

// add says that n records from source id from on are in the target from id to
// on, and reports whether that begins a new range.
func (m *idMap) add(from, to nerve.ID, n uint64) (begins bool) {
	if last := len(m.ranges) - 1; last >= 0 {
		r := &m.ranges[last]
		if from == r.end()+1 && to == r.to+nerve.ID(r.n) {
			r.n += n
			return false
		}
	}
	m.ranges = append(m.ranges, idRange{from, to, n})
	return true
}

// resume adds the last append of a copy that was killed. A map is saved after
// each append that begins a range, so what is not in it is either a part of the
// last range, up to this append, or this append alone.
func (m *idMap) resume(from, to nerve.ID, n uint64) {
	if last := len(m.ranges) - 1; last >= 0 {
		r := &m.ranges[last]
		if from-r.from == to-r.to {
			r.n = uint64(from-r.from) + n
			return
		}
	}
	m.add(from, to, n)
}

// pointer maps a pointer: everything up to the result is everything up to id. It
// does not know about ids in ranges that were given up.
func (m *idMap) pointer(id nerve.ID) (nerve.ID, bool) {
	if len(m.ranges) == 0 || id < m.ranges[0].from && m.cut > 0 {
		return 0, false
	}
	at := m.ranges[0].to - 1
	for _, r := range m.ranges {
		if id < r.from {
			break
		}
		at = r.to + min(id, r.end()) - r.from
	}
	return at, true
}

// progress maps what a consumer did above its pointer. Records that were not copied
// are left out; those of others between two ranges are as new.
func (m *idMap) progress(p nerve.Progress) nerve.Progress {
	return nerve.MakeProgress(func(yield func(nerve.Span) bool) {
		for s := range p.All() {
			for _, r := range m.ranges {
				first, last := max(s.First, r.from), min(s.Last, r.end())
				if first > last {
					continue
				}
				mapped := nerve.Span{First: r.to + (first - r.from), Last: r.to + (last - r.from),
					Attempts: s.Attempts}
				if !yield(mapped) {
					return
				}
			}
		}
	})
}

const idMapVersion = 1

// encode returns the map in at most nerve.MaxMeta bytes. It gives up the oldest
// ranges for that.
func (m *idMap) encode() []byte {
	for {
		b := binary.AppendUvarint([]byte{idMapVersion}, uint64(m.cut))
		from, to := nerve.ID(0), nerve.ID(0)
		for _, r := range m.ranges {
			b = binary.AppendUvarint(b, uint64(r.from-from))
			b = binary.AppendVarint(b, int64(r.to-to))
			b = binary.AppendUvarint(b, r.n)
			from, to = r.from, r.to
		}
		if len(b) <= nerve.MaxMeta {
			return b
		}
		m.cut = m.ranges[0].end()
		m.ranges = slices.Delete(m.ranges, 0, 1)
	}
}

// decodeIDMap reads what encode wrote.
func decodeIDMap(b []byte) (m idMap, ok bool) {
	if len(b) == 0 || b[0] != idMapVersion {
		return m, false
	}
	b = b[1:]
	ok = true
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		ok = ok && n > 0
		b = b[max(n, 0):]
		return v
	}
	m.cut = nerve.ID(next())
	from, to := nerve.ID(0), nerve.ID(0)
	for ok && len(b) > 0 {
		from += nerve.ID(next())
		distance, n := binary.Varint(b)
		ok = ok && n > 0
		b = b[max(n, 0):]
		to += nerve.ID(distance)
		count := next()
		ok = ok && from > m.end() && to > 0 && count > 0 && count < 1<<62
		m.ranges = append(m.ranges, idRange{from, to, count})
	}
	return m, ok
}
