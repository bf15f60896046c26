package main

import (
	"context"
	"fmt"
	"slices"

	shopv1 "github.com/octopus-framework/octopus/examples/shop/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

// store is what the service does, whatever carries it.
type store struct{ queue *nerve.Queue }

// place appends an order as it came: the bytes that its Reader reads.
func (s store) place(ctx context.Context, o *shopv1.OrderReader) (*shopv1.Placed, error) {
	id, err := s.queue.Append(ctx, o.Raw())
	return &shopv1.Placed{Id: int64(id)}, err
}

// importAll appends orders until receive says io.EOF, in one batch.
func (s store) importAll(ctx context.Context,
	receive func() (*shopv1.OrderReader, error)) (*shopv1.Imported, error) {
	var batch nerve.Batch
	for o, err := range received(receive) {
		if err != nil {
			return nil, err
		}
		batch.Append(o.Raw())
	}
	if batch.Len() == 0 {
		return &shopv1.Imported{}, nil
	}
	first, err := s.queue.AppendBatch(ctx, &batch)
	return &shopv1.Imported{Count: int64(batch.Len()), Last: int64(first) + int64(batch.Len()) - 1},
		err
}

// list sends what is in the queue now.
func (s store) list(ctx context.Context, from int64, send func(*shopv1.Entry) error) error {
	first, last := s.queue.Bounds()
	r, err := s.read(ctx, max(nerve.ID(from), first))
	if err != nil {
		return err
	}
	defer r.cursor.Close()
	for id := max(nerve.ID(from), first); id <= last; id++ {
		if err := r.send(ctx, send); err != nil {
			return err
		}
	}
	return nil
}

// watch sends as many orders as each request asks for.
func (s store) watch(ctx context.Context, receive func() (*shopv1.WatchRequestReader, error),
	send func(*shopv1.Entry) error) error {
	first, _ := s.queue.Bounds()
	r, err := s.read(ctx, first)
	if err != nil {
		return err
	}
	defer r.cursor.Close()
	for req, err := range received(receive) {
		if err != nil {
			return err
		}
		for range req.GetCount() {
			if err := r.send(ctx, send); err != nil {
				return err
			}
		}
	}
	return nil
}

// reader reads the queue record by record.
type reader struct {
	cursor  nerve.Cursor
	records []nerve.Record // records of the batch that are left
	batch   nerve.Batch
}

func (s store) read(ctx context.Context, from nerve.ID) (*reader, error) {
	cursor, err := s.queue.Read(ctx, from)
	return &reader{cursor: cursor}, err
}

// send sends the next record, for which it waits.
func (r *reader) send(ctx context.Context, send func(*shopv1.Entry) error) error {
	if len(r.records) == 0 {
		if err := r.cursor.Next(ctx, &r.batch); err != nil {
			return err
		}
		r.records = slices.AppendSeq(r.records, r.batch.All())
	}
	rec := r.records[0]
	r.records = r.records[1:]
	entry := shopv1.Entry{Id: int64(rec.ID), Order: new(shopv1.Order)}
	if err := entry.Order.Unmarshal(rec.Data); err != nil {
		return fmt.Errorf("order %d: %w", rec.ID, err)
	}
	return send(&entry)
}
