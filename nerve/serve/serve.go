package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/octopus-framework/octopus/internal/nerveyaml"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/web"
)

// Defaults of [Options].
const (
	DefaultListen      = serve.DefaultListen
	DefaultConnections = serve.DefaultConnections
	DefaultReaders     = core.DefaultReaders
	DefaultQueues      = core.DefaultQueues
	DefaultInFlight    = core.DefaultInFlight
	DefaultDrain       = serve.DefaultDrain
)

// Options of a Server. The zero value serves on loopback, to nobody: say who may do what by Tokens,
// ClientCA, Anonymous or OwnToken.
type Options struct {
	// Listen is where, "127.0.0.1:7171" by default. Port 0 is any free one.
	Listen string
	// Hosts are the names under which clients know the server, besides localhost, the address it
	// listens on and the names in its certificate.
	Hosts []string
	// Cert and Key are PEM files, of the server. They go together, and turn TLS on.
	Cert, Key string
	// Insecure listens on an address other than loopback without TLS and authentication.
	Insecure bool

	// Tokens is the file with the list of tokens, see [NewToken].
	Tokens string
	// ClientCA is a PEM file with the certificates that sign those of clients.
	ClientCA string
	// Anonymous are the roles of those who say nothing, such as "read,consume" or "all".
	Anonymous string
	// OwnToken makes a token for everything that is good until the server ends, see [Server.Token].
	OwnToken bool

	// ReadOnly changes nothing, and follows queues that other processes write.
	ReadOnly bool
	// Create lets those with the role append make queues, up to Queues.
	Create bool
	// RetainBytes and RetainAge say how much of each queue is kept, unless its nerve.yaml does. 0
	// is all.
	RetainBytes int64
	RetainAge   time.Duration
	// Dedup bounds what each queue remembers of the ids of appends.
	Dedup nerve.DedupWindow
	// Schemas is a folder with a nerve.yaml that says of what type records are, for the page and
	// for clients that ask.
	Schemas string

	// Connections is how many there may be, Readers how many cursors, Queues up to how many clients
	// may make, InFlight how many bytes of large appends may be on their way. 0 are the defaults.
	// One principal may have three times what he leaves free. What the process has no descriptors
	// for is lowered, with a line in the log.
	Connections, Readers, Queues int
	InFlight                     int64
	// Drain is how long clients have to take their answers when the server ends. Default 10 s.
	Drain time.Duration
	// Logger gets what operators should see. Nil is silent.
	Logger *slog.Logger
}

// Server serves the queues of a folder. Open it with [Open]; its methods can be called by any
// number of goroutines.
type Server struct {
	root        *core.Queues
	server      *serve.Server
	credentials *serve.Credentials
	token       string
	logger      *slog.Logger
}

// Open opens the queues in a folder and listens; [Server.Run] serves. A queue that does not open
// does not prevent that, and is tried again when somebody asks for it. Whoever does not call Run
// calls Close.
func Open(dir string, o Options) (*Server, error) {
	s := &Server{logger: o.Logger}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	files := serve.Files{Cert: o.Cert, Key: o.Key, ClientCA: o.ClientCA, Tokens: o.Tokens}
	if o.Anonymous != "" {
		var err error
		if files.Anonymous, err = core.ParseRoles(o.Anonymous); err != nil {
			return nil, err
		}
	}
	if o.OwnToken {
		var digest string
		s.token, digest = core.NewToken()
		files.More = append(files.More, core.Credential{Name: "local", Proof: digest,
			Grant: core.Grant{Queues: "*", Roles: core.All}})
	}
	var err error
	if s.credentials, err = serve.Load(files); err != nil {
		return nil, err
	}
	folder := core.Options{ReadOnly: o.ReadOnly, Create: o.Create, InFlight: o.InFlight,
		Readers: o.Readers, Queues: o.Queues, Folder: seglog.Options{Dedup: o.Dedup},
		Retain: o.retained(dir), Logger: s.logger}
	options := serve.Options{Listen: o.Listen, TLS: s.credentials.TLS(),
		Auth: s.credentials.Auth(), Authenticates: s.credentials.Authenticates(),
		Insecure: o.Insecure, Hosts: o.Hosts, Leaf: s.credentials.Leaf, Connections: o.Connections,
		Drain: o.Drain, Web: web.Options{Schemas: o.Schemas}, Logger: s.logger}
	if err := serve.FitDescriptors(dir, &folder, &options); err != nil {
		return nil, err
	}
	if s.root, err = core.Open(dir, folder); err != nil {
		return nil, err
	}
	if s.server, err = serve.New(s.root, options); err != nil {
		return nil, errors.Join(err, s.closeRoot())
	}
	return s, nil
}

// retained says how much of a queue is kept: by its nerve.yaml, else by the options.
func (o *Options) retained(dir string) func(string) (int64, time.Duration, error) {
	return func(queue string) (int64, time.Duration, error) {
		q, err := nerveyaml.Of(dir, o.Schemas, queue)
		if err == nil && q != nil && q.Retain != (nerveyaml.Retain{}) {
			return int64(q.Retain.Bytes), time.Duration(q.Retain.Age), nil
		}
		return o.RetainBytes, o.RetainAge, err
	}
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.server.Addr() }

// URL returns that of the page, under a name of the server.
func (s *Server) URL() string { return s.server.URL() }

// Token returns the token of [Options.OwnToken], or "".
func (s *Server) Token() string { return s.token }

// LoginURL returns an address that a browser opens once, within ten minutes, to be whoever has
// Token. It is "" without one.
func (s *Server) LoginURL() string {
	if s.token == "" {
		return ""
	}
	p, err := s.credentials.Auth().Token(s.token)
	if err != nil {
		return ""
	}
	return s.server.LoginURL(p)
}

// Queues returns how many queues there are, and how many of them could not be opened.
func (s *Server) Queues() (all, broken int) {
	everybody, err := core.NewPrincipal("nerve serve", core.Grant{Queues: "*", Roles: core.All})
	if err == nil {
		all = len(s.root.List(everybody))
	}
	return all, len(s.root.Problems())
}

// Reload reads tokens, certificates and schemas again. What runs for those who lost their rights
// ends. After an error with tokens or certificates all stays as it was; schemas that do not load
// are named in the log.
func (s *Server) Reload() error {
	if err := s.credentials.Reload(); err != nil {
		return err
	}
	s.logger.Info("nerve: reloaded tokens and certificates")
	return s.server.Reload()
}

// Run serves until ctx ends, and then drains: no new connections, no new appends, answers to those
// that were accepted, at most [Options.Drain]. Then it closes the queues.
func (s *Server) Run(ctx context.Context) error {
	return errors.Join(s.server.Run(ctx), s.closeRoot())
}

// Close ends a server that was never run.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return s.Run(ctx)
}

// closeTime bounds how long the last commits may take.
const closeTime = time.Minute

func (s *Server) closeRoot() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeTime,
		&nerve.TimeoutError{After: closeTime})
	defer cancel()
	return s.root.Close(ctx)
}
