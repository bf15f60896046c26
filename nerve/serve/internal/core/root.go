package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/queues"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Defaults of Options.
const (
	DefaultInFlight = 64 << 20
	DefaultLease    = 10 * time.Second
	DefaultReaders  = 256
	DefaultQueues   = 1024
	DefaultWorkers  = 1024

	// frameRoom is what a frame may have besides a batch.
	frameRoom = 4 << 10

	// retryEvery is how long a queue that could not be opened is left alone.
	retryEvery = time.Second
)

// Options of a Root. The zero value is useful.
type Options struct {
	// ReadOnly follows queues that other processes write, and changes nothing.
	ReadOnly bool
	// Create lets those with the role append make queues.
	Create bool
	// InFlight bounds the bytes of large frames that are being received, for
	// all queues together. Default 64 MiB. A batch is at most half of it. A
	// principal has a share, see [Budget].
	InFlight int64
	// Readers bounds how many cursors are open at a time. Default 256. One
	// principal may have three times as many as he leaves free.
	Readers int
	// Queues is up to how many clients may make new ones, shared out among them.
	// Default 1024. Those that are there are served, however many.
	Queues int
	// Workers is how many workers may share the names of consumers at a time, shared out among
	// principals. Default 1024.
	Workers int
	// Lease of a claim of a consumer's name. Default 10 s.
	Lease time.Duration
	// Now is the clock of leases. Nil is time.Now.
	Now func() time.Time
	// Folder are the options of each log; ReadOnly and Logger are set by those
	// here.
	Folder seglog.Options
	// Retain says how much of a queue is kept, instead of what Folder says. It is
	// asked when the queue is opened; with an error, which is logged, all is kept.
	Retain func(queue string) (bytes int64, age time.Duration, err error)
	// Logger gets what operators should see. Nil is silent.
	Logger *slog.Logger
}

// Queues is a folder of queues with what a server adds: who may use which, how much at a time, and
// who has which name. It is safe for concurrent use. Open it with [Open].
type Queues struct {
	dir     string
	options Options
	folder  *queues.Folder
	logger  *slog.Logger
	budget  *Budget
	readers *Places
	workers *Places

	mu     sync.Mutex
	queues map[string]*queue
	made   shares // shares of the queues that there may be, by who made them since Open
	closed bool

	// Metrics is what happened since Open.
	Metrics Metrics
}

// queue is one of a Root. Whoever asks first opens it; one that does not open keeps why.
type queue struct {
	name string

	mu          sync.Mutex // held while it is opened
	log         *seglog.Log
	queue       *nerve.Queue
	claims      *claims
	dispatchers dispatchers
	err         error // why it could not be opened
	tried       time.Time
	commits     *histogram
}

