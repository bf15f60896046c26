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
	"github.com/octopus-framework/octopus/internal/kafkatest"
	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/sqlservers"
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
	_, errs := command(t, exitFailure, "", "tail", place("mistyped"))
	contains(t, errs, "nerve: ")
	command(t, exitFailure, "", "trim", place("mistyped"), "--below", "1")
	command(t, exitFailure, "", "stats", place("mistyped")) // no command has made it

	out, _ := command(t, exitOK, "one\ntwo\n\nfour", "append", events)
	contains(t, out, "appended 4 records, 1 to 4")
	out, _ = command(t, exitOK, "", "tail", events, "--bare")
	if out != "one\ntwo\n\nfour\n" {
		t.Fatalf("tail: %q", out)
	}
	if out, _ = command(t, exitOK, "", "tail", events, "--bare", "--since", "1h", "-f", "--limit",
		"2"); out != "one\ntwo\n" {
		t.Fatalf("tail: %q", out)
	}
	reader(t, events)
	out, _ = command(t, exitOK, "", "consumers", events)
	contains(t, out, "billing", "3")
	out, _ = command(t, exitOK, "", "stats", events, "--json")
	var info logInfo
	if err := json.Unmarshal([]byte(out), &info); err != nil || info.Records != 4 ||
		info.Consumers != 1 ||
		info.Queue != open.Name(events) || info.Newest == nil {
		t.Fatalf("%s: %v", out, err)
	}
	command(t, exitOK, "", "consumers", events, "--remove", "billing")
	out, _ = command(t, exitOK, "", "trim", events, "--below", "3")
	contains(t, out, "trimmed 2 records; the first is now 3")
	command(t, exitUsage, "", "verify", events)
	command(t, exitUsage, "x", "append", events, "--compress", "s2")

	out, _ = command(t, exitOK, "", "bench", place("bench"), "--records", "2000", "--batch", "100")
	contains(t, out, "append", "read")
	command(t, exitUsage, "", "bench", events)

	copyThereAndBack(t, place("copy"))
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
		out, _ := command(t, exitOK, "", "copy", from, place)
		contains(t, out, fmt.Sprintf("copied %d records", want), "1 to 5000")
	}
	for _, want := range []int{5000, 0} {
		out, _ := command(t, exitOK, "", "copy", place, back)
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
		_, errs := command(t, exitFailure, "", "stats", place, "--timeout", "100ms")
		if !strings.HasPrefix(errs, "nerve: ") || strings.Count(errs, "nerve: ") != 1 ||
			strings.Contains(errs, "secret") {
			t.Errorf("stats %s: %q", place, errs)
		}
	}
	_, errs := command(t, exitUsage, "", "stats", "redis://localhost/1")
	contains(t, errs, "redis", "mysql://", "kafka://")
}
