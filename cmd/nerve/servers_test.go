//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/oracle/kafkatest"
	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// sqlPlace starts a server and returns what makes a place of a queue's name.
func sqlPlace(t *testing.T, kind *sqlservers.Kind) func(queue string) string {
	t.Helper()
	if err := kind.Missing(); err != nil {
		oracle.Skip(t, kind.Name, err.Error())
	}
	s, err := sqlservers.Start(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return func(queue string) string {
		u, err := url.Parse(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		q.Set("queue", queue)
		u.RawQuery = q.Encode()
		return u.String()
	}
}

func kafkaPlace(t *testing.T) func(queue string) string {
	t.Helper()
	if _, err := kafkatest.Find(); err != nil {
		oracle.Skip(t, kafkatest.Name, err.Error())
	}
	s, err := kafkatest.Start(t.TempDir(), kafkatest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Kill() })
	return func(queue string) string { return "kafka://" + s.Addr + "/" + queue }
}

// TestServers runs every command on each kind of server, and copies a queue
// there and back.
func TestServers(t *testing.T) {
	for _, kind := range sqlservers.Kinds() {
		t.Run(kind.Name, func(t *testing.T) { everyCommand(t, sqlPlace(t, kind)) })
	}
	t.Run(kafkatest.Name, func(t *testing.T) { everyCommand(t, kafkaPlace(t)) })
}

func everyCommand(t *testing.T, place func(string) string) {
	events := place("events")
	_, errs := command(t, exitcode.Failed, "", "tail", place("mistyped"))
	contains(t, errs, "nerve: ")
	command(t, exitcode.Failed, "", "trim", place("mistyped"), "--below", "1")
	command(t, exitcode.Failed, "", "stats", place("mistyped")) // no command has made it

	out, _ := command(t, exitcode.OK, "one\ntwo\n\nfour", "append", events)
	contains(t, out, "appended 4 records, 1 to 4")
	out, _ = command(t, exitcode.OK, "", "tail", events, "--bare")
	if out != "one\ntwo\n\nfour\n" {
		t.Fatalf("tail: %q", out)
	}
	out, _ = command(t, exitcode.OK, "", "tail", events, "--bare", "--since", "1h", "-f",
		"--limit", "2")
	if out != "one\ntwo\n" {
		t.Fatalf("tail: %q", out)
	}
	reader(t, events)
	out, _ = command(t, exitcode.OK, "", "consumers", events)
	contains(t, out, "billing", "3")
	out, _ = command(t, exitcode.OK, "", "stats", events, "--json")
	var info logInfo
	if err := json.Unmarshal([]byte(out), &info); err != nil || info.Records != 4 ||
		info.Consumers != 1 ||
		info.Queue != open.Name(events) || info.Newest == nil {
		t.Fatalf("%s: %v", out, err)
	}
	command(t, exitcode.OK, "", "consumers", events, "--remove", "billing")
	out, _ = command(t, exitcode.OK, "", "trim", events, "--below", "3")
	contains(t, out, "trimmed 2 records; the first is now 3")
	command(t, exitcode.Usage, "", "verify", events)
	command(t, exitcode.Usage, "x", "append", events, "--compress", "s2")

	out, _ = command(t, exitcode.OK, "", "bench", place("bench"), "--records", "2000",
		"--batch", "100")
	contains(t, out, "append", "read")
	command(t, exitcode.Usage, "", "bench", events)

	copyThereAndBack(t, place("copy"))
	askThereAsHere(t, place("asked"))
}

// askThereAsHere copies a queue of a folder to place, and asks both the same. The times of the
// records differ: a log says when a record came to it.
func askThereAsHere(t *testing.T, place string) {
	const records = 10000 // more than two batches of rows
	folder, flags := queryQueue(t, events(records))
	out, _ := command(t, exitcode.OK, "", "copy", folder, place)
	contains(t, out, fmt.Sprintf("copied %d records", records))
	both := func(command string, args ...string) string {
		t.Helper()
		here, errs, code := ask(t, slices.Concat([]string{command, folder}, args, flags)...)
		if code != exitcode.OK || here == "" {
			t.Fatalf("%s %q: %q, %s", command, args, here, errs)
		}
		there, errs, code := ask(t, slices.Concat([]string{command, place}, args, flags)...)
		if code != exitcode.OK || there != here {
			t.Fatalf("%s %q: %s\n%s\nthe folder has\n%s", command, args, errs, there, here)
		}
		return here
	}
	total := records * (records - 1) / 2
	got := both("query", "sum(amount), count()", "--format", "csv")
	contains(t, got, fmt.Sprintf("%d,%d", 7*total-50*records, records))
	for _, question := range []string{
		"record.id, record.size, s, item where kind == CARD && b",
		"sum(amount), avg(d), distinct(s), top(small, 2) by kind, labels.k",
		"count(), first(amount), last(amount) by bucket(time, duration('10s'))",
		"items[].sku, ints[0] where record.id > 4000 && record.id < 4100",
		"record.id, items[].sku, items[].weights, items[].weights[*] where record.id < 100",
		"sum(size(items[].weights)), count(items[].weights) by items[].sku limit 20",
		"count() where items.exists(i, i.sku == 'b9')",
	} {
		for _, workers := range []string{"1", "3"} {
			both("query", question, "--format", "jsonl", "--workers", workers)
		}
	}
	got = both("query", "amount", "--from", "9000", "--to", "9009", "--format", "csv")
	if n := strings.Count(got, "\n"); n != 11 { // the names are a line
		t.Fatalf("%d lines", n)
	}
	got = both("tail", "--bare", "--since", "1h", "--where", "kind == CARD && amount > 69000")
	if n := strings.Count(got, "\n"); n != 45 { // of kind 1 from 9865 on
		t.Fatalf("%d records", n)
	}
	both("tail", "--bare", "--where", "size(items) > 0 && items.all(i, i.sku != 'b3')")
}

// reader acknowledges one record of a queue.
func reader(t *testing.T, place string) {
	t.Helper()
	log, err := open.Log(context.Background(), place, open.Create, seglog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	queue := nerve.New(log, nerve.Options{})
	defer queue.Close()
	c, err := queue.Consumer("billing", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range c.Records(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Ack(rec.ID); err != nil {
			t.Fatal(err)
		}
		return
	}
}

func copyThereAndBack(t *testing.T, place string) {
	from, back := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "back")
	source := mustOpen(t, from, seglog.Options{})
	appendTexts(t, source, "a", 1, 5000)
	err := source.SavePointers(context.Background(), []nerve.Pointer{{Name: "billing", ID: 4000}})
	if err != nil {
		t.Fatal(err)
	}
	source.Close()
	for _, want := range []int{5000, 0} {
		out, _ := command(t, exitcode.OK, "", "copy", from, place)
		contains(t, out, fmt.Sprintf("copied %d records", want), "1 to 5000")
	}
	for _, want := range []int{5000, 0} {
		out, _ := command(t, exitcode.OK, "", "copy", place, back)
		contains(t, out, fmt.Sprintf("copied %d records", want), "1 to 5000")
		if strings.Contains(out, "consumer billing at 4000 is at 4000") != (want > 0) {
			t.Fatal(out)
		}
	}
	ours, theirs := mustOpen(t, from, seglog.Options{}), mustOpen(t, back, seglog.Options{})
	defer ours.Close()
	defer theirs.Close()
	_, a := texts(t, ours)
	_, b := texts(t, theirs)
	if !slices.Equal(a, b) {
		t.Fatalf("%d records came back of %d, or others", len(b), len(a))
	}
}

// TestNoServer names servers that are not there, and places that are none.
func TestNoServer(t *testing.T) {
	for _, place := range []string{
		"mysql://u:secret@127.0.0.1:1/db?queue=q", "postgres://u:secret@127.0.0.1:1/db?queue=q",
		"kafka://u:secret@127.0.0.1:1/topic",
	} {
		_, errs := command(t, exitcode.Failed, "", "stats", place, "--timeout", "100ms")
		if !strings.HasPrefix(errs, "nerve: ") || strings.Count(errs, "nerve: ") != 1 ||
			strings.Contains(errs, "secret") {
			t.Errorf("stats %s: %q", place, errs)
		}
	}
	_, errs := command(t, exitcode.Usage, "", "stats", "redis://localhost/1")
	contains(t, errs, "redis", "mysql://", "kafka://")
}