// Open opens all queues in a folder. One that does not open is named by Problems
// and tried again when it is asked for.
func Open(dir string, options Options) (*Queues, error) {
	if options.InFlight <= 0 {
		options.InFlight = DefaultInFlight
	}
	if options.Readers <= 0 {
		options.Readers = DefaultReaders
	}
	if options.Queues <= 0 {
		options.Queues = DefaultQueues
	}
	if options.Workers <= 0 {
		options.Workers = DefaultWorkers
	}
	if options.Lease <= 0 {
		options.Lease = DefaultLease
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// One append never takes more than what the budget gives it.
	if options.Folder.MaxBatch <= 0 {
		options.Folder.MaxBatch = seglog.DefaultMaxBatch
	}
	options.Folder.MaxBatch = min(options.Folder.MaxBatch, int(options.InFlight/2))
	options.Folder.ReadOnly, options.Folder.Logger = options.ReadOnly, options.Logger
	r := &Queues{
		dir: dir, options: options, logger: options.Logger,
		budget:  NewBudget(options.InFlight, int64(options.Folder.MaxBatch)+frameRoom),
		queues:  make(map[string]*queue),
		readers: NewPlaces("readers", options.Readers),
		workers: NewPlaces("workers", options.Workers),
	}
	// A server makes no folder: its name may be misspelt.
	if _, err := os.Stat(dir); err != nil {
		return nil, &nerve.IOError{Op: "open", Path: dir, Err: errors.Unwrap(err)}
	}
	if r.folder, err = queues.Open(dir, queues.Options{
		Log: options.Folder, Each: r.optionsOf, Opened: r.opened}); err != nil {
		return nil, err
	}
	names, err := r.folder.Names()
	if err != nil {
		return nil, err
	}
	r.made = newShares(int64(max(0, options.Queues-len(names))))
	for _, name := range names {
		r.queues[name] = &queue{name: name}
	}
	var all sync.WaitGroup
	for _, q := range r.all() {
		all.Go(func() {
			if _, err := r.use(q, false); err != nil {
				r.logger.Error("nerve: a queue does not open", "queue", q.name, "error", err)
			}
		})
	}
	all.Wait()
	return r, nil
}

// Dir is the folder.
func (r *Queues) Dir() string { return r.dir }

// Options are those of Open, with defaults.
func (r *Queues) Options() Options { return r.options }

// Budget is memory for frames that are being received.
func (r *Queues) Budget() *Budget { return r.budget }

// Readers is how many cursors are open.
func (r *Queues) Readers() int { return r.readers.Taken() }

// find returns the queue of a name, also one whose folder came later.
func (r *Queues) find(name string) (*queue, error) {
	if err := nerve.CheckName(name); err != nil {
		return nil, &nerve.NotFoundError{Queue: shortName(name)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nerve.ErrClosed
	}
	if q := r.queues[name]; q != nil {
		return q, nil
	}
	if !seglog.IsLog(filepath.Join(r.dir, name)) {
		return nil, &nerve.NotFoundError{Queue: name}
	}
	q := &queue{name: name}
	r.queues[name] = q
	return q, nil
}

// shortName keeps what a stranger sent from filling the logs.
func shortName(name string) string { return name[:min(len(name), nerve.MaxName)] }

// created returns the queue of a name, which p makes if it is not there.
func (r *Queues) created(p *Principal, name string) (*queue, error) {
	if err := nerve.CheckName(name); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nerve.ErrClosed
	}
	q := r.queues[name]
	if q == nil {
		if len(r.queues) >= r.options.Queues || !r.made.take(p.Share(), 1) {
			r.Metrics.RefusedByLimits.Add(1)
			return nil, &nerve.BusyError{What: "queues", Limit: r.options.Queues}
		}
		q = &queue{name: name}
		r.queues[name] = q
	}
	return q, nil
}

// use opens q if it is not open.
func (r *Queues) use(q *queue, create bool) (*queue, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.queue != nil:
		return q, nil
	case q.err != nil && time.Since(q.tried) < retryEvery:
		return nil, q.err
	}
	open := r.folder.Queue
	if create {
		open = r.folder.Create
	}
	opened, err := open(q.name)
	if errors.As(err, new(*nerve.NotFoundError)) || errors.Is(err, nerve.ErrClosed) {
		return nil, err // it may be made, or everything ends
	}
	q.tried, q.err = time.Now(), err
	if err != nil {
		return nil, err
	}
	q.queue = opened
	return q, nil
}

// optionsOf sets the options of a queue that is being opened. Its mutex is held.
func (r *Queues) optionsOf(name string, log *seglog.Options, queue *nerve.Options) {
	q := r.known(name)
	q.commits = new(histogram)
	*queue = nerve.Options{
		InFlightBytes: int(min(r.options.InFlight, nerve.DefaultInFlightBytes)),
		Observer:      q.commits, Logger: r.logger,
	}
	log.Lease, log.Now = r.options.Lease, r.options.Now
	if r.options.Retain == nil {
		return
	}
	var err error
	if log.RetainBytes, log.RetainAge, err = r.options.Retain(name); err != nil {
		r.logger.Error("nerve: it is not known how long records are kept; all are", "queue", name,
			"error", err)
		log.RetainBytes, log.RetainAge = 0, 0
	}
}

