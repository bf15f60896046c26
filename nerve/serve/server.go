package serve

import (
	"context"
	"crypto/tls"
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
	"github.com/octopus-framework/octopus/nerve/serve/core"
	"github.com/octopus-framework/octopus/nerve/serve/frames"
	"github.com/octopus-framework/octopus/nerve/serve/web"
)

// Defaults and limits.
const (
	DefaultListen      = "127.0.0.1:7171"
	DefaultConnections = 1024
	DefaultDrain       = 10 * time.Second

	maxHalfOpen   = 256             // connections of which it is not known who they are
	maxHeader     = 4 << 10         // bytes of a request before it is known who asks
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
	root     *core.Root
	options  Options
	logger   *slog.Logger
	listener net.Listener
	hosts    map[string]bool
	app      *web.App
	frames   *frames.Server
	http     *http.Server
	failures *failures
	sessions *sessions
	gate     *gate
	draining atomic.Bool
}

// New listens. It does not close root.
func New(root *core.Root, options Options) (*Server, error) {
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
		failures: newFailures(), sessions: newSessions(),
	}
	s.gate = newGate(listener, options.Connections, maxHalfOpen, &root.Metrics.RefusedByLimits)
	s.frames = frames.NewServer(root, frames.Options{Auth: options.Auth, Logger: options.Logger,
		WriteTimeout: options.WriteTimeout, FrameTimeout: options.FrameTimeout})
	s.hosts = s.knownHosts()
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

// knownHosts are the names that a Host header may have, without port.
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
	if s.options.TLS != nil {
		for _, c := range s.options.TLS.Certificates {
			if c.Leaf == nil {
				continue
			}
			add(c.Leaf.DNSNames...)
			for _, ip := range c.Leaf.IPAddresses {
				add(ip.String())
			}
		}
	}
	return known
}

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// URL is that of the page.
func (s *Server) URL() string {
	scheme := "http"
	if s.options.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + s.listener.Addr().String() + "/"
}

// LoginURL is one that a browser opens once, to be whoever has token. It is good
// for ten minutes and one use.
func (s *Server) LoginURL(p *core.Principal) string {
	return s.URL() + "login?code=" + s.sessions.code(p)
}

// Run serves until ctx ends, and then drains: no new connections, no new
// appends, answers to those that were accepted, at most [Options.Drain]. It
// returns nil if all was drained.
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
	limit, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), s.options.Drain,
		&nerve.TimeoutError{After: s.options.Drain})
	defer cancel()
	s.app.Close()
	err := errors.Join(s.frames.Drain(limit), s.http.Shutdown(limit))
	if err != nil {
		_ = s.http.Close()
	}
	return err
}

// Reload takes over a new list of credentials in Auth and new schemas: sessions
// and connections of those who are no longer known end. Certificates are the
// business of [tls.Config.GetCertificate].
func (s *Server) Reload() error {
	s.sessions.keep(s.options.Auth)
	s.frames.Recheck()
	return s.app.Reload()
}

// handler is the way of a request through the server.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.app)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("POST /logout", s.logout)
	mux.Handle("GET "+wire.Path, s.frames)
	known := s.authenticated(mux)

	open := http.NewServeMux()
	open.HandleFunc("GET /livez", live)
	open.Handle("/", s.checkHost(s.checkOrigin(known)))
	open.Handle("/login", s.checkHost(s.checkOrigin(http.HandlerFunc(s.login))))
	return headers(open)
}

// problems are the reasons why the server is not ready.
func (s *Server) problems() []core.Problem {
	list := s.root.Problems()
	if s.draining.Load() {
		list = slices.Insert(list, 0, core.Problem{Reason: "the server is being stopped"})
	}
	return list
}
