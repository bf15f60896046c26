package store

import "strconv"

// Kind is what an operation does.
type Kind uint8

// The kinds.
const (
	Get Kind = iota
	Set
	Delete
)

// Op is one operation of a batch.
type Op struct {
	Kind  Kind
	Key   string
	Value []byte // what to set, or what a Get found: nil if there is nothing

	number uint64
	item   bool // Key is a number
	last   bool // it is the last in its batch that changes Key
}

func (o *Op) changes() bool { return o.Kind != Get }

// parseNumber returns the number that key is written as, without leading zeros.
func parseNumber(key string) (uint64, bool) {
	if len(key) == 0 || key[0] < '0' || key[0] > '9' || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(key, 10, 64)
	return n, err == nil
}

// shape is what a batch consists of, by its last changes.
type shape struct {
	items   int // operations on items
	sets    int // items that are set
	deletes int // items that are deleted
	others  int // changes of other keys
	bytes   int // size of what is set
}

// deletesOnly reports whether a batch deletes items and does nothing else.
func (s shape) deletesOnly(n int) bool { return s.deletes > 0 && s.deletes == n }

// logged reports whether a batch is written at once.
func (s shape) logged() bool { return s.sets > 0 || s.others > 0 && s.items == 0 }

// prepare parses the keys of a batch, finds the last change of each key and what it consists of.
func prepare(ops []*Op) (s shape) {
	for _, o := range ops {
		o.number, o.item = parseNumber(o.Key)
		o.last = o.changes()
	}
	markLast(ops)
	for _, o := range ops {
		if o.item {
			s.items++
		}
		if !o.last {
			continue
		}
		switch {
		case !o.item:
			s.others++
		case o.Kind == Set:
			s.sets++
		default:
			s.deletes++
		}
		if o.Kind == Set {
			s.bytes += len(o.Key) + len(o.Value)
		}
	}
	return s
}

// smallBatch is up to how many operations are compared with each other.
const smallBatch = 16

func markLast(ops []*Op) {
	if len(ops) <= smallBatch {
		for i, o := range ops {
			for _, later := range ops[i+1:] {
				if o.last && later.changes() && later.Key == o.Key {
					o.last = false
				}
			}
		}
		return
	}
	last := make(map[string]*Op, len(ops))
	for _, o := range ops {
		if !o.changes() {
			continue
		}
		if before := last[o.Key]; before != nil {
			before.last = false
		}
		last[o.Key] = o
	}
}
