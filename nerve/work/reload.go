package work

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// maxReload is how many records are read again at a time.
const maxReload = 64

// readAgain has records that are due read again, as many as there is room for.
func (s *scheduler) readAgain(reload chan<- []*task) {
	if s.reloading {
		return
	}
	o := &s.group.options
	n := 0
	for n < min(len(s.due), maxReload) && s.again < s.share() && s.held < o.MaxPending &&
		s.bytes < o.MaxPendingBytes {
		t := s.due[n]
		s.take(t)
		t.again = true
		s.again++
		n++
	}
	if n == 0 {
		return
	}
	list := s.due[:n:n]
	s.due = s.due[n:]
	s.reloading = true
	reload <- list
}

// reload reads the records of tasks again until there are no more lists, and then sends nothing.
func (g *Group) reload(ctx context.Context, lists <-chan []*task, answer chan<- reloaded) {
	for list := range lists {
		answer <- reloaded{list, g.readTasks(ctx, list)}
	}
}

// nearby is how many records further on a cursor reads rather than that a new one begins there.
const nearby = 1024

// readTasks reads the data of tasks. What is not there any more, or cannot be read, is given up;
// the error is one after which nothing can be read.
func (g *Group) readTasks(ctx context.Context, list []*task) error {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b *task) int {
		return cmp.Compare(a.ID, b.ID)
	})
	var r rereader
	defer func() { r.close() }()
	for _, t := range sorted {
		data, err := r.read(ctx, g.consumer.Queue(), t.ID)
		switch {
		case err == nil:
			t.Data = data
		case isGone(err):
			t.reason = cmp.Or(t.reason, err)
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

// rereader reads single records in ascending order.
type rereader struct {
	cursor nerve.Cursor
	batch  nerve.Batch
	next   nerve.ID // next id of the cursor
}

// read returns a copy of a record.
func (r *rereader) read(ctx context.Context, q *nerve.Queue, id nerve.ID) ([]byte, error) {
	if r.cursor != nil && id > r.next+nearby {
		r.close()
	}
	if r.cursor == nil {
		cursor, err := q.Read(ctx, id)
		if err != nil {
			return nil, err
		}
		r.cursor, r.next, r.batch = cursor, id, nerve.Batch{}
	}
	for r.next <= id {
		if err := r.cursor.Next(ctx, &r.batch); err != nil {
			r.close()
			return nil, err
		}
		r.next = r.batch.Last() + 1
	}
	r.batch.DropBefore(id)
	for rec := range r.batch.All() {
		return append([]byte(nil), rec.Data...), nil
	}
	return nil, &nerve.LostError{First: id, Last: id}
}

func (r *rereader) close() {
	if r.cursor != nil {
		r.cursor.Close()
		r.cursor = nil
	}
}
