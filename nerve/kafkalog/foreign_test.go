package kafkalog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// otherClient is franz-go's own producer.
func otherClient(t *testing.T, addr, topic string, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(addr), kgo.DefaultProduceTopic(topic),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func produce(t *testing.T, c *kgo.Client, records ...*kgo.Record) {
	t.Helper()
	if err := c.ProduceSync(testContext(t), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// TestOtherCompressions reads what another client compressed, from every id.
func TestOtherCompressions(t *testing.T) {
	addr := broker(t)
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(),
		"lz4":    kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			topic := newTopic(t)
			log := openTopic(t, addr, topic, created())
			c := otherClient(t, addr, topic, kgo.ProducerBatchCompression(codec),
				kgo.ProducerLinger(time.Second))
			var want []string
			for round := range 3 {
				var records []*kgo.Record
				for i := range 40 {
					text := fmt.Sprintf("round %d record %d %s", round, i, strings.Repeat("x", i*i))
					want = append(want, text)
					records = append(records, kgo.StringRecord(text))
				}
				produce(t, c, records...)
			}
			// sees the end
			if _, err := log.Seek(testContext(t), time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			for from := 1; from <= len(want); from++ {
				got := readAll(t, log, nerve.ID(from))
				if len(got) != len(want)-from+1 {
					t.Fatalf("%d records from %d, want %d", len(got), from, len(want)-from+1)
				}
				for i, text := range got {
					if text != want[from-1+i] {
						t.Fatalf("record %d is %q, want %q", from+i, text, want[from-1+i])
					}
				}
			}
		})
	}
}

// TestOwnCompressions writes with each codec what another client reads.
func TestOwnCompressions(t *testing.T) {
	addr := broker(t)
	for codec := kafkalog.None; codec <= kafkalog.Zstd; codec++ {
		t.Run(codec.String(), func(t *testing.T) {
			topic := newTopic(t)
			options := created()
			options.Compression = codec
			log := openTopic(t, addr, topic, options)
			b := new(nerve.Batch)
			for i := range 50 {
				b.Append(bytes.Repeat([]byte{byte('a' + i%26)}, i*7))
			}
			if _, err := log.Append(testContext(t), b); err != nil {
				t.Fatal(err)
			}
			c := otherClient(t, addr, topic, kgo.ConsumeTopics(topic),
				kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
			seen := 0
			for seen < 50 {
				fetches := c.PollFetches(testContext(t))
				if err := fetches.Err(); err != nil {
					t.Fatal(err)
				}
				fetches.EachRecord(func(r *kgo.Record) {
					want := bytes.Repeat([]byte{byte('a' + seen%26)}, seen*7)
					if r.Offset != int64(seen) || !bytes.Equal(r.Value, want) || r.Key != nil {
						t.Errorf("record %d at %d is %q", seen, r.Offset, r.Value)
					}
					seen++
				})
			}
			got := readAll(t, log, 1)
			for i, text := range got {
				if text != strings.Repeat(string(rune('a'+i%26)), i*7) {
					t.Fatalf("record %d is %q", i+1, text)
				}
			}
		})
	}
}

// TestEnvelope reads keys, headers, times and tombstones of other clients.
func TestEnvelope(t *testing.T) {
	addr, topic := broker(t), newTopic(t)
	plain := openTopic(t, addr, topic, created())
	produce(t, otherClient(t, addr, topic),
		&kgo.Record{Key: []byte("k"), Value: []byte("v"), Headers: []kgo.RecordHeader{
			{Key: "a", Value: []byte("1")}, {Key: "a", Value: nil},
			{Key: "\xff", Value: []byte{}}}},
		&kgo.Record{Key: []byte("gone")},
		&kgo.Record{Value: []byte{}},
	)
	log := openTopic(t, addr, topic, kafkalog.Options{Envelope: true})
	got := readAll(t, log, 1)
	want := []string{
		"\x0a\x01k\x12\x01v" +
			"\x1a\x06\x0a\x01a\x12\x011" + "\x1a\x03\x0a\x01a" +
			"\x1a\x07\x0a\x03\xef\xbf\xbd\x12\x00",
		"\x0a\x04gone",
		"\x12\x00",
	}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i, text := range got {
		fields, rest, ok := strings.Cut(text, "\x20")
		if fields != want[i] || !ok {
			t.Errorf("record %d is %q, want %q", i+1, text, want[i])
			continue
		}
		millis, n := binary.Uvarint([]byte(rest))
		if n != len(rest) || time.Since(time.UnixMilli(int64(millis))).Abs() > time.Hour {
			t.Errorf("record %d was appended at %d", i+1, millis)
		}
	}
	if _, err := log.Append(testContext(t), batch("x", 1, 1)); !errors.Is(err, nerve.ErrReadOnly) {
		t.Errorf("Append = %v", err)
	}
	if _, err := plain.Seek(testContext(t), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, plain, 1); strings.Join(got, ",") != "v,," {
		t.Errorf("without envelope: %q", got)
	}
}

// TestKafkaRecordProto keeps the comments of the encoder and the schema in step.
func TestKafkaRecordProto(t *testing.T) {
	text, err := os.ReadFile("kafka_record.proto")
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{
		"string key = 1;", "optional bytes value = 2;", "optional bytes key = 1;",
		"repeated Header headers = 3;", "int64 time_unix_millis = 4;",
	} {
		if !strings.Contains(string(text), field) {
			t.Errorf("the schema has no %q", field)
		}
	}
}

// createTopic makes a topic with settings of somebody else's.
func createTopic(t *testing.T, addr, topic string, partitions int32, configs ...string) {
	t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 10_000
	rt := kmsg.NewCreateTopicsRequestTopic()
	rt.Topic, rt.NumPartitions, rt.ReplicationFactor = topic, partitions, 1
	for i := 0; i < len(configs); i += 2 {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = configs[i], &configs[i+1]
		rt.Configs = append(rt.Configs, c)
	}
	req.Topics = append(req.Topics, rt)
	ctx, c := testContext(t), otherClient(t, addr, topic)
	resp, err := req.RequestWith(ctx, c)
	if err != nil || resp.Topics[0].ErrorCode != 0 {
		t.Fatalf("%v %+v", err, resp)
	}
	// The broker's metadata are those of its controller some time later.
	for metadata(t, c, topic).ErrorCode != 0 {
		if ctx.Err() != nil {
			t.Fatalf("the broker does not know %s", topic)
		}
	}
}

func wantSetup(t *testing.T, err error, reason, advice string) {
	t.Helper()
	var setup *nerve.SetupError
	if !errors.As(err, &setup) {
		t.Fatalf("error is %v, want a SetupError", err)
	}
	if !strings.Contains(setup.Reason, reason) || !strings.Contains(setup.Advice, advice) {
		t.Fatalf("error is %v; want %q and %q in it", err, reason, advice)
	}
}

// TestUnfitTopics are refused, each with what to do.
func TestUnfitTopics(t *testing.T) {
	addr := broker(t)
	open := func(topic string, partition int32, options kafkalog.Options) error {
		log, err := kafkalog.OpenPartition(testContext(t), []string{addr}, topic, partition,
			options)
		if err == nil {
			log.Close()
		}
		return err
	}
	t.Run("missing", func(t *testing.T) {
		wantSetup(t, open(newTopic(t), 0, kafkalog.Options{}), "no such topic", "Options.Create")
	})
	t.Run("name", func(t *testing.T) {
		wantSetup(t, open("no/topic", 0, created()), "refuses", "")
	})
	t.Run("partition", func(t *testing.T) {
		topic := newTopic(t)
		createTopic(t, addr, topic, 2)
		wantSetup(t, open(topic, 2, kafkalog.Options{}), "has 2 partitions", "kafka-topics --alter")
	})
	t.Run("compacted", func(t *testing.T) {
		for _, policy := range []string{"compact", "compact,delete"} {
			topic := newTopic(t)
			createTopic(t, addr, topic, 1, "cleanup.policy", policy)
			wantSetup(t, open(topic, 0, kafkalog.Options{ReadOnly: true}), policy,
				"cleanup.policy=delete")
		}
	})
	t.Run("durability", func(t *testing.T) {
		topic := newTopic(t)
		createTopic(t, addr, topic, 1)
		wantSetup(t, open(topic, 0, kafkalog.Options{}), "in memory", "flush.messages=1")
		for _, o := range []kafkalog.Options{{ReadOnly: true}, {AllowUnsynced: true}} {
			if err := open(topic, 0, o); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("retention", func(t *testing.T) {
		topic := newTopic(t)
		createTopic(t, addr, topic, 1, "retention.ms", "86400000", "flush.messages", "1")
		log := openTopic(t, addr, topic, kafkalog.Options{})
		ctx := testContext(t)
		if err := log.SavePointers(ctx, []nerve.Pointer{{Name: "a"}}); err != nil {
			t.Fatal(err)
		}
		err := log.SavePointers(ctx, []nerve.Pointer{{Name: "a", Hold: true}})
		wantSetup(t, err, "retention.ms=86400000", "retention.ms=-1")
	})
	t.Run("retention set later", func(t *testing.T) {
		topic := newTopic(t)
		log := openTopic(t, addr, topic, created())
		if err := log.SavePointers(testContext(t),
			[]nerve.Pointer{{Name: "a", Hold: true}}); err != nil {
			t.Fatal(err)
		}
		alter(t, addr, topic, "retention.bytes", "1000000")
		wantSetup(t, open(topic, 0, kafkalog.Options{}), `"a" holds`, "retention.bytes=-1")
		if err := open(topic, 0, kafkalog.Options{ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("pointers not compacted", func(t *testing.T) {
		topic := newTopic(t)
		createTopic(t, addr, topic+".nerve", 1)
		log, err := kafkalog.OpenPartition(testContext(t), []string{addr}, topic, 0, created())
		if err == nil {
			log.Close()
		}
		wantSetup(t, err, "pointers", "cleanup.policy=compact")
	})
	t.Run("created again", func(t *testing.T) {
		topic := newTopic(t)
		log := openTopic(t, addr, topic, created())
		req := kmsg.NewPtrDeleteTopicsRequest()
		req.TimeoutMillis = 10_000
		req.TopicNames = []string{topic}
		rt := kmsg.NewDeleteTopicsRequestTopic()
		rt.Topic = &topic
		req.Topics = append(req.Topics, rt)
		if _, err := req.RequestWith(testContext(t), otherClient(t, addr, topic)); err != nil {
			t.Fatal(err)
		}
		createTopic(t, addr, topic, 1, "flush.messages", "1")
		_, err := log.Append(testContext(t), batch("x", 1, 1))
		wantSetup(t, err, "created again", "anew")
	})
}

// alter sets one setting of a topic.
func alter(t *testing.T, addr, topic, name, value string) {
	t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, topic
	c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	c.Name, c.Value = name, &value
	resource.Configs = append(resource.Configs, c)
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(testContext(t), otherClient(t, addr, topic))
	if err != nil || resp.Resources[0].ErrorCode != 0 {
		t.Fatalf("%v %+v", err, resp)
	}
}

// wantGap reads up to a gap and checks where it is.
func wantGap(t *testing.T, log nerve.Log, from, first, last nerve.ID, reason string) {
	t.Helper()
	cur, err := log.Read(testContext(t), from)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b nerve.Batch
	for err == nil {
		err = cur.Next(testContext(t), &b)
	}
	for range 2 { // an error moves nothing
		var gap *kafkalog.GapError
		var lost *nerve.LostError
		if !errors.As(err, &gap) || !errors.As(err, &lost) || lost.First != first ||
			lost.Last != last {
			t.Fatalf("error is %v, want a gap from %d to %d", err, first, last)
		}
		if !strings.Contains(gap.Reason, reason) {
			t.Fatalf("error is %v, want %q in it", err, reason)
		}
		err = cur.Next(testContext(t), &b)
	}
}

// TestTransactions are gaps to those who read, and the topic is refused to those
// who write.
func TestTransactions(t *testing.T) {
	addr, topic := broker(t), newTopic(t)
	log := openTopic(t, addr, topic, created())
	ctx := testContext(t)
	if _, err := log.Append(ctx, batch("before", 1, 2)); err != nil {
		t.Fatal(err)
	}
	c := otherClient(t, addr, topic, kgo.TransactionalID(topic))
	if err := c.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	produce(t, c, kgo.StringRecord("in a transaction"))
	if err := c.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	for last := nerve.ID(0); last < 4; _, last = log.Bounds() { // the marker comes later
		if _, err := log.Seek(ctx, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if id, err := log.Append(ctx, batch("after", 1, 2)); err != nil || id != 5 {
		t.Fatalf("Append = %d, %v; want 5, after a record and a marker", id, err)
	}
	wantGap(t, log, 1, 3, 3, "transaction")
	wantGap(t, log, 4, 4, 4, "transaction")
	if got := readAll(t, log, 5); strings.Join(got, ",") != "after-1,after-2" {
		t.Fatalf("%q", got)
	}
	_, err := kafkalog.OpenPartition(ctx, []string{addr}, topic, 0, kafkalog.Options{})
	wantSetup(t, err, "transactions", "plain producers")
}

// TestCompactedLater reads a topic that was compacted and is not any more.
func TestCompactedLater(t *testing.T) {
	addr, topic := broker(t), newTopic(t)
	createTopic(t, addr, topic, 1, "cleanup.policy", "compact", "segment.bytes", "1048576",
		"min.cleanable.dirty.ratio", "0.001", "flush.messages", "1", "max.compaction.lag.ms", "1")
	c := otherClient(t, addr, topic, kgo.ProducerBatchCompression(kgo.NoCompression()))
	filler := bytes.Repeat([]byte("x"), 600_000)
	for range 2 { // each round fills a segment
		produce(t, c,
			kgo.KeyStringRecord("a", "1"), kgo.KeyStringRecord("b", "2"),
			kgo.KeyStringRecord("c", "3"),
			&kgo.Record{Key: []byte("filler"), Value: filler})
	}
	produce(t, c, &kgo.Record{Key: []byte("filler"), Value: filler}, kgo.KeyStringRecord("d", "4"))
	// Wait for the cleaner: the first offset that is left moves.
	var log *kafkalog.Log
	alter(t, addr, topic, "cleanup.policy", "compact")
	compacted := func() bool {
		alter(t, addr, topic, "cleanup.policy", "delete")
		defer alter(t, addr, topic, "cleanup.policy", "compact")
		l, err := kafkalog.OpenPartition(testContext(t), []string{addr}, topic, 0,
			kafkalog.Options{ReadOnly: true})
		var setup *nerve.SetupError
		if errors.As(err, &setup) {
			return false // the broker answers with the setting of before
		}
		if err != nil {
			t.Fatal(err)
		}
		log = l
		cur, err := log.Read(testContext(t), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer cur.Close()
		var b nerve.Batch
		err = cur.Next(testContext(t), &b)
		var gap *kafkalog.GapError
		if errors.As(err, &gap) {
			return true
		}
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
		return false
	}
	ctx := testContext(t)
	for !compacted() {
		select {
		case <-ctx.Done():
			t.Fatal(context.Cause(ctx))
		case <-time.After(200 * time.Millisecond):
		}
	}
	defer log.Close()
	wantGap(t, log, 1, 1, 4, "compacted")
}

// TestGroups finds pointers as offsets of groups.
func TestGroups(t *testing.T) {
	addr, topic := broker(t), newTopic(t)
	options := created()
	options.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	log := openTopic(t, addr, topic, options)
	ctx := testContext(t)
	if _, err := log.Append(ctx, batch("record", 1, 9)); err != nil {
		t.Fatal(err)
	}
	if err := log.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 7},
		{Name: "b", ID: 3}}); err != nil {
		t.Fatal(err)
	}
	if err := log.RemovePointer(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	c := otherClient(t, addr, topic)
	for name, want := range map[string]int64{"a": 7, "b": -1} {
		req := kmsg.NewPtrOffsetFetchRequest()
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group = topic + "." + name
		rt := kmsg.NewOffsetFetchRequestGroupTopic()
		rt.Topic, rt.TopicID, rt.Partitions = topic, topicID(t, c, topic), []int32{0}
		group.Topics = append(group.Topics, rt)
		req.Groups = append(req.Groups, group)
		resp, err := req.RequestWith(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		got := resp.Groups[0].Topics[0].Partitions[0].Offset
		if got != want {
			t.Errorf("group of %s is at %d, want %d", name, got, want)
		}
	}
}

func topicID(t *testing.T, c *kgo.Client, topic string) [16]byte {
	t.Helper()
	return metadata(t, c, topic).TopicID
}

// metadata returns what the broker says of a topic.
func metadata(t *testing.T, c *kgo.Client, topic string) kmsg.MetadataResponseTopic {
	t.Helper()
	req := kmsg.NewPtrMetadataRequest()
	rt := kmsg.NewMetadataRequestTopic()
	rt.Topic = &topic
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(testContext(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Topics[0]
}
