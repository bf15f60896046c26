package kafkalog

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Open opens the partition that a URL names:
//
//	kafka://[USER:PASSWORD@]HOST:PORT[,HOST:PORT...]/TOPIC[?PARAMETER=VALUE&...]
//
// Parameters add to options:
//
//	partition     its number, 0 if not given
//	create        true: make the topic if it does not exist
//	replicas      of a topic that is created
//	unsynced      true: Options.AllowUnsynced
//	compression   none, gzip, snappy, lz4 or zstd
//	envelope      true: Options.Envelope
//	read-only     true: Options.ReadOnly
//	tls           true: connect by TLS, with the roots of the system
//	sasl          plain, scram-sha-256 (the default with a user) or scram-sha-512
//
// Anything else in a URL is a [nerve.SetupError].
func Open(ctx context.Context, address string, options Options) (*Log, error) {
	a, err := parseURL(address, options)
	if err != nil {
		return nil, err
	}
	return OpenPartition(ctx, a.brokers, a.topic, a.partition, a.options)
}

// location is what a URL says.
type location struct {
	brokers   []string
	topic     string
	partition int32
	options   Options
}

func parseURL(address string, options Options) (a location, err error) {
	u, err := url.Parse(hostless(address))
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // without the URL
		}
		return a, urlError("it is malformed", err)
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return a, urlError("its parameters are malformed", err)
	}
	a.options = options
	a.topic = strings.TrimPrefix(u.Path, "/")
	_, hosts, _ := cutURL(address)
	a.brokers = strings.Split(hosts, ",")
	switch {
	case u.Scheme != "kafka":
		return a, urlError("its scheme is not kafka", nil)
	case hosts == "":
		return a, urlError("it names no broker", nil)
	case a.topic == "" || strings.Contains(a.topic, "/"):
		return a, urlError("it names no topic", nil)
	}
	mechanism := ""
	for name, values := range parameters {
		if err := a.set(name, values[len(values)-1], &mechanism); err != nil {
			return a, urlError(fmt.Sprintf("parameter %s=%s", name, values[len(values)-1]), err)
		}
	}
	if u.User == nil {
		return a, nil
	}
	password, _ := u.User.Password()
	m, err := login(mechanism, u.User.Username(), password)
	a.options.Client = append([]kgo.Opt{kgo.SASL(m)}, a.options.Client...)
	return a, err
}

// cutURL finds the hosts of a URL: net/url takes one alone.
func cutURL(address string) (before, hosts, after string) {
	before, rest, _ := strings.Cut(address, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end]
	at := strings.LastIndexByte(authority, '@') + 1
	return before + "://" + authority[:at], authority[at:], rest[end:]
}

// hostless is the URL with a host that net/url can read.
func hostless(address string) string {
	before, _, after := cutURL(address)
	return before + "brokers" + after
}

func (a *location) set(name, value string, mechanism *string) (err error) {
	o := &a.options
	switch name {
	case "partition":
		var n int64
		n, err = strconv.ParseInt(value, 10, 32)
		if a.partition = int32(n); n < 0 {
			err = strconv.ErrRange
		}
	case "create":
		o.Create, err = strconv.ParseBool(value)
	case "replicas":
		o.Replicas, err = strconv.Atoi(value)
	case "unsynced":
		o.AllowUnsynced, err = strconv.ParseBool(value)
	case "envelope":
		o.Envelope, err = strconv.ParseBool(value)
	case "read-only":
		o.ReadOnly, err = strconv.ParseBool(value)
	case "compression":
		o.Compression, err = parseCodec(value)
	case "sasl":
		*mechanism = value
	case "tls":
		var on bool
		if on, err = strconv.ParseBool(value); on {
			o.Client = append([]kgo.Opt{kgo.DialTLSConfig(new(tls.Config))}, o.Client...)
		}
	default:
		err = fmt.Errorf("there is no such parameter")
	}
	return err
}

func parseCodec(name string) (Codec, error) {
	for i, known := range codecNames {
		if name == known {
			return Codec(i), nil
		}
	}
	return None, fmt.Errorf("use one of %s", strings.Join(codecNames, ", "))
}

func login(mechanism, user, password string) (sasl.Mechanism, error) {
	switch mechanism {
	case "plain":
		return plain.Auth{User: user, Pass: password}.AsMechanism(), nil
	case "", "scram-sha-256":
		return scram.Auth{User: user, Pass: password}.AsSha256Mechanism(), nil
	case "scram-sha-512":
		return scram.Auth{User: user, Pass: password}.AsSha512Mechanism(), nil
	}
	return nil, urlError("sasl="+mechanism+" is unknown", nil)
}

// urlError does not repeat the URL: there may be a password in it.
func urlError(reason string, err error) error {
	return &nerve.SetupError{Server: "the kafka:// URL", Reason: reason, Err: err,
		Advice: "write kafka://HOST:PORT/TOPIC?partition=0, and see kafkalog.Open for parameters"}
}
