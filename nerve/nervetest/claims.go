package nervetest

import (
	"context"
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// other returns the log as somebody else sees it: another one on the same store
// if that can be, else the log itself.
func (e *env) other(t *testing.T) nerve.Log {
	t.Helper()
	if !e.can.Shared {
		return e.log
	}
	log := e.backend.Open(t)
	t.Cleanup(func() { log.Close() })
	return log
}

func claim(t *testing.T, log nerve.Log, name string) nerve.Claim {
	t.Helper()
	c, err := log.(nerve.Claimer).Claim(testContext(t), name)
	if err != nil || c.Name != name || c.Epoch == 0 {
		t.Fatalf("Claim(%q) = %+v, %v", name, c, err)
	}
	return c
}

func wantTaken(t *testing.T, log nerve.Log, name string) {
	t.Helper()
	_, err := log.(nerve.Claimer).Claim(testContext(t), name)
	if e := wantError[*nerve.OpenError](t, err); e.Name != name || e.Where == "" {
		t.Fatalf("%+v", e)
	}
}

func wantFenced(t *testing.T, err error, c nerve.Claim) {
	t.Helper()
	if e := wantError[*nerve.FencedError](t, err); e.Name != c.Name || e.Epoch != c.Epoch {
		t.Fatalf("%+v, want claim %+v", e, c)
	}
}

func pointerOf(t *testing.T, log nerve.Log, name string) nerve.Pointer {
	t.Helper()
	list, err := log.Pointers(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Name == name {
			return p
		}
	}
	return nerve.Pointer{}
}

// claimIsExclusive gives a name to one owner, whose pointer nobody else moves.
func claimIsExclusive(t *testing.T, e *env) {
	fill(t, e.log, 10, 10)
	ctx := testContext(t)
	mine, theirs := e.log.(nerve.Claimer), e.other(t).(nerve.Claimer)
	save := func(log nerve.Log, p ...nerve.Pointer) error { return log.SavePointers(ctx, p) }
	c := claim(t, mine, "a")
	wantTaken(t, theirs, "a")
	wantTaken(t, mine, "a")
	b := claim(t, theirs, "b")
	if err := save(mine, nerve.Pointer{Name: "a", ID: 3, Epoch: c.Epoch}); err != nil {
		t.Fatal(err)
	}
	if p := pointerOf(t, theirs, "a"); p.ID != 3 || p.Epoch != c.Epoch {
		t.Fatalf("%+v, want 3 at epoch %d", p, c.Epoch)
	}
	wantError[*nerve.OpenError](t, save(theirs, nerve.Pointer{Name: "a", ID: 4}))
	wantError[*nerve.OpenError](t, theirs.RemovePointer(ctx, "a"))
	no := nerve.Claim{Name: "a", Epoch: c.Epoch + 1}
	wantFenced(t, save(theirs, nerve.Pointer{Name: "a", ID: 4, Epoch: no.Epoch}), no)
	_, err := theirs.Renew(ctx, no)
	wantFenced(t, err, no)
	if err := theirs.Release(ctx, no); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, theirs, "a")
	if again, err := mine.Renew(ctx, c); err != nil || again.Epoch != c.Epoch {
		t.Fatalf("Renew = %+v, %v", again, err)
	}
	// All or none.
	err = save(theirs, nerve.Pointer{Name: "b", ID: 5, Epoch: b.Epoch},
		nerve.Pointer{Name: "a", ID: 5, Epoch: no.Epoch})
	wantFenced(t, err, no)
	if p := pointerOf(t, mine, "b"); p.ID != 0 {
		t.Fatalf("%+v was saved beside a pointer that was refused", p)
	}
	if err := mine.Release(ctx, c); err != nil {
		t.Fatal(err)
	}
	wantFenced(t, save(mine, nerve.Pointer{Name: "a", ID: 6, Epoch: c.Epoch}), c)
	if err := save(theirs, nerve.Pointer{Name: "a", ID: 7}); err != nil {
		t.Fatalf("a pointer that nobody has: %v", err)
	}
	next := claim(t, theirs, "a")
	if next.Epoch <= c.Epoch {
		t.Fatalf("epoch %d after %d", next.Epoch, c.Epoch)
	}
	_, err = mine.Renew(ctx, c)
	wantFenced(t, err, c)
	if p := pointerOf(t, mine, "a"); p.ID != 7 {
		t.Fatalf("%+v, want 7", p)
	}
	_, err = mine.Claim(ctx, "no name")
	wantError[*nerve.NameError](t, err)
	// No claim at all.
	for _, name := range []string{"a", "never"} {
		none := nerve.Claim{Name: name}
		_, err = mine.Renew(ctx, none)
		wantFenced(t, err, none)
		if err := mine.Release(ctx, none); err != nil {
			t.Fatalf("Release of no claim to %q: %v", name, err)
		}
	}
	wantTaken(t, mine, "a")
}

