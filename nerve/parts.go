package nerve

import (
	"fmt"
	"sort"
)

// Part is a run of records of a batch that is stored once, by its id: one append of
// somebody who may send it again. See [Batch.Once].
type Part struct {
	ID DedupID
	// Start and End are the first record of the run, from 0, and the one after it.
	Start, End int

	// Stored is where the records are, once the batch is appended; Key is zero. If
	// they were there before, it is how many were stored then that counts.
	Stored Appended
	// Repeated says that they were there before, and nothing was stored.
	Repeated bool

	same    int // the part before in this batch with this id, from 1; 0 if none
	dropped int // records of b that were not stored, up to the end of this part
}

// MaxParts is how many parts a batch may have.
const MaxParts = 1024

// places says where the records of an appended batch are.
type places struct {
	parts []Part // parts in the order of Start
	base  ID     // id of the first record that was stored, if there are parts
	nano  int64  // its append time
	lost  error  // what became of records without id, if nobody knows
}

// Once gives an id to the records that were appended since the last Once, all of
// the batch if there was none: a [Deduplicator] stores them once, all or none,
// and beside it the other records of the batch. A batch has either a Key or ids,
// of which there are at most [MaxParts].
func (b *Batch) Once(id DedupID) {
	start := 0
	if n := len(b.places.parts); n > 0 {
		start = b.places.parts[n-1].End
	}
	b.addPart(id, start)
}

// addPart gives an id to the records from start on.
func (b *Batch) addPart(id DedupID, start int) {
	if start < b.Len() {
		b.places.parts = append(b.places.parts, Part{ID: id, Start: start, End: b.Len()})
	}
}

// Parts are the runs of records with ids, in order. They alias the batch.
func (b *Batch) Parts() []Part { return b.places.parts }

// SetParts is for servers. It gives ids to runs of records, of which only ID, Start
// and End count: they must be in order, within the batch, and not overlap, which an
// append checks. The batch keeps parts.
func (b *Batch) SetParts(parts []Part) { b.places = places{parts: parts} }

// checkParts returns a KeyError or TooLargeError if no log takes the parts.
func (b *Batch) checkParts() error {
	if len(b.places.parts) == 0 {
		return nil
	}
	if len(b.places.parts) > MaxParts {
		return &TooLargeError{What: "ids", Size: len(b.places.parts), Limit: MaxParts}
	}
	if b.Key != (Key{}) {
		return &KeyError{Key: b.Key, Reason: "the batch has ids as well"}
	}
	at := 0
	for i := range b.places.parts {
		p := &b.places.parts[i]
		if p.ID == (DedupID{}) {
			return &KeyError{Reason: "its id is zero"}
		}
		if p.Start < at || p.End <= p.Start || p.End > b.Len() {
			return &KeyError{Reason: fmt.Sprintf("there are no records %d to %d for it", p.Start,
				p.End-1)}
		}
		at = p.End
	}
	return nil
}

// Covered reports whether every record of b has an id: it may be appended again
// whenever nobody knows what became of it.
func (b *Batch) Covered() bool {
	n := 0
	for i := range b.places.parts {
		n += b.places.parts[i].End - b.places.parts[i].Start
	}
	return n == b.Len() && n > 0
}

// Sift is for logs. It looks up the ids of b and returns what is left to store: b
// itself if all of it is new, else a copy of what is. known returns where the
// records of an id are, zero if it is not remembered.
func (b *Batch) Sift(known func(DedupID) Appended) *Batch {
	repeated := false
	var here map[DedupID]int
	if len(b.places.parts) > 1 {
		here = make(map[DedupID]int, len(b.places.parts))
	}
	for i := range b.places.parts {
		p := &b.places.parts[i]
		p.Stored, p.same = known(p.ID), 0
		p.Repeated = p.Stored.First > 0
		if here != nil && !p.Repeated {
			if p.same = here[p.ID]; p.same > 0 {
				p.Repeated = true
			} else {
				here[p.ID] = i + 1
			}
		}
		repeated = repeated || p.Repeated
	}
	if !repeated {
		return b
	}
	rest := new(Batch)
	at := 0
	for i := range b.places.parts {
		p := &b.places.parts[i]
		rest.appendRange(b, at, p.Start)
		if !p.Repeated {
			start := rest.Len()
			rest.appendRange(b, p.Start, p.End)
			rest.addPart(p.ID, start)
		}
		at = p.End
	}
	rest.appendRange(b, at, b.Len())
	return rest
}

// appendRange adds the records from..to-1 of other.
func (b *Batch) appendRange(other *Batch, from, to int) {
	start := other.start
	if from > 0 {
		start = int(other.ends[from-1])
	}
	for _, end := range other.ends[from:to] {
		b.Append(other.packed[start+recordPrefix : end])
		start = int(end)
	}
}

// Place is for logs. It tells b where its records are, after rest, which Sift
// returned, was stored at rest.First, or nothing was left to store.
func (b *Batch) Place(rest *Batch) {
	b.places.base, b.places.nano = rest.First, rest.UnixNano
	dropped := 0
	for i := range b.places.parts {
		p := &b.places.parts[i]
		switch {
		case p.same > 0:
			p.Stored = b.places.parts[p.same-1].Stored
		case !p.Repeated:
			first := rest.First + ID(p.Start-dropped)
			p.Stored = Appended{First: first, Last: first + ID(p.End-p.Start) - 1,
				UnixNano: rest.UnixNano}
		}
		if p.Repeated {
			dropped += p.End - p.Start
		}
		p.dropped = dropped
	}
	if b.Len() > 0 {
		b.First, b.UnixNano, _ = b.places.of(0)
	}
}

// of returns where record i is.
func (p *places) of(i int) (ID, int64, error) {
	n := sort.Search(len(p.parts), func(n int) bool { return p.parts[n].Start > i })
	dropped := 0
	if n > 0 {
		part := &p.parts[n-1]
		if i < part.End {
			at := part.Stored.First + ID(i-part.Start)
			return min(at, part.Stored.Last), part.Stored.UnixNano, nil
		}
		dropped = part.dropped
	}
	if p.lost != nil {
		return 0, 0, p.lost
	}
	return p.base + ID(i-dropped), p.nano, nil
}

// outcome returns where the first of count records from i on is, or why nobody
// knows what became of some of them.
func (p *places) outcome(i, count int) (ID, error) {
	if p.lost != nil {
		without := count
		for n := range p.parts {
			if part := &p.parts[n]; part.Start >= i && part.End <= i+count {
				without -= part.End - part.Start
			}
		}
		if without > 0 {
			return 0, p.lost
		}
	}
	id, _, err := p.of(i)
	return id, err
}

// onlyParts returns a copy of the records with ids.
func (b *Batch) onlyParts() *Batch {
	some := new(Batch)
	for i := range b.places.parts {
		p := &b.places.parts[i]
		start := some.Len()
		some.appendRange(b, p.Start, p.End)
		some.addPart(p.ID, start)
	}
	return some
}

// placeParts takes over where the records of onlyParts are. Nobody knows what
// became of the others.
func (b *Batch) placeParts(some *Batch, lost error) {
	b.places.lost = lost
	for i, p := range some.places.parts {
		mine := &b.places.parts[i]
		mine.Stored, mine.Repeated = p.Stored, p.Repeated
	}
}
