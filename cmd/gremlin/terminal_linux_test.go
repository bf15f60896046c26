package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// terminal opens a pseudo-terminal: what is written to tty can be read from master.
func terminal(t *testing.T) (master, tty *os.File) {
	t.Helper()
	// Not blocking, so that reading can have a deadline.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		oracle.Skip(t, "terminal", "no pseudo-terminals here: "+err.Error())
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		oracle.Skip(t, "terminal", "no pseudo-terminals here: "+err.Error())
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		oracle.Skip(t, "terminal", "no pseudo-terminals here: "+err.Error())
	}
	t.Cleanup(func() { tty.Close() })
	return master, tty
}

// onTerminal runs the command with standard error on a terminal and returns what was written there and how long it took.
func onTerminal(t *testing.T, stdin io.Reader, args ...string) (shown string, took time.Duration) {
	t.Helper()
	master, tty := terminal(t)
	start := time.Now()
	var stdout bytes.Buffer
	code := run(t.Context(), args, stdin, &stdout, tty)
	took = time.Since(start)
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	// What the run wrote is there by now, and less than what a terminal keeps; the dot ends it. Were anything written later, the
	// dot would not be the last.
	if _, err := tty.WriteString("."); err != nil {
		t.Fatal(err)
	}
	if err := master.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for b := make([]byte, 4096); !bytes.HasSuffix(all, []byte(".")); {
		n, err := master.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b[:n]...)
	}
	return strings.TrimSuffix(string(all), "."), took
}

const erase = "\r\x1b[K"

// checkProgress wants lines that begin with one of some texts, each over the last, and the last one erased.
func checkProgress(t *testing.T, shown string, texts ...string) {
	t.Helper()
	lines := strings.Split(shown, erase)
	if len(lines) < 3 || lines[0] != "" || lines[len(lines)-1] != "" {
		t.Fatalf("the terminal got %q", shown)
	}
	for _, l := range lines[1 : len(lines)-1] {
		begins := func(text string) bool { return strings.HasPrefix(l, text) }
		if l != "" && !slices.ContainsFunc(texts, begins) || strings.Contains(l, "\n") {
			t.Errorf("the terminal got %q", l)
		}
	}
}

// TestProgress generates code of ever more messages until that takes well over a second: then progress is shown, and erased
// at the end. A run of less than a second shows nothing.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Chdir(t.TempDir())
	for messages := 1; ; messages *= 4 {
		var b strings.Builder
		b.WriteString("syntax = \"proto3\";\n")
		for i := range messages {
			fmt.Fprintf(&b, "message M%d { int32 a = 1; repeated string b = 2; M%d c = 3; map<int32, M%d> d = 4; }\n", i, i/2, i/3)
		}
		if err := os.WriteFile("a.proto", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		shown, took := onTerminal(t, nil, "generate", "--no-config", "-o", "gen", "--module", "m", "a.proto")
		switch {
		case took < time.Second && shown != "":
			t.Fatalf("a run of %v shows %q", took, shown)
		case shown != "":
			checkProgress(t, shown, "compiling 1 file", "generating: ")
			return
		case took > 5*time.Second:
			t.Fatalf("a run of %v shows nothing", took)
		}
	}
}

// TestConvertProgress converts a stream that pauses.
func TestConvertProgress(t *testing.T) {
	args := blob(t, "--delimited", "--from", "json", "--to", "text")
	in, feed := io.Pipe()
	go func() {
		defer feed.Close()
		for range 3 {
			_, _ = feed.Write([]byte("{}\n"))
		}
		time.Sleep(1300 * time.Millisecond)
	}()
	shown, _ := onTerminal(t, in, args...)
	checkProgress(t, shown, "converting messages: 3")
}
