package store

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/octopus-framework/octopus/nerve"
)

// WalkFunc is told a key and its value, which is valid during the call. It returns operations to
// carry out when the walk has ended, and whether it goes on.
type WalkFunc func(key string, value []byte) (ops []*Op, more bool, err error)

// Walk calls fn for each key, other keys before items, and carries out the operations that it
// returned, as one batch. After an error, the end of ctx among them, none is. The store is locked
// meanwhile.
func (s *Store) Walk(ctx context.Context, fn WalkFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	var all []*Op
	err := s.walk(func(key string, value []byte) (bool, error) {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		ops, more, err := fn(key, value)
		all = append(all, ops...)
		return more, err
	})
	if err != nil || len(all) == 0 {
		return err
	}
	return s.carryOut(all)
}

// walk yields all keys until yield returns false.
func (s *Store) walk(yield func(string, []byte) (bool, error)) error {
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		v := s.values[key]
		if !v.there {
			continue
		}
		if more, err := yield(key, v.data); err != nil || !more {
			return err
		}
	}
	for r := range s.index.all {
		for i := range r.count {
			number := r.number + i
			if _, gone := s.intent.items[number]; gone {
				continue
			}
			value, err := s.readItem(r.id + nerve.ID(i))
			if err != nil {
				return err
			}
			if value == nil {
				continue
			}
			if more, err := yield(strconv.FormatUint(number, 10), value); err != nil || !more {
				return err
			}
		}
	}
	return nil
}
