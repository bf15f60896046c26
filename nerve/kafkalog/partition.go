package kafkalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// partition sends requests about one partition of a topic to its leader, and
// tries again when that fails. It is safe for concurrent use.
type partition struct {
	client  *kgo.Client
	brokers []string // brokers to begin with
	topic   string
	number  int32

	mu      sync.Mutex
	leader  int32 // -1: to be asked for
	id      [16]byte
	trouble error // error of the last try, nil if it succeeded
}

func newPartition(client *kgo.Client, brokers []string, topic string, number int32) *partition {
	return &partition{client: client, brokers: brokers, topic: topic, number: number, leader: -1}
}

// on returns p for another client.
func (p *partition) on(client *kgo.Client) *partition {
	other := newPartition(client, p.brokers, p.topic, p.number)
	other.id = p.topicID()
	return other
}

// name says in errors what they are about.
func (p *partition) name() string {
	return fmt.Sprintf("kafka://%s/%s?partition=%d", strings.Join(p.brokers, ","), p.topic,
		p.number)
}

// How long to wait between tries.
const (
	firstPause   = time.Millisecond
	longestPause = 500 * time.Millisecond
)

// requestor sends requests: to the leader of a partition, or to whom they are
// for.
type requestor = kmsg.Requestor

// toLeader calls try with the leader until it succeeds, fails for good, or ctx
// ends.
func (p *partition) toLeader(ctx context.Context, op string, try func(requestor) error) error {
	return p.retry(ctx, op, func(requestor) error {
		leader, err := p.lead(ctx)
		if err != nil {
			return err
		}
		if err = try(leader); err != nil {
			p.forgetLeader()
		}
		return err
	})
}

// retry calls try with the client, which sends each request where it belongs,
// until it succeeds, fails for good, or ctx ends.
func (p *partition) retry(ctx context.Context, op string, try func(requestor) error) error {
	pause := firstPause
	for {
		err := try(p.client)
		p.mu.Lock()
		p.trouble = err
		p.mu.Unlock()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return p.interrupted(ctx, op, err)
		case fatal(err):
			return p.failure(op, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return p.interrupted(ctx, op, err)
		}
		pause = min(2*pause, longestPause)
	}
}

// lastTrouble is what keeps requests from succeeding, if something does.
func (p *partition) lastTrouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble
}

func (p *partition) forgetLeader() {
	p.mu.Lock()
	p.leader = -1
	p.mu.Unlock()
}

// lead returns the broker that leads the partition.
func (p *partition) lead(ctx context.Context) (*kgo.Broker, error) {
	p.mu.Lock()
	leader := p.leader
	p.mu.Unlock()
	if leader < 0 {
		topic, err := p.describe(ctx)
		if err != nil {
			return nil, err
		}
		if leader, err = p.learn(topic); err != nil {
			return nil, err
		}
	}
	return p.client.Broker(int(leader)), nil
}

// describe asks for the topic.
func (p *partition) describe(ctx context.Context) (*kmsg.MetadataResponseTopic, error) {
	req := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = kmsg.StringPtr(p.topic)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return nil, err
	}
	if len(resp.Topics) != 1 {
		return nil, errAnswer
	}
	return &resp.Topics[0], kerr.ErrorForCode(resp.Topics[0].ErrorCode)
}

// learn takes the leader from what describe returned.
func (p *partition) learn(topic *kmsg.MetadataResponseTopic) (leader int32, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id != ([16]byte{}) && topic.TopicID != p.id {
		return -1, &nerve.SetupError{Server: p.name(),
			Reason: "the topic was deleted and created again",
			Advice: "its ids mean other records now: open the log anew and start consumers over"}
	}
	for _, part := range topic.Partitions {
		if part.Partition != p.number {
			continue
		}
		if part.Leader < 0 {
			return -1, kerr.LeaderNotAvailable
		}
		p.leader, p.id = part.Leader, topic.TopicID
		return p.leader, nil
	}
	return -1, &nerve.SetupError{Server: p.name(),
		Reason: fmt.Sprintf("the topic has %d partitions, which are numbered from 0",
			len(topic.Partitions)),
		Advice: "choose one of them, or add partitions with kafka-topics --alter"}
}

