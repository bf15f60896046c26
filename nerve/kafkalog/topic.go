package kafkalog

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Durability is what an append that returned has survived by then.
type Durability int

const (
	// PageCache: one machine has it, in memory. It survives the end of the
	// broker and not that of the machine.
	PageCache Durability = iota
	// Replicated: two machines have it, or more, in memory. It survives the end
	// of one of them.
	Replicated
	// Synced: it is on the disk of each replica in sync (flush.messages=1).
	Synced
)

// String says it in one word.
func (d Durability) String() string {
	return [...]string{"page cache", "replicated", "synced"}[d]
}

// settings are those of a topic that matter here.
type settings struct {
	cleanup        string
	retentionMs    int64
	retentionBytes int64
	minInSync      int64
	flushMessages  int64
	maxMessage     int64

	partitions, replicas int
}

// durability of the appends that wait for all replicas in sync.
func (s *settings) durability() Durability {
	switch {
	case s.flushMessages == 1:
		return Synced
	case s.replicas > 1 && s.minInSync > 1:
		return Replicated
	}
	return PageCache
}

// retention names the setting by which the broker gives up records by itself,
// "" if there is none.
func (s *settings) retention() string {
	switch {
	case s.retentionMs >= 0:
		return fmt.Sprintf("retention.ms=%d", s.retentionMs)
	case s.retentionBytes >= 0:
		return fmt.Sprintf("retention.bytes=%d", s.retentionBytes)
	}
	return ""
}

// exists says whether there is the topic, and learns who leads the partition. A
// topic that was just created is waited for.
func (p *partition) exists(ctx context.Context,
	created bool) (topic *kmsg.MetadataResponseTopic, ok bool, err error) {
	err = p.retry(ctx, "describe the topic", func(requestor) (err error) {
		topic, err = p.describe(ctx)
		if errors.Is(err, kerr.UnknownTopicOrPartition) && !created {
			topic = nil
			return nil
		}
		if err == nil {
			_, err = p.learn(topic)
		}
		return err
	})
	return topic, topic != nil, err
}

// settings asks the broker for them.
func (p *partition) settings(ctx context.Context,
	topic *kmsg.MetadataResponseTopic) (s settings, err error) {
	s.partitions = len(topic.Partitions)
	for _, part := range topic.Partitions {
		if part.Partition == p.number {
			s.replicas = len(part.Replicas)
		}
	}
	err = p.retry(ctx, "read the settings", func(r requestor) error {
		req := kmsg.NewPtrDescribeConfigsRequest()
		resource := kmsg.NewDescribeConfigsRequestResource()
		resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, p.topic
		req.Resources = append(req.Resources, resource)
		resp, err := req.RequestWith(ctx, r)
		if err != nil {
			return err
		}
		if len(resp.Resources) != 1 {
			return errAnswer
		}
		if err := kerr.ErrorForCode(resp.Resources[0].ErrorCode); err != nil {
			return err
		}
		for _, c := range resp.Resources[0].Configs {
			if c.Value != nil {
				s.set(c.Name, *c.Value)
			}
		}
		return nil
	})
	return s, err
}

func (s *settings) set(name, value string) {
	number, _ := strconv.ParseInt(value, 10, 64) // 0 of what is no number
	switch name {
	case "cleanup.policy":
		s.cleanup = value
	case "retention.ms":
		s.retentionMs = number
	case "retention.bytes":
		s.retentionBytes = number
	case "min.insync.replicas":
		s.minInSync = number
	case "flush.messages":
		s.flushMessages = number
	case "max.message.bytes":
		s.maxMessage = number
	}
}

// check refuses a topic that cannot keep the contract.
func (p *partition) check(s *settings, options *Options) error {
	switch {
	case s.cleanup != "delete":
		return &nerve.SetupError{Server: p.name(),
			Reason: "the topic has cleanup.policy=" + s.cleanup +
				", by which records in the middle " +
				"disappear and ids have gaps",
			Advice: "use a topic with cleanup.policy=delete"}
	case s.durability() == PageCache && !options.ReadOnly && !options.AllowUnsynced:
		return &nerve.SetupError{Server: p.name(),
			Reason: fmt.Sprintf(
				"an append would be acknowledged when a single machine has it in memory "+
					"(replicas %d, min.insync.replicas=%d, flush.messages=%d)",
				s.replicas, s.minInSync, s.flushMessages),
			Advice: "set min.insync.replicas=2 on a topic with 2 replicas or more, or flush.messages=1; " +
				"or allow it: Options.AllowUnsynced"}
	}
	return nil
}

// create makes a topic with the settings given, and those that both kinds of
// topics have.
func (p *partition) create(
	ctx context.Context, partitions, replicas int, unsynced bool, configs map[string]string,
) error {
	brokers, err := p.countBrokers(ctx)
	if err != nil {
		return err
	}
	if replicas <= 0 {
		replicas = min(brokers, 3)
	}
	configs["compression.type"] = "producer"
	configs["message.timestamp.type"] = "LogAppendTime"
	configs["unclean.leader.election.enable"] = "false"
	switch {
	case replicas > 1:
		configs["min.insync.replicas"] = "2"
	case !unsynced:
		configs["flush.messages"] = "1"
	}
	err = p.retry(ctx, "create the topic", func(r requestor) error {
		req := kmsg.NewPtrCreateTopicsRequest()
		req.TimeoutMillis = int32(produceTimeout.Milliseconds())
		topic := kmsg.NewCreateTopicsRequestTopic()
		topic.Topic = p.topic
		topic.NumPartitions, topic.ReplicationFactor = int32(partitions), int16(replicas)
		for name, value := range configs {
			config := kmsg.NewCreateTopicsRequestTopicConfig()
			config.Name, config.Value = name, kmsg.StringPtr(value)
			topic.Configs = append(topic.Configs, config)
		}
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, r)
		if err != nil {
			return err
		}
		if len(resp.Topics) != 1 {
			return errAnswer
		}
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
		if errors.Is(err, kerr.TopicAlreadyExists) {
			return nil // somebody else was faster, or a try before this one
		}
		return err
	})
	return err
}

// countBrokers returns how many there are.
func (p *partition) countBrokers(ctx context.Context) (n int, err error) {
	err = p.retry(ctx, "connect", func(r requestor) error {
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{}
		resp, err := req.RequestWith(ctx, r)
		if err == nil {
			n = len(resp.Brokers)
		}
		return err
	})
	return n, err
}
