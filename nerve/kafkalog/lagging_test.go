package kafkalog_test

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestBehindTheLeader begins to append while replicas lack the newest batch: the leader tells of
// its producer, but nobody can read it yet. It was taken for one that was trimmed, and what was
// sent again was stored twice.
func TestBehindTheLeader(t *testing.T) {
	for producer, appended := range map[string]func() *nerve.Batch{
		"key 7": func() *nerve.Batch {
			b := batch("append", 1, 3)
			b.Key = nerve.Key{Producer: 7, Seq: 1}
			return b
		},
		"ids": func() *nerve.Batch {
			b := batch("append", 1, 3)
			b.Once(nerve.DedupIDOf([]byte("append")))
			return b
		},
	} {
		t.Run(producer, func(t *testing.T) {
			c := fake(t)
			ctx := testContext(t)
			open := func() *kafkalog.Log {
				log, err := kafkalog.OpenPartition(ctx, c.ListenAddrs(), "t", 0, created())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = log.Close() })
				return log
			}
			if id, err := open().Append(ctx, appended()); err != nil || id != 1 {
				t.Fatal(id, err)
			}
			again := open()

			var hidden atomic.Int32 // fetches until the batch can be read
			hidden.Store(3)
			offsets := func(r kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				req := r.(*kmsg.ListOffsetsRequest)
				if hidden.Load() <= 0 || req.Topics[0].Topic != "t" {
					return nil, nil, false
				}
				resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
				part := kmsg.NewListOffsetsResponseTopicPartition()
				part.Timestamp, part.Offset, part.LeaderEpoch = -1, -1, 0
				if req.Topics[0].Partitions[0].Timestamp < 0 {
					part.Offset = 0
				}
				topic := kmsg.NewListOffsetsResponseTopic()
				topic.Topic = "t"
				topic.Partitions = append(topic.Partitions, part)
				resp.Topics = append(resp.Topics, topic)
				return resp, nil, true
			}
			c.ControlKey(int16(kmsg.ListOffsets), offsets)
			c.ControlKey(int16(kmsg.DescribeProducers),
				func(r kmsg.Request) (kmsg.Response, error, bool) {
					c.KeepControl() // the fake knows only ids that it gave out
					resp := r.ResponseKind().(*kmsg.DescribeProducersResponse)
					active := kmsg.NewDescribeProducersResponseTopicPartitionActiveProducer()
					sum := sha256.Sum256([]byte(producer))
					active.ProducerID = int64(binary.BigEndian.Uint64(sum[:])>>2 | 1<<62)
					active.LastSequence, active.LastTimestamp = 2, 0
					active.CoordinatorEpoch, active.CurrentTxnStartOffset = -1, -1
					part := kmsg.NewDescribeProducersResponseTopicPartition()
					part.ActiveProducers = append(part.ActiveProducers, active)
					topic := kmsg.NewDescribeProducersResponseTopic()
					topic.Topic = "t"
					topic.Partitions = append(topic.Partitions, part)
					resp.Topics = append(resp.Topics, topic)
					return resp, nil, true
				})
			c.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				req := r.(*kmsg.FetchRequest)
				if hidden.Add(-1) < 0 {
					return nil, nil, false
				}
				resp := req.ResponseKind().(*kmsg.FetchResponse)
				part := kmsg.NewFetchResponseTopicPartition()
				topic := kmsg.NewFetchResponseTopic()
				topic.Topic, topic.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
				topic.Partitions = append(topic.Partitions, part)
				resp.Topics = append(resp.Topics, topic)
				return resp, nil, true
			})
			if id, err := again.Append(ctx, appended()); err != nil || id != 1 {
				t.Errorf("sent again, it is at %d, %v", id, err)
			}
			if all := readAll(t, open(), 1); len(all) != 3 {
				t.Errorf("%d records, want 3", len(all))
			}
		})
	}
}
