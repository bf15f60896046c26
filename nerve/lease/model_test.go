package lease_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// record is what the model knows of a record.
type record struct {
	key     string
	done    bool
	attempt int
	lost    int // leases that ended without a word
	holder  int // index of the worker, -1 for nobody
	fence   uint64
	until   time.Time // when its lease ends, or its delay
}

// model is a dispatcher that is driven at random beside what it must do.
type model struct {
	t       *testing.T
	random  *rand.Rand
	keyed   bool
	queue   *nerve.Queue
	d       *lease.Dispatcher
	workers []lease.Worker
	records []*record     // by id, from 1
	old     []lease.Lease // leases that ended
	held    [][]lease.Lease
	trace   []string
}

const (
	modelWorkers  = 3
	modelDuration = 10 * time.Second
	modelLeases   = 4
)

func (m *model) note(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

func (m *model) fatal(format string, args ...any) {
	m.t.Helper()
	from := max(0, len(m.trace)-40)
	m.t.Fatalf(format+"\nafter:\n%s", append(args, strings.Join(m.trace[from:], "\n"))...)
}

// open opens the consumer and lets the workers join.
func (m *model) open() {
	m.t.Helper()
	c, err := m.queue.Consumer("all", nerve.ConsumerOptions{})
	if err != nil {
		m.fatal("%v", err)
	}
	o := lease.Options{MaxLeases: modelLeases, MaxReady: 5, MaxOpen: 12, Duration: modelDuration}
	if m.keyed {
		o.KeyBy = func(r nerve.Record) string { return string(r.Data[:1]) }
	}
	if m.d, err = lease.New(c, o); err != nil {
		m.fatal("%v", err)
	}
	m.workers = nil
	for i := range modelWorkers {
		m.workers = append(m.workers, nil)
		m.join(i)
	}
}

func (m *model) join(i int) {
	m.t.Helper()
	w, err := m.d.Join(fmt.Sprint("worker ", i), 0)
	if err != nil {
		m.fatal("%v", err)
	}
	m.workers[i] = w
}

// lapse ends what time has ended.
func (m *model) lapse() {
	for _, r := range m.records[1:] {
		if r.holder >= 0 && !r.until.After(time.Now()) {
			r.holder = -1
			r.lost++
		}
	}
	for i, list := range m.held {
		m.held[i] = slices.DeleteFunc(list, func(l lease.Lease) bool {
			r := m.records[l.ID]
			over := r.holder != i || r.fence != l.Fence
			if over {
				m.old = append(m.old, l)
			}
			return over
		})
	}
}

// free tells whether a record can be given out now, as far as the model knows: MaxOpen may keep it
// from being read.
func (m *model) free(id int) bool {
	r := m.records[id]
	if r.done || r.holder >= 0 || r.until.After(time.Now()) {
		return false
	}
	for _, before := range m.records[1:id] {
		if m.keyed && before.key == r.key && !before.done {
			return false
		}
	}
	return true
}

// mustGive tells whether a Take of a worker must return: it has room, and a record among the first
// MaxOpen is free.
func (m *model) mustGive(i int) bool {
	open := 0
	for id := 1; id < len(m.records) && open < 12; id++ {
		if m.records[id].done {
			continue
		}
		open++
		if m.free(id) {
			return len(m.held[i]) < modelLeases
		}
	}
	return false
}

func (m *model) take(i, most int) {
	m.t.Helper()
	must := m.mustGive(i)
	ctx, stop := context.WithTimeout(context.Background(), time.Nanosecond)
	defer stop()
	leases, err := m.workers[i].Take(ctx, most)
	time.Sleep(time.Nanosecond) // now the context has ended in either case
	m.note("worker %d takes %d: %d, %v", i, most, len(leases), err)
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			m.fatal("take: %v", err)
		}
		if must {
			m.fatal("nothing was given")
		}
		return
	}
	if len(leases) == 0 || len(leases) > most || len(m.held[i])+len(leases) > modelLeases {
		m.fatal("%d leases of at most %d, beside %d", len(leases), most, len(m.held[i]))
	}
	for _, l := range leases {
		r := m.records[l.ID]
		if !m.free(int(l.ID)) {
			m.fatal("record %d was given out and is not free: %+v", l.ID, r)
		}
		r.attempt++
		if l.Attempt != r.attempt || l.Lost != r.lost || l.Err != nil ||
			string(l.Data) != fmt.Sprint(r.key, " ", l.ID) {
			m.fatal("record %d is %q at attempt %d, want %d: %v", l.ID, l.Data, l.Attempt, r.attempt,
				l.Err)
		}
		r.holder, r.fence = i, l.Fence
		r.until = time.Now().Add(modelDuration - time.Nanosecond)
		m.held[i] = append(m.held[i], l)
		m.note("  record %d", l.ID)
	}
}

