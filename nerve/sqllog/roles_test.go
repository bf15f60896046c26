//go:build linux

package sqllog_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// The test binary plays a role in a process of its own when these are set.
const (
	roleVariable   = "SQLLOG_TEST_ROLE"
	orderVariable  = "SQLLOG_TEST_ORDER"
	roleBusiness   = "business"
	roleAppender   = "appender"
	roleSequencer  = "sequencer"
	roleExclusive  = "exclusive"
	exitRoleFailed = 3
)

// order is what a process is told.
type order struct {
	URL      string
	Mutant   bool
	First, N int    // workers, or transactions
	Seconds  int    // to work
	Producer uint64 // of appends with keys
}

// play plays a role and returns the exit code.
func play(role string) int {
	var o order
	err := json.Unmarshal([]byte(os.Getenv(orderVariable)), &o)
	if err == nil {
		switch role {
		case roleBusiness:
			err = doBusiness(context.Background(), o)
		case roleAppender:
			err = appendForever(context.Background(), o, os.Stdout)
		case roleSequencer:
			err = sequence(context.Background(), o)
		case roleExclusive:
			err = appendLines(context.Background(), o, os.Stdin, os.Stdout)
		default:
			err = fmt.Errorf("no role %q", role)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		return exitRoleFailed
	}
	return 0
}

// spawn starts a process in a role. It dies with the test at the latest.
func spawn(t *testing.T, role string, o order) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), roleVariable+"="+role, orderVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Signal(syscall.SIGCONT)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd, in, bufio.NewScanner(out)
}

// sequence moves the outbox until it is killed.
func sequence(ctx context.Context, o order) error {
	log, err := sqllog.Open(ctx, o.URL, sqllog.Options{})
	if err != nil {
		return err
	}
	return log.Outbox().Run(ctx)
}

// appendLines is the only writer of a queue: it appends what it is told, line by
// line, and answers each with the id or the kind of error.
func appendLines(ctx context.Context, o order, in io.Reader, out io.Writer) error {
	log, err := sqllog.Open(ctx, o.URL, sqllog.Options{Exclusive: true, Lease: shortLease})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "open")
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var fenced *nerve.FencedError
		switch id, err := log.Append(ctx, records(lines.Text())); {
		case errors.As(err, &fenced):
			fmt.Fprintln(out, "fenced")
		case err != nil:
			return err
		default:
			fmt.Fprintln(out, id)
		}
	}
	return log.Close()
}

// shortLease is that of writers that are stopped for longer.
const shortLease = time.Second
