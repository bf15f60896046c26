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
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/internal/nerveyaml"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve"
)

// serveFlags say where to serve and for whom.
type serveFlags struct {
	options serve.Options
	retain  nerveyaml.Retain
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
	flags.StringVar(&f.options.Cert, "tls-cert", "", "the certificate of the server, a PEM file")
	flags.StringVar(&f.options.Key, "tls-key", "", "its key, a PEM file")
	flags.StringVar(&f.options.ClientCA, "client-ca", "",
		"certificates that sign those of clients, a PEM file")
	flags.StringVar(&f.options.Tokens, "tokens", "", "the list of tokens, see 'nerve token new'")
	flags.StringVar(&f.options.Anonymous, "anonymous", "",
		"roles of those who have no token: read, append, consume, admin, with commas, or all")
	flags.StringArrayVar(&f.options.Hosts, "host", nil,
		"a name under which clients know the server, may be repeated")
	flags.BoolVar(&f.options.Insecure, "insecure", false,
		"listen on any address without TLS and authentication")
	flags.BoolVar(&f.options.ReadOnly, "read-only", false,
		"change nothing, and follow queues that other processes write")
	flags.BoolVar(&f.options.Create, "create", false, "let those with the role append make queues")
	flags.IntVar(&f.options.Connections, "max-connections", serve.DefaultConnections,
		"how many connections there may be")
	flags.Int64Var(&f.options.InFlight, "in-flight", serve.DefaultInFlight,
		"bytes of large appends that are being received")
	flags.IntVar(&f.options.Readers, "max-readers", serve.DefaultReaders,
		"how many readers there may be")
	flags.IntVar(&f.options.Queues, "max-queues", serve.DefaultQueues,
		"up to how many queues clients may make new ones")
	flags.StringVar(&f.options.Schemas, "schemas", "",
		"a folder with a nerve.yaml that says of what type records are")
	flags.Var(&f.retain.Bytes, "retain-bytes", "keep the newest records of a queue up to this size,"+
		" such as 10GiB, unless its nerve.yaml says otherwise (default: all)")
	flags.Var(&f.retain.Age, "retain-age", "keep records for this time, such as 36h or 30d, likewise")
	flags.IntVar(&f.options.Dedup.IDs, "remember-ids", nerve.DefaultDedupIDs,
		"how many ids of appends each queue remembers, by which what is sent again is stored once")
	flags.DurationVar(&f.options.Dedup.Age, "remember-for", nerve.DefaultDedupAge,
		"how long it remembers an id")
	flags.DurationVar(&f.options.Drain, "drain", serve.DefaultDrain,
		"how long clients may take to get their answers at the end")
	return cmd
}

func runServe(cmd *cobra.Command, dir string, f *serveFlags) error {
	o := f.options
	o.RetainBytes, o.RetainAge = int64(f.retain.Bytes), time.Duration(f.retain.Age)
	o.OwnToken = o.Tokens == "" && o.ClientCA == "" && o.Anonymous == ""
	o.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	server, err := serve.Open(dir, o)
	var role *serve.RoleError
	if errors.As(err, &role) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if err := sayServing(cmd, dir, server); err != nil {
		return errors.Join(err, server.Close())
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	go reloadOnHangup(ctx, server, o.Logger)
	return server.Run(ctx)
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

func sayServing(cmd *cobra.Command, dir string, server *serve.Server) error {
	s := serving{URL: server.URL(), Address: server.Addr().String(), Token: server.Token(),
		Login: server.LoginURL()}
	s.Queues, s.Problems = server.Queues()
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), s)
	}
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "serving %d queues of %s at %s\n", s.Queues, dir, s.URL)
	if s.Token != "" {
		fmt.Fprintf(out, "page    %s (once, within ten minutes)\ntoken   export NERVE_TOKEN=%s\n",
			s.Login, s.Token)
	}
	return nil
}

// reloadOnHangup reads the files again at each SIGHUP.
func reloadOnHangup(ctx context.Context, s *serve.Server, log *slog.Logger) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		if err := s.Reload(); err != nil {
			log.Error("nerve: not reloaded, all stays as it was", "error", err)
		}
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
	token, line, err := serve.NewToken(name, roles, queues)
	if err != nil {
		return usageError{err}
	}
	if file != "" {
		if err := appendLine(file, line); err != nil {
			return err
		}
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]string{"token": token, "line": line})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "token  %s\n", token)
	if file == "" {
		fmt.Fprintf(out, "line   %s\n", line)
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
