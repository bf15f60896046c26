package nerve

import "math/bits"

// ackSet is the acknowledged part of a consumer's deliveries: everything up to
// pointer, and single ids above it in a ring of bits. The ring covers
// (pointer, pointer+64*len(ring)] and grows to the farthest ack.
type ackSet struct {
	pointer ID
	ring    []uint64 // length a power of two
	top     ID       // the highest id that was marked since the last reset
	above   int      // how many ids are marked
}

func (s *ackSet) slot(id ID) (word *uint64, bit uint64) {
	return &s.ring[uint64(id)/64&uint64(len(s.ring)-1)], 1 << (id % 64)
}

// has tells whether id is acknowledged.
func (s *ackSet) has(id ID) bool {
	if id <= s.pointer || id > s.top {
		return id <= s.pointer
	}
	word, bit := s.slot(id)
	return *word&bit != 0
}

// add marks id, which is above pointer, and moves the pointer over the
// contiguous prefix.
func (s *ackSet) add(id ID) {
	if id == s.pointer+1 && s.ring == nil {
		s.pointer = id
		return
	}
	s.cover(id)
	word, bit := s.slot(id)
	if *word&bit == 0 {
		*word |= bit
		s.above++
	}
	s.top = max(s.top, id)
	if id == s.pointer+1 {
		s.advance()
	}
}

// cover grows the ring until id has a place of its own in it. One word is kept
// spare because pointer and id may lie inside words.
func (s *ackSet) cover(id ID) {
	need := uint64(id-s.pointer)/64 + 2
	if need <= uint64(len(s.ring)) {
		return
	}
	old := *s
	s.ring = make([]uint64, 1<<bits.Len64(need-1))
	for i := range uint64(len(old.ring)) * 64 {
		at := old.pointer + 1 + ID(i)
		if word, bit := old.slot(at); *word&bit != 0 {
			word, bit := s.slot(at)
			*word |= bit
		}
	}
}

func (s *ackSet) advance() {
	for {
		word, bit := s.slot(s.pointer + 1)
		run := bits.TrailingZeros64(^(*word >> ((s.pointer + 1) % 64)))
		if run == 0 || *word&bit == 0 {
			return
		}
		run = min(run, 64-int((s.pointer+1)%64))
		mask := (^uint64(0) >> (64 - run)) << ((s.pointer + 1) % 64)
		*word &^= mask
		s.pointer += ID(run)
		s.above -= run
	}
}

// through acknowledges everything up to id, which is not below pointer.
func (s *ackSet) through(id ID) {
	if s.ring == nil {
		s.pointer = id
		return
	}
	if uint64(id-s.pointer) >= uint64(len(s.ring))*64 {
		s.reset(id)
		return
	}
	for s.pointer < id {
		s.pointer++
		if word, bit := s.slot(s.pointer); *word&bit != 0 {
			*word &^= bit
			s.above--
		}
	}
	s.advance()
}

// reset forgets single acks and puts the pointer at id.
func (s *ackSet) reset(id ID) { *s = ackSet{pointer: id} }

// nextOpen is the first id from id on that is not acknowledged.
func (s *ackSet) nextOpen(id ID) ID {
	for id = max(id, s.pointer+1); id <= s.top; {
		word, _ := s.slot(id)
		run := bits.TrailingZeros64(^(*word >> (id % 64))) // zeros come in from above
		id += ID(run)
		if run == 0 || id%64 != 0 {
			break
		}
	}
	return id
}

// nextAcked is the first id from id on that is acknowledged by itself; top+1 or
// more if there is none.
func (s *ackSet) nextAcked(id ID) ID {
	for id = max(id, s.pointer+1); id <= s.top; {
		word, _ := s.slot(id)
		if rest := *word >> (id % 64); rest != 0 {
			return id + ID(bits.TrailingZeros64(rest))
		}
		id += 64 - id%64
	}
	return id
}

// all yields the runs of single acks in ascending order.
func (s *ackSet) all(yield func(Span) bool) {
	for id := s.nextAcked(s.pointer + 1); id <= s.top; {
		end := s.nextOpen(id)
		if !yield(Span{First: id, Last: end - 1}) {
			return
		}
		id = s.nextAcked(end)
	}
}
