//go:build go1.25

package rt

import (
	"io"
	"runtime/trace"
	"time"
)

// goTrace is Go's own flight recorder: what the scheduler, the garbage collector and the system
// calls did.
type goTrace struct{ recorder *trace.FlightRecorder }

func startGoTrace(last time.Duration) (*goTrace, error) {
	r := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: last})
	if err := r.Start(); err != nil {
		return nil, err
	}
	return &goTrace{r}, nil
}

func (t *goTrace) write(w io.Writer) error {
	_, err := t.recorder.WriteTo(w)
	return err
}

func (t *goTrace) stop() error {
	t.recorder.Stop()
	return nil
}
