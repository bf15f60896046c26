package lease

import (
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// task is a record that was read and is not acknowledged.
type task struct {
	rec     nerve.Record // its Data is nil while it is not in memory
	size    int          // size of the data
	err     error        // why the record cannot be used
	attempt int          // how often it was given out
	lost    int          // leases that ended without a word of their worker
	key     uint64       // number of the key
	state   state

	holder *worker   // who has it; nil if nobody
	fence  uint64    // fence of the lease
	at     time.Time // when the lease or the delay ends
	index  int       // place in timed
}

// state says where a task is.
type state uint8

const (
	ready   state = iota // in Dispatcher.ready
	leased               // with a worker, in timed
	delayed              // to be tried again later, in timed
	behind               // in the line of its key, behind the first
)

// line is the records of a key: the first one is given out, the others are behind it in order.
type line struct{ behind []*task }

// timed is a heap of tasks that are leased or delayed, the one that ends first on top.
type timed []*task

func (h timed) Len() int           { return len(h) }
func (h timed) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h timed) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *timed) Push(x any) {
	t := x.(*task)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *timed) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return t
}

// fifo is a queue of tasks.
type fifo struct {
	tasks []*task
	head  int // how many of tasks were taken
}

func (f *fifo) len() int     { return len(f.tasks) - f.head }
func (f *fifo) add(t *task)  { f.tasks = append(f.tasks, t) }
func (f *fifo) first() *task { return f.tasks[f.head] }
func (f *fifo) next() *task {
	t := f.tasks[f.head]
	f.tasks[f.head] = nil
	f.head++
	if f.head*2 > len(f.tasks) { // what is moved was paid for by what was taken
		n := copy(f.tasks, f.tasks[f.head:])
		clear(f.tasks[n:])
		f.tasks, f.head = f.tasks[:n], 0
	}
	return t
}