// claimExpires gives the name of an owner that says nothing to the next one.
func claimExpires(t *testing.T, e *env) {
	fill(t, e.log, 10, 10)
	ctx := testContext(t)
	mine, theirs := e.log.(nerve.Claimer), e.other(t).(nerve.Claimer)
	c := claim(t, mine, "a")
	if (c.Lease > 0) != (e.can.Lapse != nil) {
		t.Fatalf("the lease is %v, and the backend says otherwise", c.Lease)
	}
	if e.can.Lapse == nil {
		t.Skip("claims do not lapse")
	}
	if err := mine.SavePointers(ctx,
		[]nerve.Pointer{{Name: "a", ID: 2, Epoch: c.Epoch}}); err != nil {
		t.Fatal(err)
	}
	_, err := theirs.Claim(ctx, "a")
	if e := wantError[*nerve.OpenError](t, err); e.Lease <= 0 {
		t.Fatalf("%+v", e)
	}
	e.can.Lapse(t)
	// Nobody claimed it meanwhile.
	if err := mine.SavePointers(ctx,
		[]nerve.Pointer{{Name: "a", ID: 2, Epoch: c.Epoch}}); err != nil {
		t.Fatal(err)
	}
	if _, err := mine.Renew(ctx, c); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, theirs, "a")
	e.can.Lapse(t)
	// It keeps nobody out, and does not end by what others do.
	if err := theirs.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 1}}); err != nil {
		t.Fatalf("a pointer under a name whose claim lapsed: %v", err)
	}
	if err := theirs.RemovePointer(ctx, "a"); err != nil {
		t.Fatalf("to remove a pointer under a name whose claim lapsed: %v", err)
	}
	if _, err := mine.Renew(ctx, c); err != nil {
		t.Fatal(err)
	}
	if err := mine.SavePointers(ctx,
		[]nerve.Pointer{{Name: "a", ID: 2, Epoch: c.Epoch}}); err != nil {
		t.Fatal(err)
	}
	e.can.Lapse(t)
	next := claim(t, theirs, "a")
	if next.Epoch <= c.Epoch {
		t.Fatalf("epoch %d after %d", next.Epoch, c.Epoch)
	}
	_, err = mine.Renew(ctx, c)
	wantFenced(t, err, c)
	wantFenced(t, mine.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 3, Epoch: c.Epoch}}), c)
	if err := mine.Release(ctx, c); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Renew(ctx, next); err != nil {
		t.Fatal(err)
	}
	if p := pointerOf(t, mine, "a"); p.ID != 2 {
		t.Fatalf("%+v, want 2", p)
	}
}

