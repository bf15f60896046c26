package seglog

import (
	"fmt"

	"github.com/octopus-framework/octopus/nerve"
)

// tornLooks bounds how often a reader reads a state again in which a slot of the mark
// cannot be read.
const tornLooks = 4

// badSlots returns the offsets of the slots in the content b of a state file that
// cannot be read, of the mark and of as many consumers. The other slot of each is
// used. A crash while a slot was written leaves one, and so does damage.
func badSlots(b []byte, consumers int) (bad []int64) {
	for at := 0; at < pointersBase+consumers*pointerSize; at += slotSize {
		ok := false
		if end := at + slotSize; end <= len(b) && at < pointersBase {
			_, ok = decodeMark(b[at:end])
		} else if end <= len(b) {
			_, ok = decodePointer(b[at:end])
		}
		if !ok {
			bad = append(bad, int64(at))
		}
	}
	return bad
}

// unclaimed returns how many consumers follow in the content b of a state file whose
// mark counts some: where one slot of the mark cannot be read, the other may be from
// before they were added.
func unclaimed(b []byte, counted int) int {
	n := 0
	for counted+n < MaxConsumers {
		if _, ok := pickPointer(counted+n, b, nil); !ok {
			break
		}
		n++
	}
	return n
}

// stateDamage names what Open finds wrong with the state. A slot that a crash left to a
// writer is not damage: it is written again.
func (l *Log) stateDamage() (list []*nerve.CorruptError) {
	if l.options.ReadOnly {
		list = l.state.slotDamage()
	}
	if l.state.damaged > 0 {
		list = append(list, l.state.lostConsumers())
	}
	return list
}

// lostConsumers names the consumers of which neither slot can be read.
func (s *state) lostConsumers() *nerve.CorruptError {
	return &nerve.CorruptError{File: s.path, Offset: pointersBase,
		Reason: fmt.Sprintf("%d consumers cannot be read", s.damaged)}
}

// slotDamage names the slots that cannot be read.
func (s *state) slotDamage() (list []*nerve.CorruptError) {
	for _, at := range s.bad {
		reason := "one slot of the mark cannot be read; the other one and the segments are used"
		if at >= pointersBase {
			reason = "one slot of a consumer cannot be read; if the other one can, it is used"
		}
		list = append(list, &nerve.CorruptError{File: s.path, Offset: at, Reason: reason})
	}
	return list
}
