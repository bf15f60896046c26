package store

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// A record is the version and then sections, each a tag and what belongs to it.
const version = 1

const (
	tagSet      = 1 // key, value
	tagDelete   = 2 // key
	tagAcks     = 3 // records of items that are gone: how many runs; of each the gap before, length
	tagItem     = 4 // number; the value is the rest of the record
	tagSnapshot = 5 // what was before does not count
	tagItems    = 6 // items of a snapshot: how many runs; of each number, id and count
)

// appendText appends a key or value with its length.
func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendSet(b []byte, key string, value []byte) []byte {
	return appendText(appendText(append(b, tagSet), key), value)
}

func appendDelete(b []byte, key string) []byte {
	return appendText(append(b, tagDelete), key)
}

func appendItem(b []byte, number uint64, value []byte) []byte {
	return append(binary.AppendUvarint(append(b, tagItem), number), value...)
}

// appendAcks appends ids, which it sorts.
func appendAcks(b []byte, ids []nerve.ID) []byte {
	if len(ids) == 0 {
		return b
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	runs := 0
	for i, id := range ids {
		if i == 0 || id != ids[i-1]+1 {
			runs++
		}
	}
	b = binary.AppendUvarint(append(b, tagAcks), uint64(runs))
	end := nerve.ID(0)
	for i := 0; i < len(ids); {
		n := 1
		for i+n < len(ids) && ids[i+n] == ids[i]+nerve.ID(n) {
			n++
		}
		b = binary.AppendUvarint(b, uint64(ids[i]-end))
		b = binary.AppendUvarint(b, uint64(n))
		end = ids[i] + nerve.ID(n)
		i += n
	}
	return b
}

// visitor is told what a record says, in order. Keys and values alias the record.
type visitor interface {
	reset()
	set(key, value []byte)
	remove(key []byte)
	acks(id nerve.ID, n uint64)
	item(number uint64, value []byte)
	items(r run)
}

var errRecord = errors.New("the record is not one of nerve_storage, or of a later version")

// parser takes numbers and text off the front of a record.
type parser struct {
	rest []byte
	bad  bool
}

func (p *parser) number() uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.bad, p.rest = true, nil
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) text() []byte {
	n := p.number()
	if n > uint64(len(p.rest)) {
		p.bad, p.rest = true, nil
		return nil
	}
	s := p.rest[:n:n]
	p.rest = p.rest[n:]
	return s
}

// visit tells v what record id says. An error is found before v is told of the section that has it.
func visit(id nerve.ID, record []byte, v visitor) error {
	if len(record) == 0 || record[0] != version {
		return errRecord
	}
	p := &parser{rest: record[1:]}
	fresh := false // a snapshot has begun, and its items did not come yet
	for len(p.rest) > 0 {
		tag := p.rest[0]
		p.rest = p.rest[1:]
		switch tag {
		case tagSet:
			key, value := p.text(), p.text()
			if !p.bad {
				v.set(key, value)
			}
		case tagDelete:
			if key := p.text(); !p.bad {
				v.remove(key)
			}
		case tagAcks:
			visitAcks(p, id, v)
		case tagItem:
			number := p.number()
			if p.bad {
				return errRecord
			}
			v.item(number, p.rest)
			return nil
		case tagSnapshot:
			v.reset()
			fresh = true
		case tagItems:
			if !fresh {
				return errRecord
			}
			fresh = false
			visitItems(p, id, v)
		default:
			return errRecord
		}
		if p.bad {
			return errRecord
		}
	}
	return nil
}

func visitAcks(p *parser, id nerve.ID, v visitor) {
	end := uint64(0)
	for runs := p.number(); runs > 0 && !p.bad; runs-- {
		from, n := p.number()+end, p.number()
		if from < end || from >= uint64(id) || n > uint64(id)-from {
			p.bad = true
			return
		}
		v.acks(nerve.ID(from), n)
		end = from + n
	}
}

func visitItems(p *parser, id nerve.ID, v visitor) {
	end := uint64(0)
	for runs := p.number(); runs > 0 && !p.bad; runs-- {
		r := run{number: p.number(), id: nerve.ID(p.number()), count: p.number()}
		if uint64(r.id) < end || r.id >= id || r.count > uint64(id-r.id) || r.count == 0 {
			p.bad = true
			return
		}
		v.items(r)
		end = uint64(r.id) + r.count
	}
}
