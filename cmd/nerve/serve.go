package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve"
	"github.com/octopus-framework/octopus/nerve/serve/core"
)

// serveFlags say where to serve and for whom.
type serveFlags struct {
	files     serve.Files
	anonymous string
	options   serve.Options
	root      core.Options
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve ROOT",
		Short: "Serve the queues in a folder to other machines, with a page",
		Long: `Serve the queues that are folders below ROOT: a page, a JSON API, metrics for
Prometheus, /livez and /readyz, and the connections of nerve://HOST:PORT/QUEUE,
all on one port.

By default it listens on 127.0.0.1 alone. Another address takes TLS and tokens or
certificates of clients. Without --tokens, --client-ca and --anonymous a token is
made that is good until the server ends, and printed.

The first SIGTERM or interrupt drains: no new connections, answers to all that was
accepted. SIGHUP reads tokens, certificates and schemas again.`,
		Example: `  nerve serve queues
  nerve serve queues --listen :7171 --tls-cert server.crt --tls-key server.key --tokens tokens
  nerve token new billing --roles read,consume --queues 'orders*' --file tokens
  NERVE_TOKEN=nerve_... nerve tail nerve://127.0.0.1:7171/orders -f`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("'%s' takes one folder, not %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runServe(cmd, args[0], &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.options.Listen, "listen", serve.DefaultListen, "the address to listen on")
	flags.StringVar(&f.files.Cert, "tls-cert", "", "the certificate of the server, a PEM file")
	flags.StringVar(&f.files.Key, "tls-key", "", "its key, a PEM file")
	flags.StringVar(&f.files.ClientCA, "client-ca", "",
		"certificates that sign those of clients, a PEM file")
	flags.StringVar(&f.files.Tokens, "tokens", "", "the list of tokens, see 'nerve token new'")
	flags.StringVar(&f.anonymous, "anonymous", "",
		"roles of those who have no token: read, append, consume, admin, with commas, or all")
	flags.StringArrayVar(&f.options.Hosts, "host", nil,
		"a name under which clients know the server, may be repeated")
	flags.BoolVar(&f.options.Insecure, "insecure", false,
		"listen on any address without TLS and authentication")
	flags.BoolVar(&f.root.ReadOnly, "read-only", false,
		"change nothing, and follow queues that other processes write")
	flags.BoolVar(&f.root.Create, "create", false, "let those with the role append make queues")
	flags.IntVar(&f.options.Connections, "max-connections", serve.DefaultConnections,
		"how many connections there may be")
	flags.Int64Var(&f.root.InFlight, "in-flight", core.DefaultInFlight,
		"bytes of large appends that are being received")
	flags.IntVar(&f.root.Readers, "max-readers", core.DefaultReaders,
		"how many readers there may be")
	flags.StringVar(&f.options.Web.Schemas, "schemas", "",
		"a folder with a nerve.yaml that says of what type records are")
	flags.DurationVar(&f.options.Drain, "drain", serve.DefaultDrain,
		"how long clients may take to get their answers at the end")
	return cmd
}

// ownToken makes a token that is good until the server ends.
func ownToken(f *serve.Files) string {
	token, digest := core.NewToken()
	f.More = append(f.More, core.Credential{Name: "local", Proof: digest,
		Grant: core.Grant{Queues: "*", Roles: core.All}})
	return token
}

func runServe(cmd *cobra.Command, dir string, f *serveFlags) error {
	if f.anonymous != "" {
		var err error
		if f.files.Anonymous, err = core.ParseRoles(f.anonymous); err != nil {
			return usageError{err}
		}
	}
	token := ""
	if f.files.Tokens == "" && f.files.ClientCA == "" && f.anonymous == "" {
		token = ownToken(&f.files)
	}
	credentials, err := serve.Load(f.files)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	f.root.Logger, f.options.Logger = logger, logger
	f.options.Auth, f.options.TLS = credentials.Auth(), credentials.TLS()
	f.options.Authenticates = credentials.Authenticates()
	f.options.Hosts = append(f.options.Hosts, credentials.Hosts()...)
	root, err := core.Open(dir, f.root)
	if err != nil {
		return err
	}
	server, err := serve.New(root, f.options)
	if err != nil {
		return errors.Join(err, closeRoot(root))
	}
	if err := sayServing(cmd, root, server, credentials, token); err != nil {
		return errors.Join(err, closeRoot(root))
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	go reloadOnHangup(ctx, credentials, server, logger)
	return errors.Join(server.Run(ctx), closeRoot(root))
}

// closeTime bounds how long the last commits may take.
const closeTime = time.Minute

func closeRoot(root *core.Root) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeTime,
		&nerve.TimeoutError{After: closeTime})
	defer cancel()
	return root.Close(ctx)
}

