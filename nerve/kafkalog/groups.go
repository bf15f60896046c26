package kafkalog

import (
	"context"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// groups commits pointers as offsets of consumer groups too, in the background:
// Kafka's tools then show where consumers are. Nothing is read from there, and
// brokers forget groups that are idle for a week.
type groups struct {
	log *Log
	p   *partition // the partition, for its retry, with troubles of its own

	mu      sync.Mutex
	moved   map[string]nerve.ID // pointers to be committed, by name of the consumer
	removed map[string]bool     // pointers to be deleted
	running bool
	idle    chan struct{} // closed when running ends
	failed  bool          // the last one failed, and that was logged
}

func newGroups(l *Log) *groups {
	return &groups{
		log: l, p: l.data.on(l.client),
		moved: make(map[string]nerve.ID), removed: make(map[string]bool),
	}
}

func (g *groups) commit(pointers []nerve.Pointer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range pointers {
		g.moved[p.Name] = p.ID
		delete(g.removed, p.Name)
	}
	g.start()
}

func (g *groups) remove(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.moved, name)
	g.removed[name] = true
	g.start()
}

// start sees to it that what is to be done is done. The mutex is held.
func (g *groups) start() {
	if g.running || g.log.options.NoGroups {
		return
	}
	g.running, g.idle = true, make(chan struct{})
	go g.run()
}

func (g *groups) run() {
	for {
		g.mu.Lock()
		moved, removed := g.moved, g.removed
		if len(moved)+len(removed) == 0 || g.log.ctx.Err() != nil {
			g.running = false
			close(g.idle)
			g.mu.Unlock()
			return
		}
		g.moved, g.removed = make(map[string]nerve.ID), make(map[string]bool)
		g.mu.Unlock()
		var err error
		for name, id := range moved {
			if e := g.offsetCommit(name, id); e != nil {
				err = e
			}
		}
		for name := range removed {
			if e := g.offsetDelete(name); e != nil {
				err = e
			}
		}
		if err != nil && !g.failed && g.log.ctx.Err() == nil {
			g.log.options.Logger.Warn("nerve: offsets of consumer groups are not committed",
				"topic", g.log.data.topic, "error", err)
		}
		g.failed = err != nil
	}
}

// groupTimeout bounds a request for a group: what failed comes with the next
// pointer again.
const groupTimeout = 10 * time.Second

func (g *groups) name(consumer string) string { return g.log.data.topic + "." + consumer }

func (g *groups) offsetCommit(consumer string, id nerve.ID) error {
	ctx, cancel := context.WithTimeout(g.log.ctx, groupTimeout)
	defer cancel()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = g.name(consumer), -1
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = g.log.data.topic, g.log.data.topicID()
	part := kmsg.NewOffsetCommitRequestTopicPartition()
	part.Partition, part.Offset = g.log.data.number, int64(id)
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	return g.p.retry(ctx, "commit the offset of a group", func(r requestor) error {
		resp, err := req.RequestWith(ctx, r)
		if err != nil {
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			return errAnswer
		}
		return kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
	})
}

func (g *groups) offsetDelete(consumer string) error {
	ctx, cancel := context.WithTimeout(g.log.ctx, groupTimeout)
	defer cancel()
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = g.name(consumer)
	topic := kmsg.NewOffsetDeleteRequestTopic()
	topic.Topic = g.log.data.topic
	part := kmsg.NewOffsetDeleteRequestTopicPartition()
	part.Partition = g.log.data.number
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	return g.p.retry(ctx, "delete the offset of a group", func(r requestor) error {
		resp, err := req.RequestWith(ctx, r)
		if err != nil || resp.ErrorCode == kerr.GroupIDNotFound.Code {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
}

// close waits until what is to be done is done, for a while.
func (g *groups) close(limit time.Duration) {
	g.mu.Lock()
	idle, running := g.idle, g.running
	g.mu.Unlock()
	if !running {
		return
	}
	select {
	case <-idle:
	case <-time.After(limit):
	}
}
