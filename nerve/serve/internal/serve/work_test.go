package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/envelope"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

func workContext(t testing.TB) context.Context {
	ctx, stop := context.WithTimeout(context.Background(), hangTime)
	t.Cleanup(stop)
	return ctx
}

func mustJoin(t testing.TB, l *remote.Log, consumer string, o remote.WorkOptions) lease.Worker {
	t.Helper()
	w, err := l.Join(workContext(t), consumer, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustTake(t testing.TB, w lease.Worker, most int) []lease.Lease {
	t.Helper()
	leases, err := w.Take(workContext(t), most)
	if err != nil {
		t.Fatal(err)
	}
	return leases
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantLate(t testing.TB, err error) {
	t.Helper()
	var late *nerve.LeaseError
	if !errors.As(err, &late) {
		t.Fatalf("%v, want a LeaseError", err)
	}
}

// TestWorkersShare lets two clients work under one name, which nobody else gets meanwhile: what one
// of them leaves goes to the other, and what was acknowledged is done when they have gone.
func TestWorkersShare(t *testing.T) {
	r := startOne(t, "orders")
	one, two := r.dial(t, "consumer", "orders"), r.dial(t, "consumer", "orders")
	ctx := workContext(t)
	a := mustJoin(t, one, "all", remote.WorkOptions{Name: "a", Duration: time.Hour})
	b := mustJoin(t, two, "all", remote.WorkOptions{Duration: 3 * time.Minute})
	if a.Duration() != time.Hour || b.Duration() != 3*time.Minute {
		t.Fatalf("%v, %v", a.Duration(), b.Duration())
	}
	first := mustTake(t, a, 1)[0]
	second := mustTake(t, b, 1)[0]
	if string(first.Data) != "one" || string(second.Data) != "two" || first.Attempt != 1 ||
		first.UnixNano == 0 || first.Fence == second.Fence {
		t.Fatalf("%+v, %+v", first, second)
	}
	var open *nerve.OpenError
	if _, err := one.Claim(ctx, "all"); !errors.As(err, &open) ||
		open.Where != "workers of the server" {
		t.Fatalf("the name of workers: %v", err)
	}
	must(t, a.Extend(ctx, first))
	must(t, a.Ack(ctx, first))
	wantLate(t, a.Ack(ctx, first))
	wantLate(t, b.Ack(ctx, first))
	wantLate(t, a.Ack(ctx, second)) // of the other
	must(t, b.Fail(ctx, second, 0))
	wantLate(t, b.Extend(ctx, second))
	third := mustTake(t, b, 10)
	must(t, a.Close())
	if err := a.Ack(ctx, first); !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("a worker that is closed: %v", err)
	}
	must(t, two.Close()) // which ends what b has
	wait := mustJoin(t, one, "all", remote.WorkOptions{})
	left := map[nerve.ID]int{}
	for len(left) < 2 {
		for _, l := range mustTake(t, wait, 10) {
			left[l.ID] = l.Attempt
			must(t, wait.Ack(ctx, l))
		}
	}
	if left[2] != 3 && len(third) == 2 || left[3] == 0 {
		t.Fatalf("left are %v, after %+v", left, third)
	}
	short, stop := context.WithCancel(ctx)
	waits := make(chan error, 1)
	go func() {
		_, err := wait.Take(short, 1)
		waits <- err
	}()
	stop()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Fatalf("a take that is given up: %v", err)
	}
	// It may be asked again, and gets what comes.
	appender := r.dial(t, "all", "orders")
	var batch nerve.Batch
	batch.Append([]byte("four"))
	_, err := appender.Append(ctx, &batch)
	must(t, err)
	if four := mustTake(t, wait, 1)[0]; string(four.Data) != "four" || four.ID != 4 {
		t.Fatalf("%+v", four)
	}
	must(t, wait.Close())
}

// TestWorkersRoles lets those work who may consume.
func TestWorkersRoles(t *testing.T) {
	r := startOne(t, "orders")
	ctx := workContext(t)
	for _, who := range []string{"reader", "appender", "admin"} {
		var denied *nerve.AccessError
		_, err := r.dial(t, who, "orders").Join(ctx, "all", remote.WorkOptions{})
		if !errors.As(err, &denied) || denied.Role != "consume" {
			t.Errorf("%s: %v", who, err)
		}
	}
	log := r.dial(t, "consumer", "orders")
	var name *nerve.NameError
	if _, err := log.Join(ctx, "no name", remote.WorkOptions{}); !errors.As(err, &name) {
		t.Errorf("%v", err)
	}
	claim, err := log.Claim(ctx, "mine")
	must(t, err)
	var open *nerve.OpenError
	if _, err := log.Join(ctx, "mine", remote.WorkOptions{}); !errors.As(err, &open) {
		t.Errorf("a name that a consumer has: %v", err)
	}
	must(t, log.Release(ctx, claim))
	mustJoin(t, log, "mine", remote.WorkOptions{})
	var setup *nerve.SetupError
	if _, err := log.Join(ctx, "mine", remote.WorkOptions{ByKey: true}); !errors.As(err, &setup) {
		t.Errorf("another order: %v", err)
	}
}

// TestWorkersBounds refuses workers beyond those of a connection, and those of a principal beyond
// his share, which is his again when they leave.
func TestWorkersBounds(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{Workers: 8}, serve.Options{})
	ctx := workContext(t)
	log := r.dial(t, "consumer", "orders")
	var workers []lease.Worker
	var busy *nerve.BusyError
	for {
		w, err := log.Join(ctx, "all", remote.WorkOptions{})
		if err != nil {
			if !errors.As(err, &busy) {
				t.Fatal(err)
			}
			break
		}
		if workers = append(workers, w); len(workers) > 8 {
			t.Fatal("more workers than there may be")
		}
	}
	if len(workers) != 6 { // three quarters
		t.Errorf("%d workers of one principal", len(workers))
	}
	other := mustJoin(t, r.dial(t, "all", "orders"), "all", remote.WorkOptions{})
	must(t, other.Close())
	must(t, workers[0].Close())
	mustJoin(t, log, "all", remote.WorkOptions{})
}

