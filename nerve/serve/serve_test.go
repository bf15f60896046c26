package serve_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/serve"
)

// TestOpen serves a folder as a program that embeds the server does.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(t.TempDir(), "tokens")
	reader, line, err := serve.NewToken("reader", "read", "orders*")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tokens, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := serve.Open(dir, serve.Options{Listen: "127.0.0.1:0", Tokens: tokens, OwnToken: true,
		Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.LoginURL(), s.URL()+"login?code=") || s.Token() == "" {
		t.Errorf("login at %s, page at %s", s.LoginURL(), s.URL())
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()

	open := func(token string, o remote.Options) (*remote.Log, error) {
		o.Token = token
		return remote.Open(ctx, "nerve://"+s.Addr().String()+"/orders", o)
	}
	writer, err := open(s.Token(), remote.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	b.Append([]byte("a"))
	if _, err := writer.Append(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if all, broken := s.Queues(); all != 1 || broken != 0 {
		t.Errorf("%d queues, %d broken", all, broken)
	}
	log, err := open(reader, remote.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(tokens, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(reader, remote.Options{ReadOnly: true}); err == nil {
		t.Error("a token that was removed opens a queue")
	}
	if err := writer.Close(); err != nil {
		t.Error(err)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestOpenRefuses opens servers that cannot be.
func TestOpenRefuses(t *testing.T) {
	var role *serve.RoleError
	if _, err := serve.Open(t.TempDir(), serve.Options{Anonymous: "everything"}); !errors.As(err,
		&role) || role.Role != "everything" {
		t.Error(err)
	}
	var setup *nerve.SetupError
	if _, err := serve.Open(t.TempDir(), serve.Options{Listen: "0.0.0.0:0",
		Anonymous: "all"}); !errors.As(err, &setup) {
		t.Error(err)
	}
	if _, _, err := serve.NewToken("with space", "read", "*"); err == nil {
		t.Error("a name of two words is taken")
	}
	s, err := serve.Open(t.TempDir(), serve.Options{Listen: "127.0.0.1:0", Anonymous: "read"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