// opened keeps the log of a queue that was opened. Its mutex is held.
func (r *Queues) opened(name string, log *seglog.Log, _ *nerve.Queue) {
	q := r.known(name)
	q.log, q.claims = log, newClaims(log)
}

// known returns the queue of a name that was asked for.
func (r *Queues) known(name string) *queue {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queues[name]
}

// Access returns a queue as far as p may use it. It is a NotFoundError if there
// is none, or none with which p may do anything.
func (r *Queues) Access(p *Principal, name string) (*Access, error) {
	roles := p.Roles(name)
	if roles == 0 {
		return nil, &nerve.NotFoundError{Queue: shortName(name)}
	}
	q, err := r.find(name)
	if err != nil {
		return nil, err
	}
	if q, err = r.use(q, false); err != nil {
		return nil, err
	}
	return &Access{root: r, queue: q, principal: p, roles: roles}, nil
}

// Create is Access to a queue that is made if it is not there. That takes
// [Options.Create] and [Append], or [Admin]. It is a BusyError if there are
// [Options.Queues] already, or p has made its share of them.
func (r *Queues) Create(p *Principal, name string) (*Access, error) {
	a, err := r.Access(p, name)
	var missing *nerve.NotFoundError
	if !errors.As(err, &missing) {
		return a, err
	}
	roles := p.Roles(name)
	switch {
	case roles == 0:
		return nil, err
	case r.options.ReadOnly:
		return nil, nerve.ErrReadOnly
	case roles&Admin == 0 && (!r.options.Create || roles&Append == 0):
		return nil, fmt.Errorf("%w; a new one takes the role admin, or append where the server "+
			"was started with --create", err)
	}
	q, err := r.created(p, name)
	if err != nil {
		return nil, err
	}
	if q, err = r.use(q, true); err != nil {
		return nil, err
	}
	return &Access{root: r, queue: q, principal: p, roles: roles}, nil
}

// List returns the names of the queues with which p may do anything, in order.
// Those that do not open are among them.
func (r *Queues) List(p *Principal) []string {
	return slices.DeleteFunc(r.Names(), func(name string) bool { return p.Roles(name) == 0 })
}

// Names returns those of all queues, in order, for the server itself.
func (r *Queues) Names() []string {
	found, err := r.folder.Names()
	if err != nil {
		r.logger.Error("nerve: the folder of queues cannot be read", "error", err)
	}
	r.mu.Lock()
	for name := range r.queues {
		found = append(found, name)
	}
	r.mu.Unlock()
	slices.Sort(found)
	return slices.Compact(found)
}

// Problem is why a queue is not as it should be.
type Problem struct{ Queue, Reason string }

// minFree is the room on the disk below which a server is not ready: that of the
// next segment.
const minFree = seglog.DefaultSegmentSize

// Problems says why the server is not ready to take appends for all queues, by
// name; an empty list is ready.
func (r *Queues) Problems() []Problem {
	var list []Problem
	if free, ok := freeSpace(r.dir); ok && free < minFree && !r.options.ReadOnly {
		list = append(list, Problem{"", fmt.Sprintf("the disk has %d MiB left", free>>20)})
	}
	for _, q := range r.all() {
		q.mu.Lock()
		log, err := q.log, q.err
		q.mu.Unlock()
		if log != nil {
			err = cmp.Or(log.Failed(), q.commits.lastError())
		}
		if err != nil {
			list = append(list, Problem{q.name, r.Public(err).Error()})
		}
	}
	return list
}

// all returns the queues that were asked for, by name.
func (r *Queues) all() []*queue {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*queue, 0, len(r.queues))
	for _, q := range r.queues {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *queue) int { return strings.Compare(a.name, b.name) })
	return list
}

// Close commits what was accepted and closes all queues; ctx bounds how long that
// is waited for.
func (r *Queues) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nerve.ErrClosed
	}
	r.closed = true
	r.mu.Unlock()
	done := make(chan error, 1)
	go func() { done <- r.folder.Close() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