// TestWorkersByKey gives out the records of a key in order, over two connections.
func TestWorkersByKey(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "empty")
	r := start(t, dir, core.Options{Create: true}, serve.Options{})
	ctx := workContext(t)
	log, err := remote.Open(ctx, "nerve://"+r.Addr().String()+"/keyed",
		remote.Options{Token: r.tokens["all"], Create: true})
	must(t, err)
	q := nerve.New(log, nerve.Options{})
	defer q.Close()
	const records, keys = 300, 7
	for i := range records {
		var b nerve.Batch
		envelope.Add(&b, wkt.TimestampOf(time.Unix(int64(i), 0)), fmt.Sprint(i%keys))
		_, err := q.AppendBatch(ctx, &b)
		must(t, err)
	}
	var mu sync.Mutex
	out, last, done := map[string]nerve.ID{}, map[string]nerve.ID{}, 0
	life, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for range 4 {
		w := mustJoin(t, r.dial(t, "all", "keyed"), "all", remote.WorkOptions{ByKey: true})
		all.Go(func() {
			for {
				leases, err := w.Take(life, 5)
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				for _, l := range leases {
					key := envelope.KeyOf(l.Record)
					mu.Lock()
					if out[key] != 0 || l.ID <= last[key] {
						t.Errorf("record %d of key %s: %d is out, %d was done", l.ID, key, out[key],
							last[key])
					}
					out[key] = l.ID
					mu.Unlock()
				}
				for _, l := range leases {
					key := envelope.KeyOf(l.Record)
					mu.Lock()
					out[key], last[key] = 0, l.ID
					done++
					over := done == records
					mu.Unlock()
					if err := w.Ack(ctx, l); err != nil {
						t.Error(err)
					}
					if over {
						stop()
					}
				}
			}
		})
	}
	all.Wait()
	if done != records {
		t.Errorf("%d of %d records", done, records)
	}
}

// TestWorkersCut cuts the connection of a worker: its leases are given to others, what it asks for
// them is refused, and it takes again over the next connection.
func TestWorkersCut(t *testing.T) {
	r := startOne(t, "orders")
	ctx := workContext(t)
	breaker := nervetest.NewBreaker(t, "tcp", r.Addr().String())
	log, err := remote.Open(ctx, "nerve://"+r.Addr().String()+"/orders", remote.Options{
		Token: r.tokens["consumer"], MaxBackoff: 10 * time.Millisecond,
		Dial: func(network, _ string) (net.Conn, error) {
			return net.Dial(network, breaker.Addr())
		}})
	must(t, err)
	defer log.Close()
	w := mustJoin(t, log, "all", remote.WorkOptions{Duration: time.Hour})
	var held []lease.Lease
	for len(held) < 3 {
		held = append(held, mustTake(t, w, 3)...)
	}
	must(t, w.Ack(ctx, held[0]))
	breaker.Cut()
	other := mustJoin(t, r.dial(t, "consumer", "orders"), "all", remote.WorkOptions{})
	got := mustTake(t, other, 1)[0] // which the server has noticed by then
	if got.Attempt != 2 || got.ID != held[1].ID && got.ID != held[2].ID {
		t.Fatalf("%+v", got)
	}
	wantLate(t, w.Ack(ctx, held[1]))
	wantLate(t, w.Ack(ctx, held[2]))
	must(t, other.Ack(ctx, got))
	last := mustTake(t, w, 3)
	if len(last) != 1 || last[0].Attempt != 2 || last[0].ID == got.ID {
		t.Fatalf("%+v", last)
	}
	must(t, w.Ack(ctx, last[0]))
	must(t, w.Close())
}

// TestWorkersDrain ends a server whose worker has a lease: the take that waits ends, what is under
// way is acknowledged, and only then the connection ends.
func TestWorkersDrain(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{})
	ctx := workContext(t)
	log := r.dial(t, "consumer", "orders")
	w := mustJoin(t, log, "all", remote.WorkOptions{})
	var held []lease.Lease
	for len(held) < 3 {
		held = append(held, mustTake(t, w, 3)...)
	}
	life, stop := context.WithCancel(ctx)
	waits := make(chan error, 1)
	go func() {
		_, err := w.Take(life, 1)
		waits <- err
	}()
	ended := make(chan error, 1)
	go func() { ended <- r.stop() }()
	for _, l := range held {
		must(t, w.Ack(ctx, l))
	}
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(hangTime):
		t.Fatal(errHangs)
	}
	stop()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("the take: %v", err)
	}
	again := start(t, dir, core.Options{}, serve.Options{})
	list, err := again.dial(t, "consumer", "orders").Pointers(ctx)
	must(t, err)
	if i := slices.IndexFunc(list, func(p nerve.Pointer) bool { return p.Name == "all" }); i < 0 ||
		list[i].ID != 3 {
		t.Errorf("the pointers are %+v", list)
	}
	if strings.Contains(r.log.String(), "ERROR") {
		t.Error(r.log.String())
	}
}
