package lease

import (
	"cmp"
	"context"
	"errors"

	"github.com/octopus-framework/octopus/nerve"
)

// load reads the data of records that are not in memory: those that were tried before, or waited
// behind one of their key. What cannot be had any more is noted in its lease.
func (d *Dispatcher) load(ctx context.Context, given []Lease) error {
	for i := range given {
		l := &given[i]
		if l.Data != nil {
			continue
		}
		rec, err := d.consumer.Queue().Get(ctx, l.ID)
		switch {
		case err == nil:
			l.Data = rec.Data
		case isGone(err):
			l.Err = cmp.Or(l.Err, err)
		default:
			return err
		}
	}
	return nil
}

// isGone tells whether err says that a record cannot be had any more.
func isGone(err error) bool {
	var trimmed *nerve.TrimmedError
	var corrupt *nerve.CorruptError
	var lost *nerve.LostError
	return errors.As(err, &trimmed) || errors.As(err, &corrupt) || errors.As(err, &lost)
}
