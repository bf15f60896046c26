package kafkalog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kerr"
)

// GapError says that offsets of a topic hold no record: the topic is compacted,
// or transactions write to it. Such a topic has no ids without gaps, so nothing
// is renumbered. It wraps a [nerve.LostError]: to go on, read from Last+1.
type GapError struct {
	Topic       string
	Partition   int32
	First, Last nerve.ID // the ids without a record
	Reason      string
}

// Error implements error.
func (e *GapError) Error() string {
	return fmt.Sprintf("nerve: kafka topic %s, partition %d: ids %d to %d hold no record: %s; "+
		"read on from %d, and let only plain producers write to a topic with cleanup.policy=delete",
		e.Topic, e.Partition, e.First, e.Last, e.Reason, e.Last+1)
}

// Unwrap makes it a nerve.LostError.
func (e *GapError) Unwrap() error { return &nerve.LostError{First: e.First, Last: e.Last} }

// TruncatedError says that the broker has lost records that had been
// acknowledged: the topic ends before what was read already. That happens when
// a replica that lagged behind became the leader (unclean.leader.election), or
// when the only replica lost power before it wrote its page cache.
type TruncatedError struct {
	Topic     string
	Partition int32
	ID        nerve.ID // id that comes next for the reader
	Next      nerve.ID // id that the next append gets
}

// Error implements error.
func (e *TruncatedError) Error() string {
	return fmt.Sprintf(
		"nerve: kafka topic %s, partition %d ends at id %d, but %d were read already: "+
			"the broker lost records; restore it, or open the log anew and go on with what there is",
		e.Topic, e.Partition, e.Next-1, e.ID-1)
}

// fatal says that err will not go away by trying again.
func fatal(err error) bool {
	var k *kerr.Error
	if errors.As(err, &k) {
		return !k.Retriable
	}
	var setup *nerve.SetupError
	return errors.As(err, &setup) || tooOld(err)
}

// tooOld says that the broker does not know the request. The client found that out
// when it connected, and has no name for it but the text: to ask the broker again
// for what it knows would be a second request of each try, and a connection that
// lasts for one would never get to it.
func tooOld(err error) bool { return strings.HasPrefix(err.Error(), "broker is too old") }

// unsent says that the request that failed with err did not leave.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// failure makes what callers get of an error that a broker sent.
func (p *partition) failure(op string, err error) error {
	var setup *nerve.SetupError
	if errors.As(err, &setup) {
		return err
	}
	e := &nerve.SetupError{Server: p.name(), Err: err}
	switch {
	case tooOld(err):
		e.Reason = "the broker is too old to " + op
		e.Advice = "use Kafka 2.8 or later, or Options.ReadOnly"
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		e.Reason = "there is no right to " + op
		e.Advice = "grant it: kafka-acls --add --allow-principal User:NAME --topic " + p.topic +
			" --operation Read --operation Write --operation Describe --operation DescribeConfigs"
	case errors.Is(err, kerr.ClusterAuthorizationFailed):
		e.Reason = "there is no right to " + op + " in the cluster"
		e.Advice = "grant it with kafka-acls --add --cluster, or have somebody create the topics " +
			p.topic + " and " + p.topic + storeSuffix
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		e.Reason = "the broker refuses name and password"
		e.Advice = "check user, password and mechanism"
	case errors.Is(err, kerr.InvalidReplicationFactor):
		e.Reason = "there are fewer brokers than replicas wanted"
		e.Advice = "set Options.Replicas to the number of brokers or less"
	default:
		e.Reason = "the broker refuses to " + op
	}
	return e
}

// interrupted makes the error of a call that ctx ended while last kept it from
// succeeding.
func (p *partition) interrupted(ctx context.Context, op string, last error) error {
	cause := context.Cause(ctx)
	if last == nil || errors.Is(last, context.Canceled) ||
		errors.Is(last, context.DeadlineExceeded) {
		return cause
	}
	return &nerve.ConnectionError{
		Op: op, Server: p.name(), Err: fmt.Errorf("%w; before that: %w", cause, last),
	}
}
