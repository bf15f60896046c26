package nerve

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// registry holds the open consumers of a queue and saves their pointers.
type registry struct {
	queue *Queue

	mu      sync.Mutex
	byName  map[string]*Consumer
	opening map[string]bool // names that open is busy with
	closed  bool

	saving sync.Mutex // one save at a time keeps pointers from going back
	stop   chan struct{}
	done   chan struct{}
}

func newRegistry(q *Queue) *registry {
	r := &registry{
		queue:   q,
		byName:  make(map[string]*Consumer),
		opening: make(map[string]bool),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	go r.saveLoop()
	return r
}

func (r *registry) open(name string, options ConsumerOptions) (*Consumer, error) {
	if err := r.reserve(name); err != nil {
		return nil, err
	}
	c := &Consumer{name: name, queue: r.queue, options: options, ended: make(chan struct{})}
	err := r.start(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.opening, name)
	if err == nil && r.closed {
		err = ErrClosed
	}
	if err != nil {
		ctx, cancel := r.queue.callContext()
		defer cancel()
		_ = c.releaseName(ctx) // why it was not opened is what matters
		return nil, err
	}
	r.byName[name] = c
	if c.claim.Lease > 0 {
		go c.keepName()
	}
	return c, nil
}

// reserve keeps others from opening the name while the log is asked.
func (r *registry) reserve(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	if r.byName[name] != nil || r.opening[name] {
		return &OpenError{Name: name}
	}
	r.opening[name] = true
	return nil
}

// start claims the name and finds out where to begin.
func (r *registry) start(c *Consumer) error {
	ctx, cancel := r.queue.callContext()
	defer cancel()
	if err := c.claimName(ctx); err != nil {
		return err
	}
	pointers, err := c.pointers(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(pointers, func(p Pointer) bool { return p.Name == c.name })
	known := at >= 0
	if known {
		c.saved = pointers[at]
		c.meta = c.saved.Meta
	}
	start := c.saved.ID
	if !known {
		if start, err = r.queue.resolve(ctx, c.options.Start); err != nil {
			return err
		}
	}
	c.acks.reset(start)
	c.delivered = start
	c.restore(c.saved.Progress)
	if known && c.saved.Hold == c.options.Hold {
		return nil
	}
	// Stored before the first delivery, so that a hold holds and a start at
	// "latest" stays where it was.
	err = r.save(ctx, []*Consumer{c})
	if errors.Is(err, ErrReadOnly) {
		return &ReadOnlyConsumerError{Name: c.name}
	}
	return err
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

// save stores the pointers that moved since they were stored. A consumer that
// lost its name is left out, and the others are saved.
func (r *registry) save(ctx context.Context, list []*Consumer) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	var lost error
	for {
		moved, movers := r.moved(list)
		if len(moved) == 0 {
			return errors.Join(lost, r.saveFiles(list))
		}
		err := r.queue.log.SavePointers(ctx, moved)
		if err == nil {
			for i, c := range movers {
				c.saved = moved[i]
			}
			return errors.Join(lost, r.saveFiles(list))
		}
		var fenced *FencedError
		if !errors.As(err, &fenced) {
			return err
		}
		at := slices.IndexFunc(movers, func(c *Consumer) bool { return c.name == fenced.Name })
		if at < 0 {
			return err
		}
		movers[at].fence(fenced)
		lost = err
		list = slices.Delete(movers, at, at+1)
	}
}

// moved returns what there is to save, and whose it is.
func (r *registry) moved(list []*Consumer) (moved []Pointer, movers []*Consumer) {
	for _, c := range list {
		if c.options.elsewhere() {
			continue
		}
		p, lost := c.pointer()
		if !c.isSaved(p) && !lost {
			moved = append(moved, p)
			movers = append(movers, c)
		}
	}
	return moved, movers
}

// pointer returns what there is to save of c, and whether somebody else has the
// name.
func (c *Consumer) pointer() (p Pointer, lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Pointer{
		Name: c.name, ID: c.acks.pointer, Hold: c.options.Hold, Meta: c.meta,
		Progress: c.progress(), Epoch: c.claim.Epoch,
	}, c.fenced != nil
}

// isSaved tells whether p is what was saved last. registry.saving is held.
func (c *Consumer) isSaved(p Pointer) bool {
	s := &c.saved
	return p.ID == s.ID && p.Hold == s.Hold && p.Progress == s.Progress &&
		bytes.Equal(p.Meta, s.Meta) && s.Name != ""
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
		select {
		case <-r.stop: // which saves, too
			return
		default:
		}
		ctx, cancel := r.queue.callContext()
		err := r.save(ctx, r.list())
		cancel()
		failed := err != nil
		if failed && !told {
			r.queue.options.Logger.Error("nerve: consumer pointers are not saved", "error", err)
		}
		told = failed
	}
}

// close closes the consumers. All of it together takes no longer than one call may: a
// log that does not answer is not waited for once for each of them.
func (r *registry) close() error {
	ctx, cancel := r.queue.callContext()
	defer cancel()
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.stop)
	<-r.done
	var all error
	for _, c := range r.list() {
		if err := c.close(ctx); err != nil && !errors.Is(err, ErrClosed) {
			all = errors.Join(all, err)
		}
	}
	return all
}
