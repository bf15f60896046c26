package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/work"
)

// failing gives three records of a queue up, and returns the folders of the queue and of its dead
// letters.
func failing(t *testing.T) (orders, dead string) {
	t.Helper()
	orders, dead = filepath.Join(t.TempDir(), "orders"), filepath.Join(t.TempDir(), "dead")
	open := func(dir string) *nerve.Queue {
		log, err := seglog.Open(dir, seglog.Options{NoSpare: true})
		if err != nil {
			t.Fatal(err)
		}
		return nerve.New(log, nerve.Options{})
	}
	q, d := open(orders), open(dead)
	for _, text := range []string{"one", "two", "three"} {
		if _, err := q.Append(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Consumer("billing", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	left := 3
	group, err := work.New(c, func(context.Context, *work.Delivery) error {
		return work.Permanent(os.ErrInvalid)
	}, work.Options{Workers: 1, DeadLetters: d, Observer: observer(func() {
		if left--; left == 0 {
			stop()
		}
	})})
	if err != nil {
		t.Fatal(err)
	}
	if err := group.Run(ctx); err != nil {
		t.Fatal(err)
	}
	// What is no dead letter does no harm.
	if _, err := d.Append(t.Context(), []byte("\xff\xff")); err != nil {
		t.Fatal(err)
	}
	for _, q := range []*nerve.Queue{q, d} {
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return orders, dead
}

type observer func()

func (observer) Attempted(*work.Delivery, time.Duration, error) {}
func (o observer) GivenUp(*work.Delivery, error)                { o() }

func TestDeadLetters(t *testing.T) {
	orders, dead := failing(t)
	out, errs := command(t, exitcode.OK, "", "dead", dead)
	contains(t, out, "CONSUMER", "billing", `"invalid argument"`)
	contains(t, errs, "1 records of this queue are no dead letters")
	if n := strings.Count(out, "billing"); n != 3 {
		t.Errorf("%d dead letters:\n%s", n, out)
	}
	out, _ = command(t, exitcode.OK, "", "dead", dead, "--json")
	contains(t, out, `"record":2`, `"attempts":1`, `"bytes":3`)
	if out, _ = command(t, exitcode.OK, "", "dead", dead, "--show", "2"); out != "two" {
		t.Errorf("--show: %q", out)
	}
	_, errs = command(t, exitcode.Failed, "", "dead", dead, "--show", "9")
	contains(t, errs, "there is no record 9; there are 1 to 4")
	_, errs = command(t, exitcode.Failed, "", "dead", dead, "--show", "4")
	contains(t, errs, "record 4 is no dead letter")

	out, _ = command(t, exitcode.OK, "", "requeue", dead, orders, "--id", "2")
	contains(t, out, "requeued 1 records")
	out, errs = command(t, exitcode.OK, "", "requeue", dead, orders)
	contains(t, out, "requeued 3 records")
	contains(t, errs, "1 records were passed over")
	out, _ = command(t, exitcode.OK, "", "requeue", dead, orders)
	contains(t, out, "requeued 0 records")
	if out, _ = command(t, exitcode.OK, "", "tail", orders,
		"--bare"); out != "one\ntwo\nthree\ntwo\none\ntwo\nthree\n" {
		t.Errorf("the queue has %q", out)
	}
	_, errs = command(t, exitcode.Failed, "", "requeue", dead, orders, "--id", "99")
	contains(t, errs, "1 of the dead letters that were named are not there")
	command(t, exitcode.Usage, "", "requeue", dead, dead)
	command(t, exitcode.Failed, "", "requeue", dead, filepath.Join(t.TempDir(), "mistyped"))
}

func TestSetConsumer(t *testing.T) {
	orders, _ := failing(t)
	for where, want := range map[string]string{
		"oldest": "billing: pointer 0,", "latest": "billing: pointer 3,",
		"2":                    "billing: pointer 1,",
		"2020-01-01T00:00:00Z": "billing: pointer 0,", "1h": "billing: pointer 0,",
		"2999-01-01T00:00:00Z": "billing: pointer 3,",
	} {
		out, _ := command(t, exitcode.OK, "", "consumers", orders, "--set", "billing="+where)
		contains(t, out, want)
	}
	out, _ := command(t, exitcode.OK, "", "consumers", orders, "--set", "billing=2", "--json")
	contains(t, out, `"pointer":1`)
	for _, wrong := range []string{"billing", "billing=", "billing=0", "billing=soon", "=oldest"} {
		command(t, exitcode.Usage, "", "consumers", orders, "--set", wrong)
	}
	_, errs := command(t, exitcode.Failed, "", "consumers", orders, "--set", "biling=oldest")
	contains(t, errs, `there is no consumer "biling"`)
	_, errs = command(t, exitcode.Failed, "", "consumers", orders, "--set", "billing=9")
	contains(t, errs, "does not exist yet")
}

func TestAppendFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	queue := filepath.Join(dir, "queue")
	out, _ := command(t, exitcode.OK, "in\n", "append", queue, file("a", "one\ntwo"), "-",
		file("b", "three\n"), file("empty", ""))
	contains(t, out, "appended 4 records")
	out, _ = command(t, exitcode.OK, "", "tail", queue, "--bare")
	if out != "one\ntwo\nin\nthree\n" {
		t.Errorf("the queue has %q", out)
	}
	proto := file("a.proto", `syntax = "proto3"; message A { string s = 1; }`)
	out, _ = command(t, exitcode.OK, "", "append", queue, file("c", `{"s":"x"}{"s":"y"}`),
		"--proto", proto, "--type", "A")
	contains(t, out, "appended 2 records")
	command(t, exitcode.Failed, "", "append", queue, filepath.Join(dir, "missing"))
	command(t, exitcode.Usage, "", "append")
}

func TestNoQueue(t *testing.T) {
	root := t.TempDir()
	_, errs := command(t, exitcode.Failed, "", "tail", filepath.Join(root, "nope"))
	contains(t, errs, "there is no queue in this folder; it does not exist")
	_, errs = command(t, exitcode.Failed, "", "stats", root)
	contains(t, errs, "there is no queue in this folder")
	command(t, exitcode.OK, "x", "append", filepath.Join(root, "orders"))
	command(t, exitcode.OK, "x", "append", filepath.Join(root, "payments"))
	_, errs = command(t, exitcode.Failed, "", "stats", root)
	contains(t, errs, "there are some in folders of it: orders, payments")
}

// TestList: the queues in a folder, one of them damaged.
func TestList(t *testing.T) {
	root := t.TempDir()
	command(t, exitcode.OK, "one\ntwo\n", "append", filepath.Join(root, "orders"))
	command(t, exitcode.OK, "x\n", "append", filepath.Join(root, "payments"))
	if err := os.MkdirAll(filepath.Join(root, "broken"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "broken", "state"), []byte("junk"),
		0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := command(t, exitcode.OK, "", "list", root)
	contains(t, out, "NAME", "orders    2", "payments  1", "broken")
	out, _ = command(t, exitcode.OK, "", "ls", root, "--json")
	contains(t, out, `"name":"orders"`, `"records":2`, `"error":`)
	_, errs := command(t, exitcode.Usage, "", "list", filepath.Join(root, "orders"))
	contains(t, errs, "is a queue itself")
	_, errs = command(t, exitcode.Failed, "", "tail", root)
	contains(t, errs, "there is no queue in this folder", "orders, payments")
}

// TestHints: what is missing, or has a slip in it, is named.
func TestHints(t *testing.T) {
	proto, none := writeSpanProto(t), filepath.Join(t.TempDir(), "none")
	_, errs := command(t, exitcode.Usage, "", "tail", none, "--josn")
	contains(t, errs, `did you mean "--json"?`, "nerve tail --help")
	_, errs = command(t, exitcode.Usage, "", "tail", none, "--proto", proto)
	contains(t, errs, "--type NAME says which message", `there are "trace.Span"`)
	for _, args := range [][]string{{"tail"}, {"verify"}, {"repair"}, {"repair", "--yes"},
		{"stats"}, {"consumers"}, {"trim", "--below", "1"}, {"dead"}} {
		_, errs = command(t, exitcode.Failed, "", append(args, none)...)
		contains(t, errs, "there is no queue in this folder; it does not exist")
	}
	_, errs = command(t, exitcode.Failed, "", "list", none)
	contains(t, errs, "does not exist")
	if _, err := os.Stat(none); err == nil {
		t.Error("a folder was made")
	}
}
