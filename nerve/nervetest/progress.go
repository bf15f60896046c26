package nervetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// scattered makes a progress of single records with gaps between them, as long
// as one gets if there are enough.
func scattered(rng *rand.Rand, from, last nerve.ID, most int) nerve.Progress {
	return nerve.MakeProgress(func(yield func(nerve.Span) bool) {
		for id := from; id <= last && most > 0; id += 2 + nerve.ID(rng.IntN(3)) {
			if !yield(nerve.Span{First: id, Last: id, Attempts: uint32(rng.IntN(3))}) {
				return
			}
			most--
		}
	})
}

// progressIsKept saves what consumers did above their pointers, short and long,
// and reads it back, also after a reopening.
func progressIsKept(t *testing.T, e *env) {
	const last = 12_000
	fill(t, e.log, last, 1000)
	ctx := testContext(t)
	rng := rand.New(rand.NewPCG(5, 6))
	want := map[string]nerve.Progress{}
	check := func(when string) {
		t.Helper()
		for name, progress := range want {
			if p := pointerOf(t, e.log, name); p.Progress != progress {
				t.Fatalf("%s %s has %d bytes of progress up to %d, want %d up to %d", when, name,
					p.Progress.Size(), p.Progress.Last(), progress.Size(), progress.Last())
			}
		}
	}
	for _, most := range []int{1, 20, 40, 100, 5000, 0, 30, 5000, 5000, 3} {
		var list []nerve.Pointer
		for _, name := range []string{"a", "b", "c"} {
			p := nerve.Pointer{Name: name, ID: 1 + nerve.ID(rng.IntN(50))}
			p.Progress = scattered(rng, p.ID+2, last, most)
			if want[name] = p.Progress; rng.IntN(3) > 0 {
				list = append(list, p)
			} else {
				want[name] = pointerOf(t, e.log, name).Progress
			}
		}
		if err := e.log.SavePointers(ctx, list); err != nil {
			t.Fatal(err)
		}
		check("after a save")
		if e.can.Persistent && rng.IntN(2) == 0 {
			e.close(t)
			e.open(t)
			check("after a reopening")
		}
	}
	span := nerve.Span{First: last + 1, Last: last + 1}
	future := nerve.MakeProgress(slices.Values([]nerve.Span{span}))
	err := e.log.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 3, Progress: future}})
	wantError[*nerve.FutureError](t, err)
	check("after a save that was refused")
	if err := e.log.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 3}}); err != nil {
		t.Fatal(err)
	}
	want["a"] = nerve.Progress{}
	check("after a save without any")
	if err := e.log.RemovePointer(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if err := e.log.SavePointers(ctx, []nerve.Pointer{{Name: "b", ID: 2}}); err != nil {
		t.Fatal(err)
	}
	want["b"] = nerve.Progress{}
	check("after a removal")
}

// progressIsFenced keeps who lost a name from saving what it did.
func progressIsFenced(t *testing.T, e *env) {
	fill(t, e.log, 100, 100)
	ctx := testContext(t)
	rng := rand.New(rand.NewPCG(7, 8))
	c := claim(t, e.log, "a")
	kept := scattered(rng, 5, 100, 30)
	save := func(epoch uint64, p nerve.Progress) error {
		pointer := nerve.Pointer{Name: "a", ID: 3, Progress: p, Epoch: epoch}
		return e.log.SavePointers(ctx, []nerve.Pointer{pointer})
	}
	if err := save(c.Epoch, kept); err != nil {
		t.Fatal(err)
	}
	wantFenced(t, save(c.Epoch+1, scattered(rng, 7, 100, 10)),
		nerve.Claim{Name: "a", Epoch: c.Epoch + 1})
	wantError[*nerve.OpenError](t, save(0, nerve.Progress{}))
	if p := pointerOf(t, e.log, "a"); p.Progress != kept {
		t.Fatal("who has no claim changed the progress")
	}
	if err := e.log.(nerve.Claimer).Release(ctx, c); err != nil {
		t.Fatal(err)
	}
	next := claim(t, e.log, "a") // which may write the pointer anew
	if p := pointerOf(t, e.log, "a"); p.Progress != kept {
		t.Fatal("a claim took the progress away")
	}
	wantFenced(t, save(c.Epoch, nerve.Progress{}), c)
	if err := e.log.(nerve.Claimer).Release(ctx, next); err != nil {
		t.Fatal(err)
	}
}

// history is what a consumer of records 1 to last did, and what it is to get.
type history struct {
	last, pointer nerve.ID
	acked         map[nerve.ID]bool
	acks          int // number of acks in all
	attempts      map[nerve.ID]int
}

// ack is told of one.
func (h *history) ack(id nerve.ID) {
	h.acked[id] = true
	h.acks++
	delete(h.attempts, id)
	for h.acked[h.pointer+1] {
		h.pointer++
	}
}

// next is the first record after id that is to be delivered.
func (h *history) next(id nerve.ID) nerve.ID {
	for id++; h.acked[id] || id <= h.pointer; id++ {
	}
	return id
}

// move puts the pointer somewhere by hand.
func (h *history) move(id nerve.ID) {
	h.pointer = id
	clear(h.acked)
	clear(h.attempts)
}

