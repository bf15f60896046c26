package nervereceiver

import (
	"errors"
	"fmt"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervecollector/internal/place"
)

// Config of the receiver.
type Config struct {
	// Queue is a folder or nerve://HOST:PORT/QUEUE, nerves:// with TLS, with {signal} in it, as
	// the exporter has it. A folder belongs to one process: the exporter may be another component
	// of the same collector.
	Queue string `mapstructure:"queue"`
	// Consumer is the name under which is kept how far the receiver is.
	Consumer string `mapstructure:"consumer"`
	// Start is where a name begins that is new: "oldest", "latest" or a time of RFC 3339.
	Start string `mapstructure:"start"`
	// Hold keeps what the receiver has not acknowledged, also while it is not there. Without it the
	// retention of the queue may give that up.
	Hold bool `mapstructure:"hold"`
	// Workers is how many requests the pipeline is given at a time. More than one loses their
	// order.
	Workers int `mapstructure:"workers"`
	// DeadLetters is the address of a queue, with {signal} in it, for requests that the pipeline
	// says it never accepts, and for what is not OTLP. Empty drops and logs them.
	DeadLetters string `mapstructure:"dead_letters"`
	// MaxBackoff is the longest wait between two attempts to hand a request on. The attempts do
	// not end.
	MaxBackoff time.Duration `mapstructure:"max_backoff"`
}

func defaultConfig() *Config {
	return &Config{Start: "oldest", Hold: true, Workers: 1, MaxBackoff: 30 * time.Second}
}

// minBackoff is the wait after a first attempt that failed.
const minBackoff = 100 * time.Millisecond

// Validate says all that is wrong with the configuration.
func (c *Config) Validate() error {
	errs := []error{place.Check(c.Queue)}
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if c.Consumer == "" {
		wrong(true, "consumer is empty: name the consumer, under which is kept how far it is")
	} else {
		errs = append(errs, nerve.CheckName(c.Consumer))
	}
	if c.DeadLetters != "" {
		errs = append(errs, place.Check(c.DeadLetters))
		wrong(c.DeadLetters == c.Queue, "dead_letters is the queue itself: name another one")
	}
	_, err := c.start()
	wrong(c.Workers < 1, "workers is %d: it must be at least 1", c.Workers)
	wrong(c.MaxBackoff < minBackoff, "max_backoff is %v: it must be at least %v", c.MaxBackoff,
		minBackoff)
	return errors.Join(append(errs, err)...)
}

// start returns where a new name begins.
func (c *Config) start() (nerve.Start, error) {
	switch c.Start {
	case "oldest":
		return nerve.StartOldest(), nil
	case "latest":
		return nerve.StartLatest(), nil
	}
	t, err := time.Parse(time.RFC3339, c.Start)
	if err != nil {
		return nerve.Start{}, fmt.Errorf("start is %q: use oldest, latest or a time such as "+
			"2026-11-24T09:00:00Z", c.Start)
	}
	return nerve.StartTime(t), nil
}
