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
}

// Folder is a folder of queues. It is safe for concurrent use. Create it with Open.
type Folder struct {
	dir     string
	options Options

	mu     sync.Mutex // held while a queue is opened, which happens once
	queues map[string]*nerve.Queue
	closed bool
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
	case IsQueue(dir):
		return nil, &nerve.FormatError{Path: dir,
			Reason: "it is a queue itself; open the folder above, in which queues are"}
	}
	return &Folder{dir: dir, options: options, queues: map[string]*nerve.Queue{}}, nil
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
		if e.IsDir() && nerve.CheckName(name) == nil && IsQueue(filepath.Join(dir, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// IsQueue tells whether a folder holds a queue, or what is left of one.
func IsQueue(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
		return true
	}
	segments, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	return err == nil && len(segments) > 0
}

// Queue returns the queue of a name: the same one each time, which ends with the Root and is not
// for its users to close. Where there is none the error is a [nerve.NotFoundError].
func (r *Folder) Queue(name string) (*nerve.Queue, error) { return r.queue(name, false) }

// Create is Queue, and makes the queue if there is none. A name is made of at most 128 letters,
// digits, '-', '_' and '.', with a letter or digit first; any other is a [nerve.NameError].
func (r *Folder) Create(name string) (*nerve.Queue, error) { return r.queue(name, true) }

func (r *Folder) queue(name string, create bool) (*nerve.Queue, error) {
	if err := nerve.CheckName(name); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nerve.ErrClosed
	}
	if q := r.queues[name]; q != nil {
		return q, nil
	}
	dir := filepath.Join(r.dir, name)
	if !create && !IsQueue(dir) {
		return nil, &nerve.NotFoundError{Queue: name}
	}
	logOptions, queueOptions := r.options.Log, r.options.Queue
	if r.options.Each != nil {
		r.options.Each(name, &logOptions, &queueOptions)
	}
	log, err := seglog.Open(dir, logOptions)
	if err != nil {
		return nil, err
	}
	q := nerve.New(log, queueOptions)
	r.queues[name] = q
	return q, nil
}

// Close closes the queues that are open. A second call returns [nerve.ErrClosed].
func (r *Folder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nerve.ErrClosed
	}
	r.closed = true
	errs := make([]error, 0, len(r.queues))
	for _, q := range r.queues {
		errs = append(errs, q.Close())
	}
	return errors.Join(errs...)
}