// consumerAcksSurvive acknowledges in random order over many reopenings: what was
// acknowledged does not come again, everything else does, in order.
func consumerAcksSurvive(t *testing.T, e *env) {
	rounds := 20
	if !e.can.Persistent {
		rounds = 1
	}
	rng := rand.New(rand.NewPCG(9, 10))
	h := &history{last: 3000, acked: map[nerve.ID]bool{}, attempts: map[nerve.ID]int{}}
	fill(t, e.log, h.last, 333)
	for round := range rounds {
		// Of a queue that stays, two opened one after the other: the claim of the second
		// may write the pointer anew.
		q := nerve.New(e.log, nerve.Options{})
		for range 1 + rng.IntN(2) {
			c := consumer(t, q, "a", nerve.ConsumerOptions{})
			h.play(t, rng, c)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		e.log = nil
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		if round < rounds-1 {
			e.open(t)
		}
	}
	if e.can.Persistent && h.acks < 1000 {
		t.Fatalf("only %d were acknowledged: nothing was tested", h.acks)
	}
}

// play opens with a look at what came from before, and then does random things.
func (h *history) play(t *testing.T, rng *rand.Rand, c *nerve.Consumer) {
	t.Helper()
	if c.Pointer() != h.pointer {
		t.Fatalf("the pointer is %d, want %d", c.Pointer(), h.pointer)
	}
	above := 0
	for id := range h.acked {
		if id > h.pointer {
			above++
		}
	}
	if c.Acked() != above {
		t.Fatalf("%d are acknowledged above the pointer, want %d", c.Acked(), above)
	}
	for id := h.pointer + 1; id <= h.last; id++ {
		if got := c.Attempts(id); got != h.attempts[id] {
			t.Fatalf("%d attempts of %d, want %d", got, id, h.attempts[id])
		}
	}
	at := h.pointer
	for range 1 + rng.IntN(12) {
		at = h.read(t, rng, c, at)
		switch rng.IntN(24) {
		case 0:
			if err := c.Redeliver(); err != nil {
				t.Fatal(err)
			}
			at = h.pointer
		case 1:
			at = h.pointer + nerve.ID(rng.IntN(int(h.last-h.pointer)/20+1))
			if rng.IntN(3) == 0 {
				at = nerve.ID(rng.IntN(int(h.pointer) + 1))
			}
			if err := c.Seek(nerve.StartAfter(at)); err != nil {
				t.Fatal(err)
			}
			h.move(at)
		case 2:
			if err := c.Save(testContext(t)); err != nil {
				t.Fatal(err)
			}
		case 3:
			if at = max(at, h.pointer); at > h.pointer {
				through := h.pointer + 1 + nerve.ID(rng.IntN(int(at-h.pointer)))/5
				if err := c.AckThrough(through); err != nil {
					t.Fatal(err)
				}
				for id := h.pointer + 1; id <= through; id++ {
					h.ack(id)
				}
			}
		}
	}
}

// read takes some records, which are those after at that are not acknowledged.
func (h *history) read(t *testing.T, rng *rand.Rand, c *nerve.Consumer, at nerve.ID) nerve.ID {
	t.Helper()
	left := 1 + rng.IntN(1+rng.IntN(400))
	if h.next(at) > h.last {
		return at
	}
	ackOne := 1 + rng.IntN(6) // of how many, about
	for rec, err := range c.Records(testContext(t)) {
		if err != nil {
			t.Fatalf("behind %d: %v", at, err)
		}
		if want := h.next(at); rec.ID != want || string(rec.Data) != content(want) {
			t.Fatalf("got record %d %q behind %d, want %d", rec.ID, rec.Data, at, want)
		}
		at = rec.ID
		switch rng.IntN(1 + ackOne) {
		case 0:
			n := 1 + rng.IntN(300)
			if err := c.SetAttempts(at, n); err != nil {
				t.Fatal(err)
			}
			h.attempts[at] = n
		case 1:
			if err := c.Ack(at); err != nil {
				t.Fatal(err)
			}
			h.ack(at)
		}
		if left--; left <= 0 || h.next(at) > h.last {
			break
		}
	}
	return at
}

// consumerAcksAndTrim trims away what is acknowledged: nothing is missed.
func consumerAcksAndTrim(t *testing.T, e *env) {
	fill(t, e.log, 100, 10)
	q := e.queue(t, nerve.Options{})
	c := consumer(t, q, "a", nerve.ConsumerOptions{})
	take(t, c, 1, 60, func(id nerve.ID) {
		if id <= 20 || id >= 30 && id <= 50 {
			if err := c.Ack(id); err != nil {
				t.Fatal(err)
			}
		}
	})
	q = e.reopenQueue(t, q)
	if first, err := q.Trim(testContext(t), 21); err != nil || first != 21 {
		t.Fatalf("Trim = %d, %v", first, err)
	}
	c = consumer(t, q, "a", nerve.ConsumerOptions{})
	take(t, c, 21, 29, nil)
	take(t, c, 51, 70, nil)
	if _, err := q.Trim(testContext(t), 40); err != nil {
		t.Fatal(err)
	}
	// What was lost is said, and Seek leads past it.
	if err := c.Redeliver(); err != nil {
		t.Fatal(err)
	}
	wantError[*nerve.TrimmedError](t, c.Next(testContext(t), new(nerve.Batch)))
	if err := c.Seek(nerve.StartOldest()); err != nil {
		t.Fatal(err)
	}
	take(t, c, 40, 100, nil)
}
