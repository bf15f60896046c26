package kafkalog_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// fake returns a cluster that does what a test tells it to.
func fake(t *testing.T, options ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// scenario uses a log in every way, checks what comes of it, and returns the
// first error.
func scenario(ctx context.Context, c *kfake.Cluster) (err error) {
	log, err := kafkalog.OpenPartition(ctx, c.ListenAddrs(), "t", 0, created())
	if err != nil {
		return err
	}
	defer log.Close()
	expect := func(what string, got, want any) {
		if err == nil && got != want {
			err = fmt.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	must := func(e error) {
		if err == nil {
			err = e
		}
	}
	append := func(b *nerve.Batch, want nerve.ID) {
		if err != nil {
			return
		}
		id, e := log.Append(ctx, b)
		must(e)
		expect("Append", id, want)
	}
	append(batch("plain", 1, 3), 1)
	keyed := batch("keyed", 1, 2)
	keyed.Key = nerve.Key{Producer: 9, Seq: 5}
	append(keyed, 4)
	append(keyed, 4)
	append(batch("plain", 4, 4), 6)
	if err != nil {
		return err
	}
	must(log.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 2}, {Name: "b", ID: 5}}))
	claim, e := log.Claim(ctx, "c")
	must(e)
	_, e = log.Renew(ctx, claim)
	must(e)
	must(log.Release(ctx, claim))
	must(log.RemovePointer(ctx, "b"))
	pointers, e := log.Pointers(ctx)
	must(e)
	expect("number of pointers", len(pointers), 1)
	id, e := log.Seek(ctx, time.Unix(1, 0))
	must(e)
	expect("Seek", id, nerve.ID(1))
	id, e = log.Trim(ctx, 2)
	must(e)
	expect("Trim", id, nerve.ID(2))
	if err != nil {
		return err
	}
	cur, err := log.Read(ctx, 2)
	if err != nil {
		return err
	}
	defer cur.Close()
	var all []string
	var b nerve.Batch
	for len(all) < 5 {
		if err := cur.Next(ctx, &b); err != nil {
			return err
		}
		for rec := range b.All() {
			all = slices.Concat(all, []string{string(rec.Data)})
		}
	}
	expect("records", strings.Join(all, " "), "plain-2 plain-3 keyed-1 keyed-2 plain-4")
	return err
}

// requests are those that the scenario sends.
var requests = []kmsg.Key{
	kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.DescribeConfigs,
	kmsg.CreateTopics, kmsg.DeleteRecords, kmsg.DescribeProducers,
}

func TestFaultless(t *testing.T) {
	c := fake(t)
	if err := scenario(testContext(t), c); err != nil {
		t.Fatal(err)
	}
}

// TestFaults has a request fail, each time that it is sent a first time and each
// time that it is sent again, with each error after which a client is to try
// again: nothing is lost, doubled or seen by the caller.
func TestFaults(t *testing.T) {
	errs := []*kerr.Error{
		kerr.UnknownTopicOrPartition, kerr.LeaderNotAvailable, kerr.NotLeaderForPartition,
		kerr.RequestTimedOut, kerr.NetworkException, kerr.NotEnoughReplicas,
		kerr.NotEnoughReplicasAfterAppend, kerr.KafkaStorageError, kerr.CorruptMessage,
		kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.OffsetNotAvailable,
		kerr.ReplicaNotAvailable, kerr.ThrottlingQuotaExceeded, kerr.UnknownTopicID,
	}
	for _, key := range requests {
		for _, e := range errs {
			t.Run(key.Name()+"/"+e.Message, func(t *testing.T) {
				t.Parallel()
				for _, topic := range []string{"t", "t.nerve"} {
					c := fake(t)
					f := kfake.Fault{
						Keys: []kmsg.Key{key}, Topic: topic, Err: e, Count: -1, When: twoOfThree(),
					}
					if key == kmsg.DescribeConfigs {
						f.Topic, f.Resource = "", topic
					}
					h := c.Fault(f)
					if err := scenario(testContext(t), c); err != nil {
						t.Fatalf("%s, after %d faults: %v", topic, h.Hits(), err)
					}
					if h.Hits() == 0 && faulted(key, topic) {
						t.Errorf("no request about %s failed", topic)
					}
				}
			})
		}
	}
}

