package open_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/open"
	"github.com/octopus-framework/octopus/nerve/remote"
)

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "events")
	ctx := context.Background()
	if _, err := open.Log(ctx, dir, open.Write, open.Options{}); err == nil {
		t.Fatal("a mistyped name makes a queue")
	}
	for _, mode := range []open.Mode{open.Create, open.Write} {
		log, err := open.Log(ctx, dir, mode, open.Options{})
		if err != nil {
			t.Fatal(mode, err)
		}
		var b nerve.Batch
		b.Append([]byte("a"))
		if _, err := log.Append(ctx, &b); err != nil {
			t.Error(mode, err)
		}
		if err := log.Close(); err != nil {
			t.Error(mode, err)
		}
	}
	log, err := open.Log(ctx, dir, open.Read, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if first, last := log.Bounds(); first != 1 || last != 2 {
		t.Errorf("records %d to %d", first, last)
	}
}

// TestKinds looks at which kind of log an address leads to, by the connection that it makes.
func TestKinds(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := silent.Addr().String()
	if err := silent.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, url := range []string{"mysql://root@" + address + "/db?queue=q",
		"postgres://root@" + address + "/db?queue=q", "kafka://" + address + "/topic",
		"nerve://" + address + "/q", "nerves://" + address + "/q"} {
		var wrong *open.AddressError
		_, err := open.Log(ctx, url, open.Read, open.Options{Server: remote.Options{Wait: -1}})
		if err == nil || errors.As(err, &wrong) {
			t.Errorf("%s: %v", url, err)
		}
	}
	var wrong *open.AddressError
	_, err = open.Log(ctx, "redis://"+address, open.Read, open.Options{})
	if !errors.As(err, &wrong) || wrong.Scheme != "redis" ||
		!strings.Contains(err.Error(), "kafka://HOST") {
		t.Errorf("redis: %v", err)
	}
}

func TestName(t *testing.T) {
	for address, want := range map[string]string{
		"mysql://me:secret@host/db?queue=q&tls=true": "mysql://host/db?queue=q",
		"nerves://host:1/q?token=file":               "nerves://host:1/q",
		"/a/../b":                                    "/b",
	} {
		if got := open.Name(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
