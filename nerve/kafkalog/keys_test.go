package kafkalog_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
)

func appendKeyed(t *testing.T, log nerve.Log, seq uint64, records int) nerve.ID {
	t.Helper()
	b := batch(fmt.Sprintf("append %d", seq), 1, records)
	b.Key = nerve.Key{Producer: 7, Seq: seq}
	id, err := log.Append(testContext(t), b)
	if err != nil {
		t.Fatalf("append %d: %v", seq, err)
	}
	return id
}

// TestProducerChangesHands appends under one producer by two processes in turn,
// without either being told of the other. The batches have the same number of
// records, so the broker takes each first one of a turn for a repetition.
func TestProducerChangesHands(t *testing.T) {
	for _, codec := range []kafkalog.Codec{kafkalog.None, kafkalog.LZ4} {
		t.Run(codec.String(), func(t *testing.T) {
			addr, topic := broker(t), newTopic(t)
			options := created()
			options.Compression = codec
			logs := []*kafkalog.Log{openTopic(t, addr, topic, options),
				openTopic(t, addr, topic, options)}
			ids := map[uint64]nerve.ID{}
			seq := uint64(0)
			for _, turns := range []int{1, 1, 1, 3, 2, 1, 6, 1, 1} {
				for range turns {
					seq++
					ids[seq] = appendKeyed(t, logs[0], seq, 2)
				}
				logs[0], logs[1] = logs[1], logs[0]
			}
			for s := seq - 4; s <= seq; s++ {
				for i, log := range logs {
					if id := appendKeyed(t, log, s, 2); id != ids[s] {
						t.Fatalf("append %d again by log %d = %d, want %d", s, i, id, ids[s])
					}
				}
			}
			a, err := logs[1].LastAppended(testContext(t), 7)
			if err != nil || a.Key.Seq != seq || a.First != ids[seq] || a.Last != ids[seq]+1 {
				t.Fatalf("LastAppended = %+v, %v", a, err)
			}
			all := readAll(t, logs[0], 1)
			if len(all) != 2*int(seq) {
				t.Fatalf("%d records for %d appends", len(all), seq)
			}
			for s := uint64(1); s <= seq; s++ {
				if want := fmt.Sprintf("append %d-1", s); all[ids[s]-1] != want {
					t.Fatalf("record %d is %q, want %q", ids[s], all[ids[s]-1], want)
				}
			}
		})
	}
}

// TestProducerInTwoHands appends the same keys by two processes at once: each is
// stored once, whoever comes first.
func TestProducerInTwoHands(t *testing.T) {
	addr, topic := broker(t), newTopic(t)
	const appends = 60
	var both sync.WaitGroup
	var ids [2][appends + 1]nerve.ID
	for p := range ids {
		log := openTopic(t, addr, topic, created())
		both.Go(func() {
			for seq := uint64(1); seq <= appends; seq++ {
				b := batch(fmt.Sprintf("append %d", seq), 1, 3)
				b.Key = nerve.Key{Producer: 7, Seq: seq}
				id, err := log.Append(testContext(t), b)
				var old *nerve.KeyError
				if errors.As(err, &old) {
					continue // the other one is far ahead
				}
				if err != nil {
					t.Errorf("append %d: %v", seq, err)
					return
				}
				ids[p][seq] = id
			}
		})
	}
	both.Wait()
	if t.Failed() {
		return
	}
	all := readAll(t, openTopic(t, addr, topic, created()), 1)
	if len(all) != 3*appends {
		t.Fatalf("%d records for %d appends", len(all), appends)
	}
	for seq := 1; seq <= appends; seq++ {
		for p := range ids {
			id := ids[p][seq]
			if want := fmt.Sprintf("append %d-1", seq); id != 0 && all[id-1] != want {
				t.Fatalf("process %d: append %d is at %d, where %q is", p, seq, id, all[id-1])
			}
		}
	}
}
