//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
)

// serveHere runs nerve serve until the test ends, and returns what it said.
func serveHere(t *testing.T, root string, args ...string) serving {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	said, out := io.Pipe()
	var errs lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", root, "--json", "--listen", "127.0.0.1:0"},
			args...), strings.NewReader(""), out, &errs)
		out.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != exitcode.OK {
			t.Errorf("nerve serve: exit code %d\n%s", c, errs.String())
		}
	})
	var s serving
	line, err := bufio.NewReader(said).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &s) != nil {
		t.Fatalf("nerve serve said %q, %v\n%s", line, err, errs.String())
	}
	return s
}

// lockedBuffer is written to while it is read.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestServe runs every command on a queue of nerve serve.
func TestServe(t *testing.T) {
	s := serveHere(t, t.TempDir(), "--create")
	place := func(queue string) string { return "nerve://" + s.Address + "/" + queue }
	_, errs := command(t, exitcode.Failed, "", "stats", place("events"))
	contains(t, errs, "not authenticated", "token")
	t.Setenv("NERVE_TOKEN", s.Token)
	everyCommand(t, place)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(s.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NERVE_TOKEN", "")
	command(t, exitcode.OK, "", "stats", place("events")+"?token="+file)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Jar: jar}).Get(s.Login)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		t.Fatalf("the link to the page: %d", resp.StatusCode)
	}
}

// TestServeTokens makes tokens, serves with them, and reloads the list.
func TestServeTokens(t *testing.T) {
	dir := t.TempDir()
	root, tokens := filepath.Join(dir, "root"), filepath.Join(dir, "tokens")
	command(t, exitcode.OK, "one\n", "append", filepath.Join(root, "orders"))
	command(t, exitcode.OK, "one\n", "append", filepath.Join(root, "secret"))
	made := map[string]string{}
	newToken := func(name, roles, queues string) {
		out, _ := command(t, exitcode.OK, "", "token", "new", name, "--roles", roles,
			"--queues", queues, "--file", tokens, "--json")
		var answer struct{ Token, Line string }
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatal(err)
		}
		made[name] = answer.Token
	}
	newToken("reader", "read", "ord*")
	s := serveHere(t, root, "--tokens", tokens)
	if s.Token != "" || s.Login != "" || s.Queues != 2 {
		t.Fatalf("%+v", s)
	}
	t.Setenv("NERVE_TOKEN", made["reader"])
	place := "nerve://" + s.Address + "/"
	out, _ := command(t, exitcode.OK, "", "tail", place+"orders", "--bare")
	if out != "one\n" {
		t.Fatalf("%q", out)
	}
	_, errs := command(t, exitcode.Failed, "two\n", "append", place+"orders")
	contains(t, errs, `"reader" may not do this in queue "orders"; it takes the role "append"`)
	for _, queue := range []string{"secret", "nothing"} {
		_, errs = command(t, exitcode.Failed, "", "stats", place+queue)
		contains(t, errs, `there is no queue "`+queue+`"`)
	}
	// A second token counts after SIGHUP.
	newToken("ops", "all", "*")
	t.Setenv("NERVE_TOKEN", made["ops"])
	_, errs = command(t, exitcode.Failed, "", "stats", place+"secret")
	contains(t, errs, "not authenticated")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var o, e bytes.Buffer
		if run(t.Context(), []string{"stats", place + "secret"}, strings.NewReader(""), &o,
			&e) == exitcode.OK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the token is not known after SIGHUP: %s", e.String())
		}
	}
	info, err := os.Stat(tokens)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestServeRefuses says what is wrong with a command line, before it serves.
func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	command(t, exitcode.OK, "one\n", "append", filepath.Join(dir, "queue"))
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{exitcode.Usage, []string{"serve"}, "takes one folder"},
		{exitcode.Usage, []string{"serve", dir, "--anonymous", "everything"}, "no role"},
		{exitcode.Failed, []string{"serve", dir, "--listen", "0.0.0.0:0"}, "no TLS"},
		{exitcode.Failed, []string{"serve", filepath.Join(dir, "queue")}, "it is a queue itself"},
		{exitcode.Failed, []string{"serve", filepath.Join(dir, "nothing")}, "no such file"},
		{exitcode.Failed, []string{"serve", dir, "--tls-cert", "x"}, "go together"},
		{exitcode.Failed, []string{"serve", dir, "--tokens", filepath.Join(dir, "none")},
			"no such file"},
		{exitcode.Usage, []string{"token", "new"}, "takes one name"},
		{exitcode.Usage, []string{"token", "new", "a b"}, ""},
		{exitcode.Usage, []string{"token", "new", "a", "--roles", "x"}, "no role"},
		{exitcode.Usage, []string{"token", "new", "a", "--queues", "["}, "pattern"},
		{exitcode.Failed, []string{"stats", "nerve://127.0.0.1:1/q", "--timeout", "200ms"},
			"no connection to nerve://127.0.0.1:1"},
		{exitcode.Failed, []string{"stats", "nerve://secret@127.0.0.1:1/q"}, "it has a user"},
		{exitcode.Failed, []string{"stats", "nerve://127.0.0.1:1/a/b"}, "no name of a queue"},
		{exitcode.Failed, []string{"stats", "nerve://127.0.0.1:1/a?x=y"}, "is not known"},
	} {
		_, errs := command(t, c.code, "", c.args...)
		if !strings.Contains(errs, c.want) || strings.Contains(errs, "secret") ||
			strings.Count(errs, "nerve: ") > 1 {
			t.Errorf("%v: %q, want %q", c.args, errs, c.want)
		}
	}
}
