// Package queues keeps several queues in the folders of one folder, each under a name: one for each
// kind of records, with consumers, retention and lag of its own.
//
//	root, err := queues.Open("events", queues.Options{})
//	defer root.Close()
//	orders, err := root.Create("orders") // the folder events/orders
//	payments, err := root.Create("payments")
//
// A queue in it is one like all others: nerve tail events/orders, nerve list events, and nerve
// serve events, which offers them under their names.
package queues

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Options of a Root. The zero value is useful.
type Options struct {
	// Log are the options of each log, and Queue those of each queue.
	Log   seglog.Options
	Queue nerve.Options
	// Each may change them for the queue of a name, such as what it keeps, or its Check. Nil
	// changes nothing.
	Each func(name string, log *seglog.Options, queue *nerve.Options)
	// Opened gets each queue that was opened, with its log, before anybody else does. Nil does
	// nothing.
	Opened func(name string, log *seglog.Log, queue *nerve.Queue)
}

// Folder is a folder of queues. It is safe for concurrent use. Create it with Open.
type Folder struct {
	dir     string
	options Options

	mu     sync.Mutex
	queues map[string]*entry
	closed bool
}

// entry is a queue that was asked for.
type entry struct {
	mu    sync.Mutex                  // held while the queue is opened, which may take long
	queue atomic.Pointer[nerve.Queue] // nil until then
}

// Open returns the queues in a folder, which is made if need be, unless Options.Log.ReadOnly is
// set. A queue is opened when it is first asked for. A folder that is a queue itself is a
// [nerve.FormatError].
func Open(dir string, options Options) (*Folder, error) {
	if !options.Log.ReadOnly {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, &nerve.IOError{Op: "create", Path: dir, Err: errors.Unwrap(err)}
		}
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, &nerve.IOError{Op: "open", Path: dir, Err: errors.Unwrap(err)}
	case !info.IsDir():
		return nil, &nerve.FormatError{Path: dir, Reason: "it is no folder"}
	case seglog.IsLog(dir):
		return nil, &nerve.FormatError{Path: dir,
			Reason: "it is a queue itself; open the folder above, in which queues are"}
	}
	return &Folder{dir: dir, options: options, queues: map[string]*entry{}}, nil
}

// Names lists the queues there are, also those that other processes have made, in order.
func (r *Folder) Names() ([]string, error) { return Names(r.dir) }

// Names lists the queues in a folder, in order.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &nerve.IOError{Op: "list", Path: dir, Err: errors.Unwrap(err)}
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && nerve.CheckName(name) == nil && seglog.IsLog(filepath.Join(dir, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Queue returns the queue of a name: the same one each time, which ends with the Root and is not
// for its users to close. Where there is none the error is a [nerve.NotFoundError].
func (r *Folder) Queue(name string) (*nerve.Queue, error) { return r.queue(name, false) }

// Create is Queue, and makes the queue if there is none. A name is made of at most 128 letters,
// digits, '-', '_' and '.', with a letter or digit first; any other is a [nerve.NameError].
func (r *Folder) Create(name string) (*nerve.Queue, error) { return r.queue(name, true) }

func (r *Folder) queue(name string, create bool) (*nerve.Queue, error) {
	e, err := r.entry(name, create)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if q := e.queue.Load(); q != nil {
		return q, nil
	}
	if r.isClosed() { // after Close has passed by e
		return nil, nerve.ErrClosed
	}
	logOptions, queueOptions := r.options.Log, r.options.Queue
	if r.options.Each != nil {
		r.options.Each(name, &logOptions, &queueOptions)
	}
	log, err := seglog.Open(filepath.Join(r.dir, name), logOptions)
	if err != nil {
		return nil, err
	}
	q := nerve.New(log, queueOptions)
	if r.options.Opened != nil {
		r.options.Opened(name, log, q)
	}
	e.queue.Store(q)
	return q, nil
}

// entry returns the entry of a name. A name without a queue gets one only to create that: names
// that strangers ask for are not kept.
func (r *Folder) entry(name string, create bool) (*entry, error) {
	if err := nerve.CheckName(name); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nerve.ErrClosed
	}
	e := r.queues[name]
	if e != nil && e.queue.Load() != nil {
		return e, nil
	}
	if !create && !seglog.IsLog(filepath.Join(r.dir, name)) {
		return nil, &nerve.NotFoundError{Queue: name}
	}
	if e == nil {
		e = new(entry)
		r.queues[name] = e
	}
	return e, nil
}

func (r *Folder) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Close closes the queues that are open, one that is just being opened too. A second call returns
// [nerve.ErrClosed].
func (r *Folder) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nerve.ErrClosed
	}
	r.closed = true
	r.mu.Unlock()
	errs := make([]error, 0, len(r.queues))
	for _, e := range r.queues { // nobody adds one any more
		e.mu.Lock()
		if q := e.queue.Load(); q != nil {
			errs = append(errs, q.Close())
		}
		e.mu.Unlock()
	}
	return errors.Join(errs...)
}
