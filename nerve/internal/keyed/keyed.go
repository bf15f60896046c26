// Package keyed is the memory of a log for the keys of appends.
package keyed

import (
	"iter"
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// How much a Table remembers: the newest Appends of the Producers that appended
// last.
const (
	Appends   = 8
	Producers = 4096
)

// Table is what a log remembers. The zero value is empty. It is not safe for
// concurrent use.
type Table struct {
	producers map[uint64]*producer
	// A ring through all producers, by their last append: next of root is the
	// one that appended longest ago.
	root *producer
}

type producer struct {
	id         uint64
	prev, next *producer
	n          int // appends ever, the newest at appends[(n-1)%Appends]
	appends    [Appends]nerve.Appended
}

func (p *producer) newest() *nerve.Appended { return &p.appends[(p.n-1)%Appends] }

// all yields what is remembered of p, the oldest first.
func (p *producer) all(yield func(*nerve.Appended) bool) {
	for i := max(0, p.n-Appends); i < p.n; i++ {
		if !yield(&p.appends[i%Appends]) {
			return
		}
	}
}

// Find returns the append of key if it is remembered, zero if it is new, and a
// KeyError if it is neither or had not count records.
func (t *Table) Find(key nerve.Key, count int) (nerve.Appended, error) {
	if key.Producer == 0 || key.Seq == 0 {
		return nerve.Appended{}, &nerve.KeyError{Key: key, Reason: "producer and number begin at 1"}
	}
	p := t.producers[key.Producer]
	if p == nil || key.Seq > p.newest().Key.Seq {
		return nerve.Appended{}, nil
	}
	for a := range p.all {
		if a.Key.Seq != key.Seq {
			continue
		}
		if int(a.Last-a.First)+1 != count {
			return nerve.Appended{}, &nerve.KeyError{Key: key, Last: p.newest().Key.Seq,
				Reason: "it is repeated with another number of records"}
		}
		return *a, nil
	}
	return nerve.Appended{}, &nerve.KeyError{Key: key, Last: p.newest().Key.Seq,
		Reason: "it is too old to know whether it was stored"}
}

// Add remembers an append that Find called new.
func (t *Table) Add(a nerve.Appended) {
	p := t.producers[a.Key.Producer]
	if p == nil {
		p = t.add(a.Key.Producer)
	} else {
		p.unlink()
	}
	t.link(p)
	if p.n > 0 && a.Key.Seq <= p.newest().Key.Seq {
		p.n = 0 // it was forgotten meanwhile and began again
	}
	p.appends[p.n%Appends] = a
	p.n++
}

func (t *Table) add(id uint64) *producer {
	if t.producers == nil {
		t.producers = make(map[uint64]*producer)
		t.root = new(producer)
		t.root.prev, t.root.next = t.root, t.root
	}
	if len(t.producers) == Producers {
		oldest := t.root.next
		oldest.unlink()
		delete(t.producers, oldest.id)
	}
	p := &producer{id: id}
	t.producers[id] = p
	return p
}

// link puts p at the end of the ring.
func (t *Table) link(p *producer) {
	p.prev, p.next = t.root.prev, t.root
	p.prev.next, p.next.prev = p, p
}

func (p *producer) unlink() { p.prev.next, p.next.prev = p.next, p.prev }

// Last returns the newest append of a producer, zero if there is none.
func (t *Table) Last(id uint64) nerve.Appended {
	if p := t.producers[id]; p != nil {
		return *p.newest()
	}
	return nerve.Appended{}
}

// Len is the number of appends that are remembered.
func (t *Table) Len() int {
	n := 0
	for _, p := range t.producers {
		n += min(p.n, Appends)
	}
	return n
}

// All yields everything in an order in which Add makes the same table again.
func (t *Table) All() iter.Seq[nerve.Appended] {
	return func(yield func(nerve.Appended) bool) {
		if t.producers == nil {
			return
		}
		for p := t.root.next; p != t.root; p = p.next {
			for a := range p.all {
				if !yield(*a) {
					return
				}
			}
		}
	}
}

// Forget drops the appends above last, which a crash took.
func (t *Table) Forget(last nerve.ID) {
	kept := slices.Collect(t.All())
	*t = Table{}
	for _, a := range kept {
		if a.Last <= last {
			t.Add(a)
		}
	}
}