// claimsGrowOverReopen never gives an epoch twice to a name with a pointer.
func claimsGrowOverReopen(t *testing.T, e *env) {
	if !e.can.Persistent {
		t.Skip("the store is not persistent")
	}
	fill(t, e.log, 10, 10)
	ctx := testContext(t)
	before := uint64(0)
	for id := nerve.ID(1); id <= 5; id++ {
		c := claim(t, e.log, "a")
		if c.Epoch <= before {
			t.Fatalf("epoch %d after %d", c.Epoch, before)
		}
		before = c.Epoch
		if id%2 == 1 { // also without a save
			p := nerve.Pointer{Name: "a", ID: id, Epoch: c.Epoch}
			if err := e.log.SavePointers(ctx, []nerve.Pointer{p}); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.log.(nerve.Claimer).Release(ctx, c); err != nil {
			t.Fatal(err)
		}
		e.close(t)
		e.open(t)
	}
}

// consumersClaim keeps two queues from opening one name.
func consumersClaim(t *testing.T, e *env) {
	if !e.can.Shared {
		t.Skip("the store is open once")
	}
	fill(t, e.log, 10, 10)
	mine, theirs := e.queue(t, nerve.Options{}), nerve.New(e.other(t), nerve.Options{})
	defer theirs.Close()
	c := consumer(t, mine, "a", nerve.ConsumerOptions{})
	_, err := theirs.Consumer("a", nerve.ConsumerOptions{})
	if e := wantError[*nerve.OpenError](t, err); e.Name != "a" || e.Where == "" {
		t.Fatalf("%+v", e)
	}
	take(t, c, 1, 4, func(id nerve.ID) {
		if err := c.Ack(id); err != nil {
			t.Fatal(err)
		}
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	take(t, consumer(t, theirs, "a", nerve.ConsumerOptions{}), 5, 10, nil)
}

// claimsOfClosedLogs answers as everything after Close.
func claimsOfClosedLogs(t *testing.T, e *env) {
	ctx := testContext(t)
	log := e.log.(nerve.Claimer)
	c := claim(t, log, "a")
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, claimErr := log.Claim(canceled, "b")
	_, renewErr := log.Renew(canceled, c)
	for what, err := range map[string]error{
		"Claim": claimErr, "Renew": renewErr, "Release": log.Release(canceled, c),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context = %v", what, err)
		}
	}
	e.close(t)
	_, claimErr = log.Claim(ctx, "b")
	_, renewErr = log.Renew(ctx, c)
	for what, err := range map[string]error{
		"Claim": claimErr, "Renew": renewErr, "Release": log.Release(ctx, c),
	} {
		if !errors.Is(err, nerve.ErrClosed) {
			t.Errorf("%s after Close = %v", what, err)
		}
	}
}

// askedLog tells of claims that are refused.
type askedLog struct {
	nerve.Claimer
	refused chan struct{}
}

func (l *askedLog) Claim(ctx context.Context, name string) (nerve.Claim, error) {
	c, err := l.Claimer.Claim(ctx, name)
	if err != nil {
		select {
		case l.refused <- struct{}{}:
		default:
		}
	}
	return c, err
}

// consumersWait gives a name to one that waits for it: when the one that has it
// closes, and when it says nothing any more.
func consumersWait(t *testing.T, e *env) {
	if !e.can.Shared {
		t.Skip("the store is open once")
	}
	fill(t, e.log, 10, 10)
	refused := make(chan struct{}, 1)
	other := &askedLog{Claimer: e.other(t).(nerve.Claimer), refused: refused}
	log := e.log.(nerve.Claimer)
	mine, theirs := e.queue(t, nerve.Options{}), nerve.New(other, nerve.Options{})
	defer theirs.Close()
	type opened struct {
		c   *nerve.Consumer
		err error
	}
	standby := func(ctx context.Context) <-chan opened {
		out := make(chan opened, 1)
		go func() {
			c, err := theirs.ConsumerContext(ctx, "a", nerve.ConsumerOptions{})
			out <- opened{c, err}
		}()
		<-refused
		return out
	}
	first := consumer(t, mine, "a", nerve.ConsumerOptions{})
	ctx, cancel := context.WithCancel(testContext(t))
	out := standby(ctx)
	cancel()
	got := <-out
	wantError[*nerve.OpenError](t, got.err)
	if !errors.Is(got.err, context.Canceled) {
		t.Fatalf("the wait ended with %v", got.err)
	}
	_, err := theirs.Consumer("a", nerve.ConsumerOptions{Wait: 1})
	wantError[*nerve.OpenError](t, err)
	out = standby(testContext(t))
	take(t, first, 1, 4, func(id nerve.ID) {
		if err := first.Ack(id); err != nil {
			t.Fatal(err)
		}
	})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got = <-out; got.err != nil {
		t.Fatal(got.err)
	}
	take(t, got.c, 5, 7, nil)
	if err := got.c.Close(); err != nil {
		t.Fatal(err)
	}
	if e.can.Lapse == nil {
		return
	}
	c := claim(t, log, "a") // somebody who is killed: he renews and releases nothing
	for len(refused) > 0 {
		<-refused
	}
	out = standby(testContext(t))
	e.can.Lapse(t)
	if got = <-out; got.err != nil {
		t.Fatal(got.err)
	}
	_, err = log.Renew(testContext(t), c)
	wantFenced(t, err, c)
}
