package kafkalog_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestLostEnd opens a topic that has lost its end: what consumers said of the records
// that are gone is not taken for those that get their ids.
func TestLostEnd(t *testing.T) {
	t.Run("Kafka", func(t *testing.T) { lostEnd(t, broker(t)) })
	t.Run("fake", func(t *testing.T) { lostEnd(t, fake(t).ListenAddrs()[0]) })
}

func lostEnd(t *testing.T, addr string) {
	topic, ctx := newTopic(t), testContext(t)
	log := openTopic(t, addr, topic, created())
	if _, err := log.Append(ctx, batch("before", 1, 20)); err != nil {
		t.Fatal(err)
	}
	progress := func(spans ...nerve.Span) nerve.Progress {
		return nerve.MakeProgress(slices.Values(spans))
	}
	claim, err := log.Claim(ctx, "behind")
	if err != nil {
		t.Fatal(err)
	}
	if err := log.SavePointers(ctx, []nerve.Pointer{
		{Name: "far", ID: 18, Meta: []byte("m")},
		{Name: "behind", ID: 2, Epoch: claim.Epoch, Progress: progress(
			nerve.Span{First: 4, Last: 7}, nerve.Span{First: 9, Last: 9, Attempts: 2})},
		{Name: "whole", ID: 3, Progress: progress(nerve.Span{First: 5, Last: 5})},
	}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	remake(t, addr, topic)
	produce(t, otherClient(t, addr, topic), kgo.StringRecord("1"), kgo.StringRecord("2"),
		kgo.StringRecord("3"), kgo.StringRecord("4"), kgo.StringRecord("5"))

	check := func(log *kafkalog.Log, behind nerve.Pointer) {
		t.Helper()
		for name, want := range map[string]nerve.Pointer{
			"far": {ID: 5}, "behind": behind,
			"whole": {ID: 3, Progress: progress(nerve.Span{First: 5, Last: 5})},
		} {
			got := pointerOf(t, log, name)
			if got.ID != want.ID || got.Progress != want.Progress {
				t.Errorf("%s is at %d and %v, want %d and %v", name,
					got.ID, slices.Collect(got.Progress.All()),
					want.ID, slices.Collect(want.Progress.All()))
			}
		}
	}
	log = openTopic(t, addr, topic, kafkalog.Options{AllowUnsynced: true})
	check(log, nerve.Pointer{ID: 2, Progress: progress(nerve.Span{First: 4, Last: 5})})
	if got := pointerOf(t, log, "far"); string(got.Meta) != "m" {
		t.Errorf("%+v", got)
	}
	// The claim is as before, and what is saved now stays at the next opening.
	if _, err := log.Renew(ctx, claim); err != nil {
		t.Errorf("the claim: %v", err)
	}
	if _, err := log.Append(ctx, batch("after", 6, 10)); err != nil {
		t.Fatal(err)
	}
	saved := nerve.Pointer{Name: "behind", ID: 6, Epoch: claim.Epoch,
		Progress: progress(nerve.Span{First: 8, Last: 9})}
	if err := log.SavePointers(ctx, []nerve.Pointer{saved}); err != nil {
		t.Fatal(err)
	}
	check(openTopic(t, addr, topic, kafkalog.Options{AllowUnsynced: true}), saved)
}

func pointerOf(t *testing.T, log *kafkalog.Log, name string) nerve.Pointer {
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
	t.Fatalf("there is no pointer of %s", name)
	return nerve.Pointer{}
}

// remake deletes a topic and makes an empty one of its name, in place of a leader
// that comes without what the one before had.
func remake(t *testing.T, addr, topic string) {
	t.Helper()
	ctx, c := testContext(t), otherClient(t, addr, topic)
	del := kmsg.NewPtrDeleteTopicsRequest()
	del.TopicNames, del.TimeoutMillis = []string{topic}, 30000
	one := kmsg.NewDeleteTopicsRequestTopic()
	one.Topic = kmsg.StringPtr(topic)
	del.Topics = append(del.Topics, one)
	resp, err := del.RequestWith(ctx, c)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	for { // the deletion ends in its own time
		log, err := kafkalog.OpenPartition(ctx, []string{addr}, topic, 0,
			kafkalog.Options{Create: true, ReadOnly: true})
		if err == nil {
			log.Close()
		}
		var setup *nerve.SetupError
		if errors.As(err, &setup) {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the topic stays")
		}
		time.Sleep(10 * time.Millisecond)
	}
	create := kmsg.NewPtrCreateTopicsRequest()
	create.TimeoutMillis = 30000
	again := kmsg.NewCreateTopicsRequestTopic()
	again.Topic, again.NumPartitions, again.ReplicationFactor = topic, 1, 1
	for name, value := range map[string]string{
		"retention.ms": "-1", "message.timestamp.type": "LogAppendTime", "flush.messages": "1",
	} {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = name, kmsg.StringPtr(value)
		again.Configs = append(again.Configs, config)
	}
	create.Topics = append(create.Topics, again)
	made, err := create.RequestWith(ctx, c)
	if err == nil {
		err = kerr.ErrorForCode(made.Topics[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
}
