package store

import (
	"iter"
	"math/bits"

	"github.com/octopus-framework/octopus/nerve"
)

// live is a set of ids between a lowest and a highest, a bit each.
type live struct {
	words []uint64 // the first is not 0
	base  nerve.ID // id of the first bit of words, a multiple of wordBits
	count uint64
}

const wordBits = 64

func (l *live) has(id nerve.ID) bool {
	if id < l.base {
		return false
	}
	i := uint64(id-l.base) / wordBits
	return i < uint64(len(l.words)) && l.words[i]&(1<<(id%wordBits)) != 0
}

// add adds n ids from id on, which are above all that were added before.
func (l *live) add(id nerve.ID, n uint64) {
	if n == 0 {
		return
	}
	l.count += n
	if len(l.words) == 0 {
		l.base = id &^ (wordBits - 1)
	}
	if words := uint64(id-l.base+nerve.ID(n)-1)/wordBits + 1; words > uint64(len(l.words)) {
		l.words = append(l.words, make([]uint64, words-uint64(len(l.words)))...)
	}
	for n > 0 {
		bit := uint64(id) % wordBits
		now := min(n, wordBits-bit)
		l.words[uint64(id-l.base)/wordBits] |= (^uint64(0) >> (wordBits - now)) << bit
		id, n = id+nerve.ID(now), n-now
	}
}

func (l *live) remove(id nerve.ID) {
	if !l.has(id) {
		return
	}
	l.words[uint64(id-l.base)/wordBits] &^= 1 << (id % wordBits)
	l.count--
	if l.count == 0 {
		l.words = nil
		return
	}
	empty := 0
	for l.words[empty] == 0 {
		empty++
	}
	l.words = l.words[empty:]
	l.base += nerve.ID(empty) * wordBits
}

// lowest returns the lowest id of the set, false if it is empty.
func (l *live) lowest() (nerve.ID, bool) {
	if l.count == 0 {
		return 0, false
	}
	return l.base + nerve.ID(bits.TrailingZeros64(l.words[0])), true
}

// runs yields the ids of the set among n from id on, those that lie together at once.
func (l *live) runs(id nerve.ID, n uint64) iter.Seq[run] {
	return func(yield func(run) bool) {
		end := min(id+nerve.ID(n), l.base+nerve.ID(len(l.words))*wordBits)
		for at := max(id, l.base); at < end; {
			rest := l.words[uint64(at-l.base)/wordBits] >> (at % wordBits)
			if rest == 0 {
				at = (at | (wordBits - 1)) + 1
				continue
			}
			at += nerve.ID(bits.TrailingZeros64(rest))
			from := at
			for at < end && l.has(at) {
				at++
			}
			if from < end && !yield(run{id: from, count: uint64(at - from)}) {
				return
			}
		}
	}
}