func (p *partition) topicID() [16]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// errAnswer is for answers that do not fit what was asked.
var errAnswer = errors.New("the broker answered something else")

// produceTimeout is how long the leader waits for its replicas before it says
// that it does not know.
const produceTimeout = 10 * time.Second

// stored is what a broker says of a batch that it has.
type stored struct {
	offset int64 // offset of the first record
	millis int64 // append time, -1 if it is the producer's
}

// produce stores a record batch on all replicas that are in sync. sent says
// that it may be stored although there is an error.
func (p *partition) produce(ctx context.Context, batch []byte) (s stored, sent bool, err error) {
	err = p.toLeader(ctx, "write", func(leader requestor) error {
		req := kmsg.NewPtrProduceRequest()
		req.Acks = -1
		req.TimeoutMillis = int32(produceTimeout.Milliseconds())
		topic := kmsg.NewProduceRequestTopic()
		topic.Topic, topic.TopicID = p.topic, p.topicID()
		part := kmsg.NewProduceRequestTopicPartition()
		part.Partition, part.Records = p.number, batch
		topic.Partitions = append(topic.Partitions, part)
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, leader)
		if err != nil {
			sent = sent || !unsent(err)
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			sent = true
			return errAnswer
		}
		answer := &resp.Topics[0].Partitions[0]
		err = kerr.ErrorForCode(answer.ErrorCode)
		sent = sent || doubtful(err)
		s = stored{answer.BaseOffset, answer.LogAppendTime}
		return err
	})
	return s, sent, err
}

// doubtful says that a broker that answered err may have stored the batch.
func doubtful(err error) bool {
	for _, e := range []error{
		kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.KafkaStorageError,
		kerr.UnknownServerError, kerr.DuplicateSequenceNumber, kerr.NotLeaderForPartition,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// fetched is a piece of a partition, which may end inside a batch, and where
// the partition begins and ends.
type fetched struct {
	records    []byte
	start, end int64
}

// fetch reads up to size bytes from an offset, and more if the first batch is
// larger. At the end of the partition it waits for a record, for a while.
func (p *partition) fetch(ctx context.Context, offset int64, size int,
	wait time.Duration) (f fetched, err error) {
	err = p.toLeader(ctx, "read", func(leader requestor) error {
		req := kmsg.NewPtrFetchRequest()
		req.MaxWaitMillis = int32(wait.Milliseconds())
		req.MinBytes, req.MaxBytes = 1, int32(size)
		req.SessionEpoch = -1
		topic := kmsg.NewFetchRequestTopic()
		topic.Topic, topic.TopicID = p.topic, p.topicID()
		part := kmsg.NewFetchRequestTopicPartition()
		part.Partition, part.FetchOffset = p.number, offset
		part.PartitionMaxBytes = int32(size)
		topic.Partitions = append(topic.Partitions, part)
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, leader)
		if err != nil {
			return err
		}
		if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			return errAnswer
		}
		answer := &resp.Topics[0].Partitions[0]
		f = fetched{answer.RecordBatches, answer.LogStartOffset, answer.HighWatermark}
		return kerr.ErrorForCode(answer.ErrorCode)
	})
	return f, err
}

// Times that stand for places, see KIP-79 and KIP-734.
const (
	atEnd   = -1
	atStart = -2
)

// offsetAt returns the first offset at or after a time in milliseconds, -1 if
// there is none.
func (p *partition) offsetAt(ctx context.Context, millis int64) (offset int64, err error) {
	offset, _, err = p.listOffset(ctx, millis)
	return offset, err
}

// listOffset returns the offset for a time, and the epoch of the leader that goes with it.
func (p *partition) listOffset(ctx context.Context, millis int64) (
	offset int64, epoch int32, err error,
) {
	err = p.toLeader(ctx, "look up an offset", func(leader requestor) error {
		req := kmsg.NewPtrListOffsetsRequest()
		req.ReplicaID = -1
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic = p.topic
		part := kmsg.NewListOffsetsRequestTopicPartition()
		part.Partition, part.Timestamp, part.CurrentLeaderEpoch = p.number, millis, -1
		topic.Partitions = append(topic.Partitions, part)
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, leader)
		if err != nil {
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			return errAnswer
		}
		answer := &resp.Topics[0].Partitions[0]
		offset, epoch = answer.Offset, answer.LeaderEpoch
		return kerr.ErrorForCode(answer.ErrorCode)
	})
	return offset, epoch, err
}