// twoOfThree selects two requests of three. It may be asked more than once about
// each.
func twoOfThree() func(kmsg.Request) bool {
	var last kmsg.Request
	n := 0
	return func(r kmsg.Request) bool {
		if r != last {
			n++
			last = r
		}
		return n%3 != 0
	}
}

// faulted says whether the scenario sends a request about a topic.
func faulted(key kmsg.Key, topic string) bool {
	switch key {
	case kmsg.ListOffsets, kmsg.DeleteRecords, kmsg.DescribeProducers:
		return topic == "t"
	}
	return true
}

// TestDrops cuts the connection instead of acting on a request, twice for each
// that comes.
func TestDrops(t *testing.T) {
	for _, key := range append(requests, kmsg.ApiVersions, kmsg.FindCoordinator, kmsg.OffsetCommit,
		kmsg.OffsetDelete) {
		t.Run(key.Name(), func(t *testing.T) {
			t.Parallel()
			c := fake(t)
			n, dropped := 0, 0
			c.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				if n++; n%3 == 0 {
					return nil, nil, false
				}
				dropped++
				return nil, errors.New("dropped"), true
			})
			if err := scenario(testContext(t), c); err != nil {
				t.Fatalf("after %d drops: %v", dropped, err)
			}
			if dropped == 0 {
				t.Fatal("no connection was dropped")
			}
		})
	}
}

// TestThrottled is told to wait by every answer to an append and a read.
func TestThrottled(t *testing.T) {
	c := fake(t)
	waits := 0
	c.ControlKey(kmsg.ListOffsets.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		waits++
		resp := r.ResponseKind().(*kmsg.ListOffsetsResponse)
		if waits%2 == 0 {
			return nil, nil, false
		}
		resp.ThrottleMillis = 5
		for _, rt := range r.(*kmsg.ListOffsetsRequest).Topics {
			topic := kmsg.NewListOffsetsResponseTopic()
			topic.Topic = rt.Topic
			part := kmsg.NewListOffsetsResponseTopicPartition()
			part.Partition = rt.Partitions[0].Partition
			part.ErrorCode = kerr.ThrottlingQuotaExceeded.Code
			topic.Partitions = append(topic.Partitions, part)
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil, true
	})
	if err := scenario(testContext(t), c); err != nil {
		t.Fatal(err)
	}
	if waits < 4 {
		t.Fatalf("asked %d times", waits)
	}
}

// TestLeaderMoves has the leader change all the time.
func TestLeaderMoves(t *testing.T) {
	c := fake(t)
	log := openTopic(t, c.ListenAddrs()[0], "t", created())
	ctx := testContext(t)
	for i := 1; i <= 60; i++ {
		if err := c.MoveTopicPartition("t", 0, int32(i%3)); err != nil {
			t.Fatal(err)
		}
		if id, err := log.Append(ctx, batch("record", i, i)); err != nil || id != nerve.ID(i) {
			t.Fatalf("Append = %d, %v; want %d", id, err, i)
		}
		if i%10 == 0 {
			if got := len(readAll(t, log, 1)); got != i {
				t.Fatalf("%d records, want %d", got, i)
			}
		}
	}
}

// TestRefused has requests fail for good: the error is typed and says what to do.
func TestRefused(t *testing.T) {
	for _, key := range requests {
		for _, e := range []*kerr.Error{kerr.TopicAuthorizationFailed,
			kerr.ClusterAuthorizationFailed, kerr.PolicyViolation} {
			t.Run(key.Name()+"/"+e.Message, func(t *testing.T) {
				c := fake(t)
				h := c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: e, Count: -1})
				if key == kmsg.DescribeConfigs {
					h = c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Resource: "t", Err: e,
						Count: -1})
				}
				err := scenario(testContext(t), c)
				var setup *nerve.SetupError
				if !errors.As(err, &setup) || !errors.Is(err, e) {
					t.Fatalf("after %d faults: %v", h.Hits(), err)
				}
				if e != kerr.PolicyViolation && setup.Advice == "" {
					t.Fatalf("no advice: %v", err)
				}
			})
		}
	}
}

