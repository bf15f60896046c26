package driver

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress looks at what is shown when, in a bubble whose clock goes on when everybody waits.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := &Progress{W: &w}
		shows := func(wait time.Duration, want string) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			if got := strings.ReplaceAll(w.String(), "\r\x1b[K", "|"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			w.Reset()
		}
		stop := p.Start("short", 0)
		shows(progressAfter-1, "")
		stop()
		shows(0, "")

		stop = p.Start("counted", 2)
		shows(progressAfter-1, "")
		shows(1, "|counted: 0 of 2")
		p.Step()
		shows(progressEvery, "|counted: 1 of 2")
		stop()
		shows(progressEvery, "|")

		stop = p.Start("unknown", -1)
		p.Step()
		shows(progressAfter, "|unknown: 1")
		stop()
		shows(0, "|")

		stop = p.Start("alone", 0)
		shows(progressAfter, "|alone")
		stop()
	})
	var none *Progress
	none.Start("nothing", 1)()
	none.Step()
}
