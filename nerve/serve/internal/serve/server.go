package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/frames"
	"github.com/octopus-framework/octopus/nerve/serve/internal/web"
)

// Defaults and limits.
const (
	DefaultListen      = "127.0.0.1:7171"
	DefaultConnections = 1024
	DefaultDrain       = 10 * time.Second

	maxHalfOpen   = 256             // connections of which it is not known who they are
	maxHeader     = 16 << 10        // bytes of a request, of which parameters may be 12 KiB
	headerTimeout = 5 * time.Second // for these, and a TLS handshake
	idleTimeout   = time.Minute     // between requests
)

// Options of a Server.
type Options struct {
	// Listen is where, "127.0.0.1:7171" by default. Port 0 is any free one.
	Listen string
	// TLS, if it is to be used. ClientCAs in it are for client certificates.
	TLS *tls.Config
	// Auth tells who asks. It must not be nil.
	Auth *core.Auth
	// Authenticates says that Auth knows tokens or certificates. An address
	// other than loopback takes that and TLS.
	Authenticates bool
	// Insecure listens on such an address without them.
	Insecure bool
	// Hosts are the names under which clients know the server, besides
	// localhost, the address it listens on and the names in its certificate.
	Hosts []string
	// Leaf is the certificate that the server presents now, nil if it has none.
	// Nil takes those of TLS.
	Leaf func() *x509.Certificate
	// Connections is how many there may be at a time. Default 1024.
	Connections int
	// Drain is how long clients have to take their answers when the server
	// ends. Default 10 s.
	Drain time.Duration
	// WriteTimeout is how long a client may leave unread what it is sent. Default
	// 30 s.
	WriteTimeout time.Duration
	// FrameTimeout is how long a client may take to send a frame that it has begun,
	// to which a second is added for each 256 KiB. Default 10 s.
	FrameTimeout time.Duration
	// Web are the options of the page.
	Web web.Options
	// Logger gets what operators should see. Nil is silent.
	Logger *slog.Logger
}

// Server serves the queues of a root. Create it with [New].
type Server struct {
	root     *core.Queues
	options  Options
	logger   *slog.Logger
	listener net.Listener
	hosts    map[string]bool
	app      *web.App
	frames   *frames.Server
	http     *http.Server
	failures *failures // failures to authenticate
	refusals *failures // refusals that were logged
	sessions *sessions
	gate     *gate
	draining atomic.Bool
}

// New listens. It does not close root.
func New(root *core.Queues, options Options) (*Server, error) {
	if options.Listen == "" {
		options.Listen = DefaultListen
	}
	if options.Connections <= 0 {
		options.Connections = DefaultConnections
	}
	if options.Drain <= 0 {
		options.Drain = DefaultDrain
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.Auth == nil {
		return nil, errors.New("nerve: a server without Auth")
	}
	if err := options.checkAddress(); err != nil {
		return nil, err
	}
	if options.Web.Logger == nil {
		options.Web.Logger = options.Logger
	}
	app, err := web.New(root, options.Web)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", options.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{
		root: root, options: options, logger: options.Logger, listener: listener, app: app,
		failures: newFailures(), refusals: newFailures(), sessions: newSessions(),
	}
	s.gate = newGate(listener, options.Connections, maxHalfOpen, &root.Metrics.RefusedByLimits)
	s.frames = frames.NewServer(root, frames.Options{Logger: options.Logger,
		WriteTimeout: options.WriteTimeout, FrameTimeout: options.FrameTimeout})
	s.hosts = s.knownHosts()
	app.LoadSchemas() // what is wrong with them is in the log at once
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ConnContext: s.gate.context, ErrorLog: slog.NewLogLogger(
			options.Logger.Handler(), slog.LevelDebug),
		// Frames take the connection over, which HTTP/2 has no way to do.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	return s, nil
}

// checkAddress refuses to be reachable by others without protection.
func (o *Options) checkAddress() error {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return fmt.Errorf("nerve: the address to listen on: %w", err)
	}
	if isLoopback(host) || o.Insecure {
		return nil
	}
	var missing []string
	if o.TLS == nil {
		missing = append(missing, "TLS (--tls-cert and --tls-key)")
	}
	if !o.Authenticates {
		missing = append(missing, "authentication (--tokens or --client-ca)")
	}
	if len(missing) == 0 {
		return nil
	}
	return &nerve.SetupError{Server: o.Listen,
		Reason: "others can reach this address, and there is no " + strings.Join(missing, " and no "),
		Advice: "add it, listen on 127.0.0.1, or give --insecure"}
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// knownHosts are names that a Host header may have, without port, besides those of
// the certificate.
func (s *Server) knownHosts() map[string]bool {
	known := map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}
	add := func(names ...string) {
		for _, n := range names {
			known[strings.ToLower(n)] = true
		}
	}
	if host, _, err := net.SplitHostPort(s.listener.Addr().String()); err == nil {
		add(host)
	}
	add(s.options.Hosts...)
	return known
}