// logEnd returns the end of the leader's log, which can be behind what may be read, and -1 if
// the epoch is not the leader's.
func (p *partition) logEnd(ctx context.Context, epoch int32) (end int64, err error) {
	err = p.toLeader(ctx, "look up the end of the log", func(leader requestor) error {
		req := kmsg.NewPtrOffsetForLeaderEpochRequest()
		req.ReplicaID = -1
		topic := kmsg.NewOffsetForLeaderEpochRequestTopic()
		topic.Topic = p.topic
		part := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		part.Partition, part.CurrentLeaderEpoch, part.LeaderEpoch = p.number, -1, epoch
		topic.Partitions = append(topic.Partitions, part)
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, leader)
		if err != nil {
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			return errAnswer
		}
		answer := &resp.Topics[0].Partitions[0]
		end = answer.EndOffset
		return kerr.ErrorForCode(answer.ErrorCode)
	})
	return end, err
}

// settleWait is how long one request waits for what the leader has to become readable.
const settleWait = 500 * time.Millisecond

// newest returns the last batch of a producer, once it can be read.
func (p *partition) newest(ctx context.Context, producer int64) (lastAppend, bool, error) {
	known, _, err := p.producers(ctx)
	if err != nil {
		return lastAppend{}, false, err
	}
	last, ok := known[producer]
	if ok {
		err = p.settle(ctx)
	}
	return last, ok, err
}

// settle waits until all that the leader has appended so far can be read. What it tells of
// producers is of its own log, whose end the replicas may not have yet: without this wait a batch
// that it tells of would be taken for one that was trimmed, and be stored again.
func (p *partition) settle(ctx context.Context) error {
	readable, epoch, err := p.listOffset(ctx, atEnd)
	if err != nil {
		return err
	}
	end, err := p.logEnd(ctx, epoch)
	for err == nil && readable < end {
		var f fetched
		f, err = p.fetch(ctx, readable, 1, settleWait)
		readable = max(readable, f.end)
	}
	return err
}

// deleteBefore gives up the records before an offset and returns the new start.
func (p *partition) deleteBefore(ctx context.Context, offset int64) (start int64, err error) {
	err = p.toLeader(ctx, "delete records", func(leader requestor) error {
		req := kmsg.NewPtrDeleteRecordsRequest()
		req.TimeoutMillis = int32(produceTimeout.Milliseconds())
		topic := kmsg.NewDeleteRecordsRequestTopic()
		topic.Topic = p.topic
		part := kmsg.NewDeleteRecordsRequestTopicPartition()
		part.Partition, part.Offset = p.number, offset
		topic.Partitions = append(topic.Partitions, part)
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, leader)
		if err != nil {
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			return errAnswer
		}
		answer := &resp.Topics[0].Partitions[0]
		start = answer.LowWatermark
		return kerr.ErrorForCode(answer.ErrorCode)
	})
	return start, err
}

// lastAppend is what a leader knows of the newest batch of a producer.
type lastAppend struct {
	sequence int32 // sequence of its last record
	millis   int64
}

// producers returns what the leader knows of those that appended lately, and
// whether any of them used transactions.
func (p *partition) producers(ctx context.Context) (known map[int64]lastAppend, txn bool,
	err error) {
	err = p.toLeader(ctx, "describe producers", func(leader requestor) error {
		req := kmsg.NewPtrDescribeProducersRequest()
		topic := kmsg.NewDescribeProducersRequestTopic()
		topic.Topic = p.topic
		topic.Partitions = []int32{p.number}
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, leader)
		if err != nil {
			return err
		}
		if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
			return errAnswer
		}
		answer := &resp.Topics[0].Partitions[0]
		known, txn = make(map[int64]lastAppend), false
		for _, a := range answer.ActiveProducers {
			known[a.ProducerID] = lastAppend{a.LastSequence, a.LastTimestamp}
			txn = txn || a.CoordinatorEpoch >= 0 || a.CurrentTxnStartOffset >= 0
		}
		return kerr.ErrorForCode(answer.ErrorCode)
	})
	return known, txn, err
}
