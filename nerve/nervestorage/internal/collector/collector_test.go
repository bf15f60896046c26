package collector

import (
	"sync/atomic"
	"testing"
)

// TestKilled kills a collector under load, again and again, with the back end there and away. What
// was accepted comes; what was being sent at a kill may come again.
func TestKilled(t *testing.T) {
	built(t)
	b := newBackend(t)
	c := newCollector(t, b.URL)
	s := newSender(c)
	const rounds, batch = 12, 100
	for round := range rounds {
		b.away.Store(round%3 == 1) // so that a later start finds many
		c.start()
		var sent atomic.Int64
		stop, done := make(chan struct{}), make(chan struct{})
		enough := make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if s.send() && sent.Add(1) == batch {
					close(enough)
				}
			}
		}()
		select {
		case <-enough:
		case err := <-c.ended:
			t.Fatalf("round %d: the collector ended: %v", round, err)
		}
		if round%2 == 0 && !b.away.Load() {
			before := b.total()
			b.waitFor(t, "records under load", func() bool { return b.total() > before+batch/2 })
		}
		c.kill()
		close(stop)
		<-done
	}
	b.away.Store(false)
	c.start()
	b.waitFor(t, "what was accepted", func() bool { return len(b.missing(s.accepted)) == 0 })
	c.shutdown()
	t.Logf("%d accepted, 0 lost, %d came again over %d kills", len(s.accepted), b.repeated(), rounds)
	// A kill finds as many requests on their way as there are consumers, and the start after it
	// may be killed before they were stored again.
	if most := 2 * consumers * rounds; b.repeated() > most {
		t.Errorf("%d records came again, want at most %d", b.repeated(), most)
	}
}

// TestShutdownWhileAway stops a collector whose back end is away: nothing is lost, and nothing
// comes twice.
func TestShutdownWhileAway(t *testing.T) {
	built(t)
	b := newBackend(t)
	c := newCollector(t, b.URL)
	s := newSender(c)
	b.away.Store(true)
	for range 3 {
		c.start()
		for range 50 {
			if !s.send() {
				t.Fatal("a record was not accepted")
			}
		}
		c.shutdown()
	}
	if b.total() != 0 {
		t.Fatalf("%d records came to a back end that was away", b.total())
	}
	b.away.Store(false)
	c.start()
	b.waitFor(t, "what was accepted", func() bool { return len(b.missing(s.accepted)) == 0 })
	c.shutdown()
	if b.repeated() != 0 {
		t.Errorf("%d records came again", b.repeated())
	}
}