// serving is what the command says when it serves, and its JSON form.
type serving struct {
	URL      string `json:"url"`
	Address  string `json:"address"`
	Login    string `json:"login,omitempty"` // opens the page once
	Token    string `json:"token,omitempty"` // until the server ends
	Queues   int    `json:"queues"`
	Problems int    `json:"problems,omitempty"`
}

func sayServing(cmd *cobra.Command, root *core.Root, server *serve.Server,
	credentials *serve.Credentials, token string) error {
	everybody, err := core.NewPrincipal("nerve serve", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		return err
	}
	s := serving{URL: server.URL(), Address: server.Addr().String(), Token: token,
		Queues: len(root.List(everybody)), Problems: len(root.Problems())}
	if token != "" {
		p, err := credentials.Auth().Token(token)
		if err != nil {
			return err
		}
		s.Login = server.LoginURL(p)
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), s)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "serving %d queues of %s at %s\n", s.Queues, root.Dir(), s.URL)
	if token != "" {
		fmt.Fprintf(out, "page    %s (once, within ten minutes)\ntoken   export NERVE_TOKEN=%s\n",
			s.Login, token)
	}
	return nil
}

// reloadOnHangup reads the files again at each SIGHUP.
func reloadOnHangup(ctx context.Context, c *serve.Credentials, s *serve.Server, log *slog.Logger) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		err := c.Reload()
		if err == nil {
			err = s.Reload()
		}
		if err != nil {
			log.Error("nerve: not reloaded, all stays as it was", "error", err)
			continue
		}
		log.Info("nerve: reloaded tokens, certificates and schemas")
	}
}

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make tokens for the clients of nerve serve",
	}
	var roles, queues, file string
	create := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a token, which is shown once",
		Long: `Make a token and show it, once, with the line for the list of tokens, which has
only a digest of it. With --file the line is appended to the list; a running
server takes it over at SIGHUP.`,
		Example: `  nerve token new billing --roles read,consume --queues 'orders*' --file tokens`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("'%s' takes one name, not %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return newToken(cmd, args[0], roles, queues, file)
		},
	}
	create.Flags().StringVar(&roles, "roles", "read",
		"what it may do: read, append, consume, admin, with commas, or all")
	create.Flags().StringVar(&queues, "queues", "*", "in which queues, a pattern such as 'orders*'")
	create.Flags().StringVar(&file, "file", "", "the list of tokens to append to")
	cmd.AddCommand(create)
	return cmd
}

func newToken(cmd *cobra.Command, name, roles, queues, file string) error {
	token, digest := core.NewToken()
	parsed, err := core.ParseRoles(roles)
	if err != nil {
		return usageError{err}
	}
	c := core.Credential{Name: name, Proof: digest,
		Grant: core.Grant{Queues: queues, Roles: parsed}}
	if _, err := core.ParseCredentials(strings.NewReader(c.String())); err != nil {
		return usagef("%w", errors.Unwrap(err))
	}
	if file != "" {
		if err := appendLine(file, c.String()); err != nil {
			return err
		}
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]string{"token": token, "line": c.String()})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "token  %s\n", token)
	if file == "" {
		fmt.Fprintf(out, "line   %s\n", c)
	}
	return nil
}

// appendLine adds a line to a list that only its owner reads, and makes it
// durable.
func appendLine(file, line string) error {
	f, err := os.OpenFile(filepath.Clean(file), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	text := line + "\n"
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			text = "\n" + text
		}
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
