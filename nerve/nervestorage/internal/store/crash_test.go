package store

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

var (
	seeds = flag.Int("seeds", 300, "how many seeds TestCrash runs in each mode")
	seed  = flag.Int("seed", -1, "the one seed that TestCrash replays")
)

// state is what a store holds, by key.
type state map[string]string

// world is a store on a disk that crashes, and all states that the store had.
type world struct {
	rng     *rand.Rand
	disk    *vfs.Mem
	options Options
	store   *Store

	now     state
	gone    state   // what was deleted, with its last value
	history []state // what a crash may leave, the newest last
	durable int     // history from here on is left by a crash of the process
	synced  int     // and by a power cut

	next uint64 // number of the next item
	mu   sync.Mutex
	left int        // disk operations until the power goes
	cut  *vfs.Mem   // what it left
	rngs *rand.Rand // of the disk
}

// Inject implements vfs.Injector.
func (w *world) Inject(vfs.Op, string, int) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left--; w.left == 0 {
		w.cut = w.disk.Crash(w.rngs)
	}
	return 0, nil
}

// isCut reports whether the power has gone.
func (w *world) isCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut != nil
}

func newWorld(seed uint64, d seglog.Durability) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 1)), rngs: rand.New(rand.NewPCG(seed, 2)),
		disk: new(vfs.Mem), now: state{}, gone: state{}}
	w.history = []state{{}}
	w.options = Options{Durability: d, SyncEvery: time.Hour, AckInterval: time.Hour,
		SegmentSize: 8 << 10, snapshotEvery: int64(1000 + w.rng.IntN(20_000))}
	return w
}

func (w *world) open() (err error) {
	o := w.options
	o.FS = vfs.WithFaults(w.disk, w)
	w.store, err = Open("store", o)
	return err
}

// note adds what a crash may leave now.
func (w *world) note() {
	after := maps.Clone(w.now)
	w.history = append(w.history, after)
}

// restoreIntent puts back what the last state lacks by an intent, which no crash takes.
func (w *world) restoreIntent() {
	after := w.history[len(w.history)-1]
	for number := range w.store.intent.items {
		key := strconv.FormatUint(number, 10)
		after[key] = w.gone[key]
	}
}

func (w *world) value() string {
	n := w.rng.IntN(60)
	if w.rng.IntN(20) == 0 {
		n = w.rng.IntN(6000)
	}
	return fmt.Sprintf("%d:%0*d", w.rng.IntN(1000), n, 0)
}

// some returns the key of an item that is there, mostly the oldest.
func (w *world) some() (string, bool) {
	var best uint64
	found := false
	for key := range w.now {
		n, ok := parseNumber(key)
		if ok && (!found || n < best) {
			best, found = n, true
		}
	}
	if found && w.rng.IntN(5) == 0 {
		best += uint64(w.rng.IntN(5))
	}
	return strconv.FormatUint(best, 10), found
}

// ops returns a batch of one of the kinds that components send.
func (w *world) ops() (ops []*Op, logged bool) {
	meta := &Op{Kind: Set, Key: "qmv0", Value: []byte(w.value())}
	key, some := w.some()
	switch k := w.rng.IntN(20); {
	case k < 9 || !some: // Offer
		number := w.next
		w.next++
		switch w.rng.IntN(30) {
		case 0:
			w.next += 3
		case 1:
			number /= 2
		}
		ops = []*Op{meta, {Kind: Set, Key: strconv.FormatUint(number, 10),
			Value: []byte(w.value())}}
		return ops, true
	case k < 12: // Read
		return []*Op{meta, {Key: key}}, false
	case k < 16: // OnDone
		return []*Op{meta, {Kind: Delete, Key: key}}, false
	case k == 16: // start
		for range 1 + w.rng.IntN(4) {
			key, _ := w.some()
			ops = append(ops, &Op{Kind: Delete, Key: key})
		}
		return ops, false
	case k == 17:
		name := fmt.Sprintf("other%d", w.rng.IntN(3))
		if w.rng.IntN(3) == 0 {
			return []*Op{{Kind: Delete, Key: name}}, true
		}
		return []*Op{{Kind: Set, Key: name, Value: []byte(w.value())}}, true
	default: // anything
		for range 1 + w.rng.IntN(25) {
			key := strconv.Itoa(w.rng.IntN(30))
			if w.rng.IntN(3) == 0 {
				key = fmt.Sprintf("other%d", w.rng.IntN(3))
			}
			o := &Op{Kind: Kind(w.rng.IntN(3)), Key: key}
			if o.Kind == Set {
				o.Value = []byte(w.value())
			}
			ops = append(ops, o)
		}
		return ops, prepare(ops).logged()
	}
}

