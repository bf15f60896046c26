package nerve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// OpenError says that a consumer is already open in this process.
type OpenError struct{ Name string }

// Error implements error.
func (e *OpenError) Error() string {
	return fmt.Sprintf("nerve: consumer %q is already open; a name is for one reader at a time", e.Name)
}

// registry holds the open consumers of a queue and saves their pointers.
type registry struct {
	queue *Queue

	mu     sync.Mutex
	byName map[string]*Consumer
	closed bool

	saving sync.Mutex // one save at a time keeps pointers from going back
	stop   chan struct{}
	done   chan struct{}
}

func newRegistry(q *Queue) *registry {
	r := &registry{
		queue:  q,
		byName: make(map[string]*Consumer),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go r.saveLoop()
	return r
}

func (r *registry) open(name string, options ConsumerOptions) (*Consumer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if r.byName[name] != nil {
		return nil, &OpenError{Name: name}
	}
	c := &Consumer{name: name, queue: r.queue, options: options, ended: make(chan struct{})}
	pointers, err := r.queue.log.Pointers()
	if err != nil {
		return nil, err
	}
	known := false
	for _, p := range pointers {
		if p.Name == name {
			c.saved, known = p, true
		}
	}
	start := c.saved.ID
	if !known {
		if start, err = r.queue.resolve(options.Start); err != nil {
			return nil, err
		}
	}
	c.acks.reset(start)
	c.delivered = start
	if !known || c.saved.Hold != options.Hold {
		// Stored before the first delivery, so that a hold holds and a start
		// at "latest" stays where it was.
		if err := r.save(context.Background(), []*Consumer{c}); err != nil && !errors.Is(err, ErrReadOnly) {
			return nil, err
		}
	}
	r.byName[name] = c
	return c, nil
}

func (r *registry) remove(c *Consumer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byName, c.name)
}

func (r *registry) list() []*Consumer {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*Consumer, 0, len(r.byName))
	for _, c := range r.byName {
		list = append(list, c)
	}
	return list
}

// save stores the pointers that moved since they were stored.
func (r *registry) save(ctx context.Context, list []*Consumer) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	var moved []Pointer
	var movers []*Consumer
	for _, c := range list {
		p := Pointer{Name: c.name, ID: c.Pointer(), Hold: c.options.Hold}
		if p.ID != c.saved.ID || p.Hold != c.saved.Hold || c.saved.Name == "" {
			moved = append(moved, p)
			movers = append(movers, c)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	if err := r.queue.log.SavePointers(ctx, moved); err != nil {
		return err
	}
	for i, c := range movers {
		c.saved = moved[i]
	}
	return nil
}

func (r *registry) saveLoop() {
	defer close(r.done)
	tick := time.NewTicker(r.queue.options.SaveInterval)
	defer tick.Stop()
	told := false // of a failure, until a save succeeds
	for {
		select {
		case <-tick.C:
		case <-r.stop:
			return
		}
		err := r.save(context.Background(), r.list())
		failed := err != nil && !errors.Is(err, ErrReadOnly)
		if failed && !told {
			r.queue.options.Logger.Error("nerve: consumer pointers are not saved", "error", err)
		}
		told = failed
	}
}

func (r *registry) close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.stop)
	<-r.done
	var all error
	for _, c := range r.list() {
		if err := c.Close(); err != nil && !errors.Is(err, ErrClosed) {
			all = errors.Join(all, err)
		}
	}
	return all
}
