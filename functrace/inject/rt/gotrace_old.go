//go:build !go1.25

package rt

import (
	"errors"
	"io"
	"time"
)

// goTrace is not there in this release of Go.
type goTrace struct{}

func startGoTrace(time.Duration) (*goTrace, error) { return nil, errNoGoTrace }

func (*goTrace) write(io.Writer) error { return errNoGoTrace }

func (*goTrace) stop() error { return nil }

var errNoGoTrace = errors.New("functrace: Go's flight recorder needs Go 1.25")
