package nerve

import "context"

// Get returns a copy of one record: by id, without a cursor that has to be closed. It
// returns a [TrimmedError], or a [FutureError] for one that is not there yet, as far as
// the log knows ([Log.Bounds]). Read many records in order with a cursor instead.
func (q *Queue) Get(ctx context.Context, id ID) (Record, error) {
	if _, last := q.log.Bounds(); id > last {
		return Record{}, &FutureError{ID: id, Next: last + 1}
	}
	cursor, err := q.log.Read(ctx, id)
	if err != nil {
		return Record{}, err
	}
	defer cursor.Close()
	var b Batch
	if err := cursor.Next(ctx, &b); err != nil {
		return Record{}, err
	}
	for r := range b.All() {
		r.Data = append([]byte{}, r.Data...)
		return r, nil
	}
	return Record{}, &LostError{First: id, Last: id}
}
