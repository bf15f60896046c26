package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// DefaultPort is where a server listens if nobody says otherwise.
const DefaultPort = "7171"

// Defaults of Options.
const (
	DefaultWindow     = 2 << 20
	DefaultMaxBackoff = 2 * time.Second
	DefaultWait       = 15 * time.Second

	minBackoff  = 10 * time.Millisecond
	dialTimeout = 10 * time.Second // to connect, shake hands and open the queue
	// silence is how long a server may say nothing: it sends something every
	// ten seconds.
	silence = 35 * time.Second
)

// Options of a Log. The zero value is useful.
type Options struct {
	// Token says who the client is, see nerve token new. Empty sends none.
	Token string
	// TLS, if it is used: the scheme nerves:// alone is TLS as the system
	// trusts it.
	TLS *tls.Config
	// ReadOnly refuses all that changes the queue, before the server does.
	ReadOnly bool
	// Create makes the queue if it is not there, if the server allows it.
	Create bool
	// Name is what others see of this client, by default the host and process.
	Name string
	// Window is how many bytes of records a cursor is sent ahead, and so what it
	// holds. Default 2 MiB.
	Window int
	// MaxBackoff is the longest wait between attempts to connect. Default 2 s.
	MaxBackoff time.Duration
	// Wait is how long Open waits for a server that cannot be reached, such as one that
	// is being started again. Default 15 s; below 0 it does not wait.
	Wait time.Duration
	// Dial connects. Nil is the net package's.
	Dial func(network, address string) (net.Conn, error)
}

// target is what a URL names.
type target struct {
	address string // host and port
	host    string // host for TLS and the Host header
	queue   string
	tls     *tls.Config
	token   string
}

// server is the name of the target in errors.
func (t *target) server() string {
	if t.tls != nil {
		return "nerves://" + t.address
	}
	return "nerve://" + t.address
}

// parse reads nerve://HOST:PORT/QUEUE.
func parse(rawURL string, o Options) (*target, error) {
	t, err := parseServer(rawURL, o)
	if err == nil && nerve.CheckName(t.queue) != nil {
		return nil, setup(fmt.Sprintf("%.100q is no name of a queue", t.queue),
			"write nerve://HOST:PORT/QUEUE")
	}
	return t, err
}

// parseServer reads nerve://HOST:PORT with anything behind it, or nerves:// for TLS,
// with parameters that name files: token, ca, cert and key.
func parseServer(rawURL string, o Options) (*target, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err // without the URL
		}
		return nil, setup("it is no URL: "+err.Error(), "write nerve://HOST:PORT/QUEUE")
	}
	t := &target{host: u.Hostname(), queue: strings.Trim(u.Path, "/"), token: o.Token, tls: o.TLS}
	switch {
	case u.Scheme != "nerve" && u.Scheme != "nerves":
		return nil, setup("its scheme is "+u.Scheme,
			"write nerve://HOST:PORT/QUEUE, or nerves:// for TLS")
	case u.User != nil:
		return nil, setup("it has a user or password",
			"give the token by Options.Token, NERVE_TOKEN or ?token=FILE")
	case t.host == "":
		return nil, setup("it has no host", "write nerve://HOST:PORT/QUEUE")
	}
	port := u.Port()
	if port == "" {
		port = DefaultPort
	}
	t.address = net.JoinHostPort(t.host, port)
	return t, t.files(u, u.Scheme == "nerves" || o.TLS != nil)
}

func setup(reason, advice string) error {
	return &nerve.SetupError{Server: "the address of the queue", Reason: reason, Advice: advice}
}

// files reads the files that the parameters of a URL name.
func (t *target) files(u *url.URL, secure bool) error {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil { // what it cannot read it would leave out
		return setup("its parameters cannot be read", "write ; as %3B and % as %25")
	}
	for key := range q {
		switch key {
		case "token", "ca", "cert", "key":
		default:
			return setup(fmt.Sprintf("the parameter %.50q is not known", key),
				"there are token, ca, cert and key, each the name of a file")
		}
	}
	if file := q.Get("token"); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		t.token = strings.TrimSpace(string(b))
	}
	if !secure {
		if q.Has("ca") || q.Has("cert") || q.Has("key") {
			return setup("it names certificates and is without TLS", "write nerves://")
		}
		return nil
	}
	config := &tls.Config{}
	if t.tls != nil {
		config = t.tls.Clone()
	}
	t.tls = config
	config.NextProtos = []string{"http/1.1"}
	if config.ServerName == "" {
		config.ServerName = t.host
	}
	if file := q.Get("ca"); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(b) {
			return setup(file+" holds no certificate in PEM", "name a file of certificates")
		}
	}
	if q.Has("cert") || q.Has("key") {
		pair, err := tls.LoadX509KeyPair(q.Get("cert"), q.Get("key"))
		if err != nil {
			return err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return nil
}