// step sends one batch to the store and to the model, and compares what they find.
func (w *world) step() error {
	ops, logged := w.ops()
	want := make([]*string, len(ops))
	for i, o := range ops {
		switch o.Kind {
		case Set:
			w.now[o.Key] = string(o.Value)
		case Delete:
			if v, ok := w.now[o.Key]; ok {
				w.gone[o.Key] = v
			}
			delete(w.now, o.Key)
		default:
			if v, ok := w.now[o.Key]; ok {
				want[i] = &v
			}
		}
	}
	w.note() // a crash in the middle may leave it
	err := w.store.Batch(context.Background(), ops...)
	cut := w.isCut()
	if err != nil {
		return err
	}
	w.restoreIntent()
	if cut {
		return nil
	}
	if len(w.store.acks)+len(w.store.dirty) == 0 {
		w.durable = len(w.history) - 1
	}
	if logged && w.options.Durability == seglog.SyncAlways {
		w.synced = len(w.history) - 1
	}
	for i, o := range ops {
		if o.Kind == Get && (o.Value == nil) != (want[i] == nil) ||
			want[i] != nil && string(o.Value) != *want[i] {
			return fmt.Errorf("Get of %s found %q, want %v", o.Key, o.Value, want[i])
		}
	}
	if w.rng.IntN(30) == 0 {
		w.store.mu.Lock()
		w.store.trimmed = time.Time{}
		w.store.mu.Unlock()
		w.store.tick()
		w.durable = len(w.history) - 1
	}
	return nil
}

// holds checks that the store holds one of the states from history[first] on.
func (w *world) holds(first int) error {
	got := state{}
	err := w.store.Walk(context.Background(), func(key string, value []byte) ([]*Op, bool, error) {
		got[key] = string(value)
		return nil, true, nil
	})
	if err != nil {
		return err
	}
	for i := len(w.history) - 1; i >= first; i-- {
		if maps.Equal(got, w.history[i]) {
			w.history = []state{maps.Clone(got)}
			w.now, w.durable, w.synced = got, 0, 0
			return nil
		}
	}
	return fmt.Errorf("it holds %d keys, which is none of the states %d to %d; the last has %d",
		len(got), first, len(w.history)-1, len(w.history[len(w.history)-1]))
}

// abandon leaves the store as the end of the process would: nothing pending is written.
func (w *world) abandon() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.closed = true
	if w.store.timer != nil {
		w.store.timer.Stop()
	}
	_ = w.store.read.close()
	_ = w.store.log.Close()
}

// simulate runs a store through several lives, each of which ends in one of three ways.
func simulate(seed uint64, d seglog.Durability) error {
	w := newWorld(seed, d)
	for life := range 4 {
		end := w.rng.IntN(3)
		w.mu.Lock()
		w.left, w.cut = 0, nil
		w.mu.Unlock()
		if err := w.open(); err != nil {
			return fmt.Errorf("life %d: %w", life, err)
		}
		w.mu.Lock()
		if end == 0 {
			w.left = 1 + w.rng.IntN(150)
		}
		w.mu.Unlock()
		for range w.rng.IntN(120) {
			if err := w.step(); err != nil {
				return fmt.Errorf("life %d: %w", life, err)
			}
			if w.isCut() {
				break
			}
		}
		first := w.durable
		switch {
		case end == 0: // power cut
			w.mu.Lock()
			if first = w.synced; w.cut == nil {
				w.cut = w.disk.Crash(w.rngs)
			}
			w.mu.Unlock()
			w.abandon()
			w.disk = w.cut
		case end == 1: // the end of the process
			w.abandon()
		default:
			if err := w.store.Close(); err != nil {
				return err
			}
			w.history = append(w.history, maps.Clone(w.now))
			first = len(w.history) - 1
		}
		w.mu.Lock()
		w.left = 0
		w.mu.Unlock()
		if err := w.open(); err != nil {
			return fmt.Errorf("life %d, after end %d: %w", life, end, err)
		}
		if err := w.holds(first); err != nil {
			return fmt.Errorf("life %d, after end %d: %w", life, end, err)
		}
		if err := w.store.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestCrash runs random batches on a disk that crashes, and looks whether what is there afterwards
// is the state after a batch that is not before what was promised.
func TestCrash(t *testing.T) {
	for name, d := range map[string]seglog.Durability{"always": seglog.SyncAlways,
		"interval": seglog.SyncInterval, "never": seglog.SyncNever} {
		t.Run(name, func(t *testing.T) {
			from, to := 0, *seeds
			if testing.Short() {
				to /= 10
			}
			if *seed >= 0 {
				from, to = *seed, *seed+1
			}
			for s := from; s < to; s++ {
				if err := simulate(uint64(s), d); err != nil {
					t.Fatalf("%v\nreplay with: -run TestCrash/%s -seed %d", err, name, s)
				}
			}
		})
	}
}
