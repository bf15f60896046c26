//go:build linux

package sqllog_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// TestFencing stops the only writer for longer than its lease. A second one
// takes over, and the first one, when it goes on, writes nothing.
func TestFencing(t *testing.T) {
	proof(t)
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		first, in, lines := spawn(t, roleExclusive, order{URL: address})
		answer := func(want string) {
			t.Helper()
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("the first writer says %q, want %q", lines.Text(), want)
			}
		}
		answer("open")
		fmt.Fprintln(in, "of the first")
		answer("1")

		exclusive := sqllog.Options{Exclusive: true, Lease: time.Minute}
		_, err := sqllog.Open(testContext(t), address, exclusive)
		wantError[*nerve.LockedError](t, err)
		shared := open(t, address, sqllog.Options{})
		_, err = shared.Append(testContext(t), records("of nobody"))
		wantError[*nerve.LockedError](t, err)

		if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var second *sqllog.Log
		for ctx := testContext(t); second == nil; { // until the lease is over
			var locked *nerve.LockedError
			second, err = sqllog.Open(ctx, address, exclusive)
			if err != nil && !errors.As(err, &locked) {
				t.Fatal(err)
			}
		}
		defer second.Close()
		if id, err := second.Append(testContext(t), records("of the second")); err != nil ||
			id != 2 {
			t.Fatalf("Append = %d, %v; want 2", id, err)
		}
		if err := first.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			fmt.Fprintln(in, "of the fenced one")
			answer("fenced")
		}
		if id, err := second.Append(testContext(t), records("of the second")); err != nil ||
			id != 3 {
			t.Fatalf("Append = %d, %v; want 3", id, err)
		}
		wantContents(t, address, "of the first", "of the second", "of the second")
	})
}

// TestLeaseEnds lets go of a queue with Close, and fences a writer by one that
// is not the only one.
func TestLeaseEnds(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		exclusive := sqllog.Options{Exclusive: true, Lease: 10 * time.Minute}
		for i := range 3 { // Close gives the lease up
			l := open(t, address, exclusive)
			if id, err := l.Append(testContext(t), records("x")); err != nil ||
				id != nerve.ID(i+1) {
				t.Fatalf("Append = %d, %v", id, err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		owner, shared := open(t, address, exclusive), open(t, address, sqllog.Options{})
		if err := sqllog.Lapse(owner); err != nil {
			t.Fatal(err)
		}
		// Nobody took it over: the owner goes on.
		if _, err := owner.Append(testContext(t), records("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := shared.Append(testContext(t), records("x")); err != nil {
			t.Fatal(err)
		}
		_, err := owner.Append(testContext(t), records("y"))
		if e := wantError[*nerve.FencedError](t, err); e.What != "writer" ||
			e.Name != owner.Queue() {
			t.Fatalf("%+v", e)
		}
		tx := begin(t, database(t, address))
		_, err = owner.AppendTx(testContext(t), tx, records("y"))
		wantError[*nerve.FencedError](t, err)
		wantContents(t, address, "x", "x", "x", "x", "x")
	})
}
