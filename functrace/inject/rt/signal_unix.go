//go:build unix

package rt

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// signals are those that make snapshots if the environment asks for it.
var signals = map[string]os.Signal{"HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT,
	"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2}

// snapshotOn has a signal make snapshots. Nobody else gets that signal.
func snapshotOn(name string) error {
	s, ok := signals[name]
	if !ok {
		return errors.New("the signal is HUP, QUIT, USR1 or USR2")
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	go func() {
		for range c {
			path, err := Snapshot("signal " + name)
			if err != nil {
				complain(err)
				continue
			}
			_, _ = os.Stderr.WriteString("functrace: " + path + "\n")
		}
	}()
	return nil
}