// settle asks for something of a lease, which must be refused if the lease ended.
func (m *model) settle() {
	m.t.Helper()
	i := m.random.IntN(modelWorkers)
	var l lease.Lease
	goesOn := len(m.held[i]) > 0 && (len(m.old) == 0 || m.random.IntN(4) > 0)
	switch {
	case goesOn:
		l = m.held[i][m.random.IntN(len(m.held[i]))]
	case len(m.old) > 0:
		l = m.old[m.random.IntN(len(m.old))]
	default:
		return
	}
	r := m.records[l.ID]
	ctx := context.Background()
	w := m.workers[i]
	var err error
	what := m.random.IntN(5)
	switch what {
	case 0, 1:
		if err = w.Ack(ctx, l); goesOn {
			r.done, r.holder = true, -1
		}
	case 2:
		if err = w.Extend(ctx, l); goesOn {
			r.until = time.Now().Add(modelDuration)
		}
	case 3:
		after := time.Duration(m.random.IntN(3)) * 7 * time.Second
		if err = w.Fail(ctx, l, after); goesOn {
			r.holder, r.until = -1, time.Now().Add(after)
		}
	case 4:
		if err = w.Release(ctx, l); goesOn {
			r.holder, r.until = -1, time.Time{}
			r.attempt--
		}
	}
	m.note("worker %d settles record %d by %d (goes on: %v): %v", i, l.ID, what, goesOn, err)
	var late *nerve.LeaseError
	switch {
	case goesOn && err != nil:
		m.fatal("record %d: %v", l.ID, err)
	case !goesOn && (!errors.As(err, &late) || late.ID != l.ID):
		m.fatal("an old lease of record %d was heard: %v", l.ID, err)
	}
	m.lapse()
}

// leave lets a worker go and another one come.
func (m *model) leave(i int) {
	m.t.Helper()
	m.note("worker %d leaves", i)
	if err := m.workers[i].Close(); err != nil {
		m.fatal("%v", err)
	}
	m.giveUp(i)
	m.join(i)
}

// giveUp is that a worker has nothing any more.
func (m *model) giveUp(i int) {
	for _, l := range m.held[i] {
		r := m.records[l.ID]
		r.holder, r.until = -1, time.Time{}
		r.lost++
	}
	m.old = append(m.old, m.held[i]...)
	m.held[i] = nil
}

// restart ends the dispatcher and begins another one, which knows what is acknowledged and how
// often records were tried, and no delays.
func (m *model) restart() {
	m.t.Helper()
	m.note("restart")
	if err := m.d.Close(); err != nil {
		m.fatal("%v", err)
	}
	var late *nerve.LeaseError
	if _, err := m.workers[0].Take(context.Background(), 1); !errors.Is(err, nerve.ErrClosed) ||
		errors.As(err, &late) {
		m.fatal("a dispatcher that is closed gives records: %v", err)
	}
	for i := range m.held {
		m.giveUp(i)
	}
	for _, r := range m.records[1:] {
		r.until, r.lost = time.Time{}, 0
	}
	m.close()
	m.open()
}

// close closes the consumer.
func (m *model) close() {
	m.t.Helper()
	stats, err := m.queue.Stats()
	if err != nil || len(stats.Consumers) != 1 {
		m.fatal("%+v, %v", stats.Consumers, err)
	}
	if err := m.consumerOf().Close(); err != nil {
		m.fatal("%v", err)
	}
}

func (m *model) consumerOf() *nerve.Consumer { return m.d.Consumer() }

func (m *model) append() {
	m.t.Helper()
	id := len(m.records)
	r := &record{key: string(rune('a' + m.random.IntN(3))), holder: -1}
	m.records = append(m.records, r)
	got, err := m.queue.Append(context.Background(), fmt.Append(nil, r.key, " ", id))
	if err != nil || int(got) != id {
		m.fatal("%v, %v", got, err)
	}
	m.note("append %d with key %s", id, r.key)
}

func (m *model) step() {
	m.t.Helper()
	switch n := m.random.IntN(100); {
	case n < 20 && len(m.records) < 60:
		m.append()
	case n < 50:
		m.take(m.random.IntN(modelWorkers), 1+m.random.IntN(5))
	case n < 88:
		m.settle()
	case n < 95:
		took := time.Duration(m.random.IntN(6)) * time.Second
		m.note("%v pass", took)
		time.Sleep(took)
	case n < 98:
		m.leave(m.random.IntN(modelWorkers))
	default:
		m.restart()
	}
	synctest.Wait()
	m.lapse()
}

// drain handles what is left: all of it must come.
func (m *model) drain() {
	m.t.Helper()
	for i := range modelWorkers {
		m.leave(i)
	}
	time.Sleep(time.Minute) // no delay is as long
	synctest.Wait()
	m.lapse()
	for range 2 * len(m.records) {
		if !slices.ContainsFunc(m.records[1:], func(r *record) bool { return !r.done }) {
			break
		}
		m.take(0, modelLeases)
		for _, l := range m.held[0] {
			if err := m.workers[0].Ack(context.Background(), l); err != nil {
				m.fatal("%v", err)
			}
			r := m.records[l.ID]
			r.done, r.holder = true, -1
		}
		m.lapse()
		synctest.Wait()
	}
	c := m.consumerOf()
	if got := int(c.Pointer()); got != len(m.records)-1 {
		m.fatal("the pointer is %d, want %d", got, len(m.records)-1)
	}
	s := m.d.Stats()
	if s.Open+s.Ready+s.Delayed+s.Behind+len(s.Held)+s.Waiting != 0 || s.Bytes != 0 {
		m.fatal("something is left: %+v", s)
	}
}

// TestModel drives dispatchers at random: each record is with one worker at a time, in the order of
// its key, as often as its attempts say; leases that ended are not heard; all records are done in
// the end, over restarts.
func TestModel(t *testing.T) {
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) {
			m := &model{t: t, random: rand.New(rand.NewPCG(seed, 1)), keyed: seed%2 == 0,
				queue:   nerve.New(memlog.New(memlog.Options{}), nerve.Options{}),
				records: make([]*record, 1), held: make([][]lease.Lease, modelWorkers)}
			m.note("seed %d", seed)
			m.open()
			for range 250 {
				m.step()
			}
			m.drain()
			if err := cmp.Or(m.d.Close(), m.queue.Close()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
