package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/kafkatest"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	kafkalogName = "nerve/kafkalog"
	franzName    = "franz-go"
)

// kafkaClient appends to a topic of its own, and reads it.
type kafkaClient interface {
	// pack stores events and returns when the broker has them.
	pack(events [][]byte) error
	// stream stores events that come one by one.
	stream(events [][]byte) error
	// read yields all events from the first one on.
	read(total int, each func([]byte)) error
	close() error
}

// kafka measures nerve/kafkalog beside the client that it is built on, against
// one Kafka of their own, with events in the page cache of the broker and with
// each append synced to disk.
func kafka(c config, dir string) ([]result, error) {
	if len(c.engines) > 0 && !slices.Contains(c.engines, kafkalogName) {
		return nil, nil
	}
	if _, err := kafkatest.Find(); err != nil {
		c.pace.step("left out: %v", err)
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	server, err := kafkatest.Start(dir, kafkatest.Options{Fast: true})
	if err != nil {
		return nil, err
	}
	defer server.Kill()
	var results []result
	for i, synced := range []bool{false, true} {
		list, err := kafkaRounds(c, server.Addr, synced, 2-i)
		if err != nil {
			return nil, err
		}
		results = append(results, list...)
	}
	return results, nil
}

func kafkaRounds(c config, addr string, synced bool, stages int) ([]result, error) {
	suffix := ""
	if synced {
		suffix = "-synced"
	}
	events := makeEvents(packSize * 8)
	packs, streams, reads := make(table), make(table), make(table)
	for round := range c.pace.rounds("kafka"+suffix, c.rounds+1, stages) {
		if round == 1 { // the first one warms the server up
			packs, streams, reads = make(table), make(table), make(table)
		}
		for i := range 2 {
			name := []string{kafkalogName, franzName}[(i+round)%2]
			topic := fmt.Sprintf("lab%s-%d-%d", suffix, round, i)
			client, err := openKafka(name, addr, topic, synced)
			if err == nil {
				err = kafkaRound(client, events, c.packs, packs.of(name), streams.of(name), reads.of(name))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			time.Sleep(settle)
		}
	}
	results := append(kafkaResults(packs, "kafka-packs"+suffix), kafkaResults(streams, "kafka-stream"+suffix)...)
	if !synced {
		results = append(results, kafkaResults(reads, "kafka-read")...)
	}
	return results, nil
}

func kafkaResults(t table, op string) []result {
	nerve, franz := t.of(kafkalogName), t.of(franzName)
	r := nerve.result(kafkalogName, op)
	r.OfBest = nerve.over(franz)
	return []result{r, franz.result(franzName, op)}
}

func openKafka(name, addr, topic string, synced bool) (kafkaClient, error) {
	// Both find a topic with the same settings.
	log, err := kafkalog.OpenPartition(context.Background(), []string{addr}, topic, 0,
		kafkalog.Options{Create: true, AllowUnsynced: !synced})
	if err != nil {
		return nil, err
	}
	if name == kafkalogName {
		return &kafkalogClient{log: log, queue: nerve.New(log, nerve.Options{})}, nil
	}
	if err := log.Close(); err != nil {
		return nil, err
	}
	return &franzClient{addr: addr, topic: topic}, nil
}

func kafkaRound(client kafkaClient, events [][]byte, n int, packs, stream, reads *sample) error {
	defer client.close()
	runtime.GC()
	var times []time.Duration
	start := time.Now()
	for p := range n {
		from := p * packSize % len(events)
		before := time.Now()
		if err := client.pack(events[from : from+packSize]); err != nil {
			return err
		}
		times = append(times, time.Since(before))
	}
	packs.add(n*packSize, time.Since(start), times)

	start = time.Now()
	streamed := 0
	for streamed < 2*n*packSize {
		if err := client.stream(events); err != nil {
			return err
		}
		streamed += len(events)
	}
	stream.add(streamed, time.Since(start), nil)

	total := n*packSize + streamed
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	mallocs, seen := memory.Mallocs, 0
	start = time.Now()
	err := client.read(total, func(data []byte) { touch(data); seen++ })
	took := time.Since(start)
	if err == nil && seen != total {
		err = fmt.Errorf("%d of %d events came back", seen, total)
	}
	runtime.ReadMemStats(&memory)
	reads.allocs += memory.Mallocs - mallocs
	reads.add(seen, took, nil)
	return err
}

// kafkalogClient goes through the queue, as programs do.
type kafkalogClient struct {
	log   *kafkalog.Log
	queue *nerve.Queue
	batch nerve.Batch
}

func (k *kafkalogClient) pack(events [][]byte) error {
	k.batch.Reset()
	for _, event := range events {
		k.batch.Append(event)
	}
	_, err := k.queue.AppendBatch(context.Background(), &k.batch)
	return err
}

func (k *kafkalogClient) stream(events [][]byte) error {
	var last nerve.Handle
	for _, event := range events {
		var err error
		if last, err = k.queue.AppendAsync(context.Background(), event); err != nil {
			return err
		}
	}
	_, err := last.Wait(context.Background())
	return err
}

func (k *kafkalogClient) read(total int, each func([]byte)) error {
	cur, err := k.log.Read(context.Background(), 1)
	if err != nil {
		return err
	}
	defer cur.Close()
	var b nerve.Batch
	for seen := 0; seen < total; seen += b.Len() {
		if err := cur.Next(context.Background(), &b); err != nil {
			return err
		}
		for rec := range b.All() {
			each(rec.Data)
		}
	}
	return nil
}

func (k *kafkalogClient) close() error { return k.queue.Close() }

// franzClient is franz-go's producer and consumer with their defaults, but for
// compression, which would be a measurement of its own: idempotent, all
// replicas, up to 5 requests under way.
type franzClient struct {
	addr, topic string
	producer    *kgo.Client
}

func (f *franzClient) open() (err error) {
	if f.producer == nil {
		f.producer, err = kgo.NewClient(kgo.SeedBrokers(f.addr), kgo.DefaultProduceTopic(f.topic),
			kgo.ProducerBatchCompression(kgo.NoCompression()))
	}
	return err
}

func (f *franzClient) pack(events [][]byte) error {
	if err := f.open(); err != nil {
		return err
	}
	records := make([]*kgo.Record, len(events))
	for i, event := range events {
		records[i] = kgo.SliceRecord(event)
	}
	return f.producer.ProduceSync(context.Background(), records...).FirstErr()
}

func (f *franzClient) stream(events [][]byte) error {
	var once sync.Once
	var failed error
	for _, event := range events {
		f.producer.Produce(context.Background(), kgo.SliceRecord(event), func(_ *kgo.Record, err error) {
			if err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	if err := f.producer.Flush(context.Background()); err != nil {
		return err
	}
	return failed
}

func (f *franzClient) read(total int, each func([]byte)) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(f.addr), kgo.ConsumePartitions(
		map[string]map[int32]kgo.Offset{f.topic: {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		return err
	}
	defer c.Close()
	for seen := 0; seen < total; {
		fetches := c.PollFetches(context.Background())
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			each(r.Value)
			seen++
		})
	}
	return nil
}

func (f *franzClient) close() error {
	f.producer.Close()
	return nil
}