// TestOldBroker is refused for writing.
func TestOldBroker(t *testing.T) {
	c := fake(t, kfake.MaxVersions(kversion.V2_6_0()))
	_, err := kafkalog.OpenPartition(testContext(t), c.ListenAddrs(), "t", 0, created())
	wantSetup(t, err, "too old", "2.8")
}

// TestOutOfOrder has the broker lose what it knows of a producer that has no
// key: the batch was not stored, and is, under another producer.
func TestOutOfOrder(t *testing.T) {
	c := fake(t)
	log := openTopic(t, c.ListenAddrs()[0], "t", created())
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t",
		Err: kerr.OutOfOrderSequenceNumber, Count: 3})
	for i := 1; i <= 3; i++ {
		if id, err := log.Append(testContext(t), batch("record", i, i)); err != nil ||
			id != nerve.ID(i) {
			t.Fatalf("Append = %d, %v", id, err)
		}
	}
	// With a key that never ends.
	h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t",
		Err: kerr.OutOfOrderSequenceNumber, Count: -1})
	b := batch("keyed", 1, 1)
	b.Key = nerve.Key{Producer: 1, Seq: 1}
	var setup *nerve.SetupError
	if _, err := log.Append(testContext(t), b); !errors.As(err, &setup) {
		t.Fatalf("Append = %v", err)
	}
	h.Remove()
	if id, err := log.Append(testContext(t), b); err != nil || id != 4 {
		t.Fatalf("Append = %d, %v", id, err)
	}
}

// TestUnknownOutcome gives up an append that the broker perhaps stored.
func TestUnknownOutcome(t *testing.T) {
	c := fake(t)
	log := openTopic(t, c.ListenAddrs()[0], "t", created())
	h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t", Err: kerr.RequestTimedOut,
		Count: -1})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	cause := errors.New("enough")
	go func() {
		defer cancel(cause)
		if err := h.Wait(testContext(t), 3); err != nil {
			t.Error(err)
		}
	}()
	_, err := log.Append(ctx, batch("record", 1, 1))
	var unknown *nerve.OutcomeError
	if !errors.As(err, &unknown) || !errors.Is(err, cause) {
		t.Fatalf("Append = %v", err)
	}
	h.Remove()
	if _, err := log.Append(testContext(t), batch("record", 2, 2)); err != nil {
		t.Fatal(err)
	}
	if all := readAll(t, log, 1); len(all) != 2 {
		t.Fatalf("%q", all)
	}
}

// TestUnreachable gives up when nobody answers: nothing was sent.
func TestUnreachable(t *testing.T) {
	c := fake(t)
	addrs := c.ListenAddrs()
	log := openTopic(t, addrs[0], "t", created())
	if _, err := log.Append(testContext(t), batch("record", 1, 1)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	for what, call := range map[string]func(context.Context) error{
		"Append": func(ctx context.Context) error {
			_, err := log.Append(ctx, batch("x", 1, 1))
			return err
		},
		"Seek": func(ctx context.Context) error {
			_, err := log.Seek(ctx, time.Now())
			return err
		},
		"Open": func(ctx context.Context) error {
			_, err := kafkalog.OpenPartition(ctx, addrs, "t", 0, created())
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		err := call(ctx)
		cancel()
		var lost *nerve.ConnectionError
		if !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s = %v", what, err)
		}
	}
}

// TestCutAppendsOfFake cuts the connection at every byte of an append.
func TestCutAppendsOfFake(t *testing.T) {
	c := fake(t, kfake.NumBrokers(1))
	breaker := nervetest.NewBreaker(t, "tcp", c.ListenAddrs()[0])
	options := created()
	options.AllowUnsynced = true
	options.Client = []kgo.Opt{kgo.Dialer(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", breaker.Addr())
	})}
	log := openTopic(t, breaker.Addr(), "t", options)
	if err := nervetest.CutAppends(testContext(t), log, breaker); err != nil {
		t.Fatal(err)
	}
}
