package store

import (
	"context"
	"errors"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// reader reads records by id, ahead of those that are read in order.
type reader struct {
	log    *seglog.Log
	cursor nerve.Cursor
	batch  nerve.Batch // a view of the cursor's
	next   nerve.ID    // what the cursor yields next
	used   bool        // since the last look of maintain
}

// maxSkip is how many records are passed over to get to a later one.
const maxSkip = 256

// record returns record id, which is there, valid until the next call.
func (r *reader) record(id nerve.ID) ([]byte, error) {
	r.used = true
	if r.batch.Len() == 0 || id < r.batch.First || id > r.batch.Last() {
		if err := r.move(id); err != nil {
			return nil, err
		}
	}
	for rec := range r.batch.All() {
		if rec.ID == id {
			return rec.Data, nil
		}
	}
	return nil, &nerve.LostError{First: id, Last: id}
}

// move makes batch the one with record id.
func (r *reader) move(id nerve.ID) error {
	r.batch = nerve.Batch{}
	first, _ := r.log.Bounds() // the cursor may be left where nothing is any more
	if r.cursor == nil || r.next < first || id < r.next || id-r.next > maxSkip {
		if err := r.close(); err != nil {
			return err
		}
		var err error
		if r.cursor, err = r.log.Read(context.Background(), id); err != nil {
			return err
		}
		r.next = id
	}
	for r.next <= id {
		if err := r.cursor.Next(context.Background(), &r.batch); err != nil {
			r.batch = nerve.Batch{}
			return errors.Join(err, r.close())
		}
		r.next = r.batch.Last() + 1
	}
	return nil
}

func (r *reader) close() error {
	if r.cursor == nil {
		return nil
	}
	err := r.cursor.Close()
	r.cursor, r.batch = nil, nerve.Batch{}
	return err
}

// lost returns which records an error says are damaged, false if it is another error.
func lost(err error) (first, last nerve.ID, ok bool) {
	var gone *nerve.LostError
	if errors.As(err, &gone) {
		return gone.First, gone.Last, true
	}
	var damage *nerve.CorruptError
	if errors.As(err, &damage) && damage.First > 0 {
		return damage.First, max(damage.First, damage.Last), true
	}
	return 0, 0, false
}

// readItem returns the value of the item in record id, nil if it is damaged and skipped.
func (s *Store) readItem(id nerve.ID) ([]byte, error) {
	record, err := s.read.record(id)
	if _, _, ok := lost(err); ok {
		// It may lie behind what is damaged: a cursor that begins there knows.
		record, err = s.read.record(id)
	}
	if err != nil {
		if _, _, ok := lost(err); ok {
			return nil, s.damaged(1, err)
		}
		return nil, err
	}
	found := new(itemOnly)
	if err := visit(id, record, found); err != nil {
		return nil, err
	}
	return found.value, nil
}

// damaged counts items that are damaged, or stops the store.
func (s *Store) damaged(items uint64, err error) error {
	s.count.damaged += items
	s.options.Logger.Error("nerve_storage: stored bytes are damaged", "folder", s.dir, "error", err)
	if s.options.FailOnDamage {
		s.failed = err
		return err
	}
	return nil
}

// itemOnly takes the item out of a record.
type itemOnly struct {
	number uint64
	value  []byte
}

func (*itemOnly) reset()                {}
func (*itemOnly) set([]byte, []byte)    {}
func (*itemOnly) remove([]byte)         {}
func (*itemOnly) acks(nerve.ID, uint64) {}
func (*itemOnly) items(run)             {}
func (i *itemOnly) item(number uint64, value []byte) {
	i.number, i.value = number, value
	if value == nil {
		i.value = []byte{}
	}
}
