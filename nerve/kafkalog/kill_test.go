package kafkalog_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/kafkatest"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
)

var kills = flag.Int("kills", 2, "how often TestKill kills the broker")

// TestKill kills the broker while writers append, with keys and without, and a
// reader follows. Afterwards each record is there once, at the id that its
// append returned.
func TestKill(t *testing.T) {
	needKafka(t)
	server, err := kafkatest.Start(t.TempDir(), kafkatest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Kill() }()
	log := openTopic(t, server.Addr, "killed", created())
	if log.Durability() != kafkalog.Synced {
		t.Fatalf("durability is %v", log.Durability())
	}

	var (
		writers sync.WaitGroup
		reader  sync.WaitGroup
		stop    = make(chan struct{})
		acked   = make(chan struct{}, 1)
		mu      sync.Mutex
		records = map[nerve.ID]string{} // by the id that the append returned
	)
	ctx := t.Context()
	for w := range 3 {
		writers.Go(func() {
			own := openTopic(t, server.Addr, "killed", kafkalog.Options{})
			for seq := 1; ; seq++ {
				select {
				case <-stop:
					return
				default:
				}
				b := batch(fmt.Sprintf("writer %d, append %d", w, seq), 1, 1+seq%5)
				if w > 0 {
					b.Key = nerve.Key{Producer: uint64(w), Seq: uint64(seq)}
				}
				id, err := own.Append(ctx, b)
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				mu.Lock()
				for rec := range b.All() {
					records[rec.ID] = string(rec.Data)
				}
				mu.Unlock()
				if b.First != id {
					t.Errorf("Append = %d, and the batch begins at %d", id, b.First)
				}
				select {
				case acked <- struct{}{}:
				default:
				}
			}
		})
	}
	var seen []string
	reader.Go(func() {
		cur, err := log.Read(ctx, 1)
		if err != nil {
			t.Error(err)
			return
		}
		defer cur.Close()
		var b nerve.Batch
		for {
			if err := cur.Next(ctx, &b); err != nil {
				t.Error(err)
				return
			}
			for rec := range b.All() {
				if rec.ID != nerve.ID(len(seen)+1) {
					t.Errorf("the reader got %d after %d records", rec.ID, len(seen))
					return
				}
				if string(rec.Data) == "end" {
					return
				}
				seen = append(seen, string(rec.Data))
			}
		}
	})

	rng := rand.New(rand.NewPCG(1, 2))
	for kill := range *kills {
		for range 20 + rng.IntN(100) {
			select {
			case <-acked:
			case <-time.After(time.Minute):
				t.Fatalf("nothing is acknowledged before kill %d", kill)
			}
		}
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := server.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		<-acked
	}
	close(stop)
	writers.Wait()
	var end nerve.Batch
	end.Append([]byte("end"))
	if _, err := log.Append(ctx, &end); err != nil {
		t.Fatal(err)
	}
	reader.Wait()

	once := map[string]nerve.ID{}
	for i, text := range seen {
		id := nerve.ID(i + 1)
		if before, twice := once[text]; twice {
			t.Fatalf("%q is record %d and %d", text, before, id)
		}
		once[text] = id
		if records[id] != text {
			t.Fatalf("record %d is %q; acknowledged was %q", id, text, records[id])
		}
	}
	if len(seen) != len(records) {
		t.Fatalf("%d records were acknowledged and %d are there", len(records), len(seen))
	}
	t.Logf("%d kills, %d records", *kills, len(seen))
}
