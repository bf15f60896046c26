//go:build linux

package sqlservers

import (
	"os"
	"testing"
)

// TestStartKillRestart starts each server that is there, kills it twice, and
// checks that nothing of it is left in the end.
func TestStartKillRestart(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			if err := kind.Missing(); err != nil {
				t.Skip(err)
			}
			s, err := Start(kind)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := s.Kill(); err != nil {
					t.Fatal(err)
				}
				if err := kind.ping(s); err == nil {
					t.Fatal("it answers after a kill")
				}
				if err := s.Restart(); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Shutdown(); err != nil {
				t.Fatal(err)
			}
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
			pid := s.process.Pid
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
				t.Errorf("the folder is still there: %v", err)
			}
			if left := childrenOf(pid); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
		})
	}
}
