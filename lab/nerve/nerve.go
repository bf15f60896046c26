package main

import (
	"context"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// nerveEngine goes through the public queue and consumer.
type nerveEngine struct {
	queue  *nerve.Queue
	reader *nerve.Consumer
	batch  nerve.Batch
}

func openNerve(dir string) (engine, error) { return openSeglog(dir, seglog.Options{}) }

// openNerveCached keeps appends in the cache of the system, which is what nerve
// does where they cannot bypass it.
func openNerveCached(dir string) (engine, error) {
	return openSeglog(dir, seglog.Options{NoDirect: true})
}

func openSeglog(dir string, options seglog.Options) (engine, error) {
	log, err := seglog.Open(dir, options)
	if err != nil {
		return nil, err
	}
	queue := nerve.New(log, nerve.Options{})
	reader, err := queue.Consumer("reader", nerve.ConsumerOptions{})
	if err != nil {
		return nil, err
	}
	return &nerveEngine{queue: queue, reader: reader}, nil
}

func (e *nerveEngine) append(events [][]byte) error {
	e.batch.Reset()
	for _, event := range events {
		e.batch.Append(event)
	}
	_, err := e.queue.AppendBatch(context.Background(), &e.batch)
	return err
}

func (e *nerveEngine) read(each func([]byte)) error {
	c := e.reader
	if err := c.Seek(nerve.StartOldest()); err != nil {
		return err
	}
	_, last := e.queue.Bounds()
	var b nerve.Batch
	for done := nerve.ID(0); done < last; done = b.Last() {
		if err := c.Next(context.Background(), &b); err != nil {
			return err
		}
		for rec := range b.All() {
			each(rec.Data)
		}
		if err := c.AckThrough(b.Last()); err != nil {
			return err
		}
	}
	return nil
}

func (e *nerveEngine) close() error { return e.queue.Close() }
