package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
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

// onTerminal runs the command with standard error on a terminal and returns what was written there.
// While it runs, during reads what the terminal shows, if it is not nil.
func onTerminal(t *testing.T, stdin io.Reader, during func(shown io.Reader),
	args ...string) string {
	t.Helper()
	master, tty := terminal(t)
	var all bytes.Buffer
	if during != nil {
		go during(io.TeeReader(master, &all))
	}
	var stdout bytes.Buffer
	if code := run(t.Context(), args, stdin, &stdout, tty); code != exitcode.OK {
		t.Errorf("exit code %d", code)
	}
	// What the run wrote is there by now, and less than what a terminal keeps; the dot ends it.
	// Were anything written later, the dot would not be the last.
	if _, err := tty.WriteString("."); err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 4096); !bytes.HasSuffix(all.Bytes(), []byte(".")); {
		n, err := master.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b[:n])
	}
	return strings.TrimSuffix(all.String(), ".")
}

const erase = "\r\x1b[K"

// checkProgress wants lines that begin with one of some texts, each over the last, and the last one
// erased.
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

// TestProgress generates code of ever more messages until that takes so long that progress is
// shown, which is erased at the end. When it is shown is a test of package driver.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Chdir(t.TempDir())
	for messages := 1000; messages < 1<<20; messages *= 4 {
		var b strings.Builder
		b.WriteString("syntax = \"proto3\";\n")
		for i := range messages {
			fmt.Fprintf(&b,
				"message M%d { int32 a = 1; repeated string b = 2; M%d c = 3; map<int32, M%d> d = 4; }\n", i, i/2, i/3)
		}
		if err := os.WriteFile("a.proto", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		shown := onTerminal(t, nil, nil, "generate", "--no-config", "-o", "gen", "--module", "m",
			"a.proto")
		if shown != "" {
			checkProgress(t, shown, "compiling 1 file", "generating: ")
			return
		}
	}
	t.Fatal("nothing is shown")
}

// TestConvertProgress converts a stream that pauses until the terminal shows what there was.
func TestConvertProgress(t *testing.T) {
	args := blob(t, "--delimited", "--from", "json", "--to", "text")
	in, feed := io.Pipe()
	go func() {
		for range 3 {
			_, _ = feed.Write([]byte("{}\n"))
		}
	}()
	wait := func(shown io.Reader) {
		defer feed.Close()
		var all []byte
		for b := make([]byte, 4096); !bytes.Contains(all, []byte("messages: 3")); {
			n, err := shown.Read(b)
			if err != nil {
				t.Error(err)
				return
			}
			all = append(all, b[:n]...)
		}
	}
	shown := onTerminal(t, in, wait, args...)
	checkProgress(t, shown, "converting messages: ")
}
