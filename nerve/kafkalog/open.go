package kafkalog

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kgo"
)

// OpenPartition opens a partition of a topic, by the addresses of one broker or
// more. It waits for a broker until ctx ends. A topic that cannot keep the
// contract is a [nerve.SetupError], which says what to do.
func OpenPartition(ctx context.Context, brokers []string, topic string, number int32,
	options Options) (*Log, error) {
	options.setDefaults()
	client, err := connect(brokers, &options)
	if err != nil {
		return nil, err
	}
	l := &Log{
		options: options,
		client:  client,
		data:    newPartition(client, brokers, topic, number),
		turn:    make(chan struct{}, 1),
		bounds:  bounds{first: 1},
	}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	l.giveTurn()
	l.writer = writer{p: l.data, options: &l.options}
	l.store = newStore(l)
	l.groups = newGroups(l)
	l.tail = newTail(l)
	if err := l.open(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// connect makes a client, which connects when it is used.
func connect(brokers []string, options *Options) (*kgo.Client, error) {
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(brokers...),
		kgo.ClientID("nerve"),
		kgo.DisableClientMetrics(),
		kgo.RequestRetries(0), // partition.retry does that, and knows for how long
	}, options.Client...)...)
	if err != nil {
		return nil, &nerve.SetupError{Server: "kafka://" + strings.Join(brokers, ","),
			Reason: "the settings of the client do not fit", Err: err}
	}
	return client, nil
}

// open looks at the topic, or makes it.
func (l *Log) open(ctx context.Context) error {
	p := l.data
	topic, ok, err := p.exists(ctx, false)
	if err != nil {
		return err
	}
	if !ok {
		if !l.options.Create || l.options.ReadOnly {
			return &nerve.SetupError{Server: p.name(), Reason: "there is no such topic",
				Advice: "create it with cleanup.policy=delete and retention.ms=-1, or set Options.Create"}
		}
		err := p.create(ctx, int(p.number)+1, l.options.Replicas, l.options.AllowUnsynced,
			map[string]string{
				"cleanup.policy":    "delete",
				"retention.ms":      "-1",
				"retention.bytes":   "-1",
				"max.message.bytes": strconv.Itoa(l.options.MaxMessage),
			})
		if err != nil {
			return err
		}
		if topic, _, err = p.exists(ctx, true); err != nil {
			return err
		}
	}
	if l.settings, err = p.settings(ctx, topic); err != nil {
		return err
	}
	if err := p.check(&l.settings, &l.options); err != nil {
		return err
	}
	l.limits = limits(l.settings.maxMessage)
	if !l.options.ReadOnly {
		if err := l.checkUse(ctx); err != nil {
			return err
		}
	}
	if err := l.refresh(ctx); err != nil || l.options.ReadOnly {
		return err
	}
	return l.clampPointers(ctx)
}

// checkUse refuses a topic for what is done with it: transactions, and holds
// that the broker does not know of.
func (l *Log) checkUse(ctx context.Context) error {
	_, txn, err := l.data.producers(ctx)
	if err != nil {
		return err
	}
	if txn {
		return &nerve.SetupError{Server: l.data.name(),
			Reason: "transactions write to the topic, whose markers take ids",
			Advice: "use a topic to which only plain producers write"}
	}
	pointers, err := l.store.pointers(ctx)
	if err != nil {
		return err
	}
	for _, p := range pointers {
		if p.Hold {
			return l.checkHold(p.Name)
		}
	}
	return nil
}

// checkHold refuses a hold that the broker would not keep.
func (l *Log) checkHold(name string) error {
	retention := l.settings.retention()
	if retention == "" {
		return nil
	}
	return &nerve.SetupError{Server: l.data.name(),
		Reason: fmt.Sprintf("consumer %q holds records, and the broker deletes them by %s", name,
			retention),
		Advice: "set retention.ms=-1 and retention.bytes=-1 on the topic and give up records with Trim, " +
			"or do not hold"}
}

// limits says which packed batches fit into a record batch, whatever they are
// made of.
func limits(maxMessage int64) nerve.Limits {
	const packed = 4
	room := min(maxMessage, maxBatch) - headerSize - idsSpace
	n := int(max(room, 0) * packed / emptyRecord)
	return nerve.Limits{Record: max(0, n-packed), Batch: n}
}

// maxBatch is the largest record batch that is written, whatever the topic
// allows: clients take no answers over 100 MiB by default.
const maxBatch = 64 << 20