// knows reports whether a Host header may have a name: certificates are asked as TLS
// does, for the one that is presented now.
func (s *Server) knows(host string) bool {
	if s.hosts[host] {
		return true
	}
	for _, leaf := range s.leaves() {
		if leaf.VerifyHostname(host) == nil {
			return true
		}
	}
	return false
}

// leaves are the certificates that the server presents now.
func (s *Server) leaves() (list []*x509.Certificate) {
	switch {
	case s.options.Leaf != nil:
		if leaf := s.options.Leaf(); leaf != nil {
			list = append(list, leaf)
		}
	case s.options.TLS != nil:
		for _, c := range s.options.TLS.Certificates {
			leaf := c.Leaf
			if leaf == nil && len(c.Certificate) > 0 {
				leaf, _ = x509.ParseCertificate(c.Certificate[0]) // TLS refuses what is none
			}
			if leaf != nil {
				list = append(list, leaf)
			}
		}
	}
	return list
}

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// URL is that of the page. If the server listens on all addresses it has a name that
// leads to it, at least from its own machine.
func (s *Server) URL() string {
	scheme := "http"
	if s.options.TLS != nil {
		scheme = "https"
	}
	address := s.listener.Addr().String()
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		address = net.JoinHostPort(s.name(), port)
	}
	return scheme + "://" + address + "/"
}

// name is one under which clients know the server.
func (s *Server) name() string {
	if len(s.options.Hosts) > 0 {
		return s.options.Hosts[0]
	}
	for _, leaf := range s.leaves() {
		for _, name := range leaf.DNSNames {
			if !strings.HasPrefix(name, "*") {
				return name
			}
		}
	}
	return "localhost"
}

// LoginURL is one that a browser opens once, to be whoever has token. It is good
// for ten minutes and one use.
func (s *Server) LoginURL(p *core.Principal) string {
	return s.URL() + "login?code=" + s.sessions.code(p)
}

// Run serves until ctx ends, and then drains: no new connections, no new
// appends, answers to those that were accepted, at most [Options.Drain]. Clients
// that do not leave in that time are no error of the server: the log names them.
func (s *Server) Run(ctx context.Context) error {
	listener := net.Listener(s.gate)
	if s.options.TLS != nil {
		config := s.options.TLS.Clone()
		config.NextProtos = []string{"http/1.1"}
		listener = tls.NewListener(listener, config)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.logger.Info("nerve: draining", "connections", s.root.Metrics.Connections.Load())
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Drain)
	defer cancel()
	s.app.Close()
	stayed := s.frames.Drain(limit)
	err := s.http.Shutdown(limit)
	late := errors.Is(err, context.DeadlineExceeded)
	if err != nil {
		_ = s.http.Close()
	}
	if stayed > 0 || late {
		s.logger.Warn("nerve: clients did not leave in time, and were disconnected",
			"after", s.options.Drain, "connections", stayed, "requests", late)
	}
	if late {
		return nil
	}
	return err
}

// Reload takes over new schemas; the log says which do not load. A new list of
// credentials needs no more than [core.Auth.Replace], which ends what those do who are
// no longer known.
func (s *Server) Reload() error {
	loaded, failed := s.app.Reload()
	s.logger.Info("nerve: reloaded schemas", "loaded", loaded, "failed", failed)
	return nil
}

// handler is the way of a request through the server.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.app)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET "+wire.Path, s.frames)
	known := s.authenticated(mux)

	open := http.NewServeMux()
	open.HandleFunc("GET /livez", live)
	open.Handle("/", s.checkHost(s.checkOrigin(known)))
	open.Handle("/login", s.checkHost(s.checkOrigin(http.HandlerFunc(s.login))))
	open.Handle("POST /logout", s.checkHost(s.checkOrigin(http.HandlerFunc(s.logout))))
	return s.recovered(headers(open))
}

// problems are the reasons why the server is not ready.
func (s *Server) problems() []core.Problem {
	list := s.root.Problems()
	if s.draining.Load() {
		list = slices.Insert(list, 0, core.Problem{Reason: "the server is being stopped"})
	}
	return list
}
