package collector

import (
	"sync/atomic"
	"testing"
)

// TestKilled kills a collector with nerve_storage under load, again and again, with the back end
// there and away. What was accepted comes; what was being sent at a kill may come again.
func TestKilled(t *testing.T) {
	const rounds = 12
	b, _ := killed(t, stored, rounds)
	// A kill finds as many requests on their way as there are consumers, and the start after it
	// may be killed before they were stored again.
	if most := 2 * consumers * rounds; b.repeated() > most {
		t.Errorf("%d records came again, want at most %d", b.repeated(), most)
	}
}

// TestPairKilled kills a collector with a queue between two pipelines. What was accepted comes, in
// its order; what was not acknowledged at a kill comes again.
func TestPairKilled(t *testing.T) {
	b, s := killed(t, piped, 12)
	at := map[string]int{}
	for i, id := range b.order {
		at[id] = i
	}
	for i := 1; i < len(s.accepted); i++ {
		if at[s.accepted[i-1]] > at[s.accepted[i]] {
			t.Fatalf("%s came after %s", s.accepted[i-1], s.accepted[i])
		}
	}
}

// killed kills a collector so many times under load and checks that what it accepted comes.
func killed(t *testing.T, config string, rounds int) (*backend, *sender) {
	built(t)
	b := newBackend(t)
	c := newCollector(t, config, b.URL)
	s := newSender(c)
	const batch = 100
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
	c.kill() // it may not listen to signals yet
	t.Logf("%d accepted, 0 lost, %d came again over %d kills", len(s.accepted), b.repeated(), rounds)
	return b, s
}

// TestShutdownWhileAway stops a collector whose back end is away: nothing is lost, and nothing
// comes twice.
func TestShutdownWhileAway(t *testing.T) {
	for name, config := range map[string]string{"nerve_storage": stored, "pair": piped} {
		t.Run(name, func(t *testing.T) { shutdownWhileAway(t, config) })
	}
}

func shutdownWhileAway(t *testing.T, config string) {
	built(t)
	b := newBackend(t)
	c := newCollector(t, config, b.URL)
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
