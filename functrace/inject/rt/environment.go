package rt

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// Environment variables that steer a program which starts recording by itself, at its first traced
// call.
const (
	EnvPath     = "FUNCTRACE"           // a file or directory, or "off"
	EnvMaxBytes = "FUNCTRACE_MAX_BYTES" // see Options.MaxBytes

	// EnvOptions holds the other Options, with commas between them: ring, last=10s, slow=200ms,
	// failure, panic, request=PATTERN, share=100, trace; moreover off=PATTERN, see Switch, and
	// signal=USR1 or another, which makes snapshots.
	EnvOptions = "FUNCTRACE_OPTIONS"
)

// environment returns the options that the environment asks for, but for the path.
func environment() (o Options, err error) {
	if text := os.Getenv(EnvMaxBytes); text != "" {
		if o.MaxBytes, err = strconv.ParseInt(text, 10, 64); err != nil {
			complain(errors.New(EnvMaxBytes + " is not a number of bytes; the default counts"))
			o.MaxBytes = 0
		}
	}
	for _, item := range strings.Split(os.Getenv(EnvOptions), ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, value, _ := strings.Cut(item, "=")
		if err := o.set(name, value); err != nil {
			return o, errors.New(EnvOptions + ": " + item + ": " + err.Error())
		}
	}
	return o, nil
}

// set sets one of EnvOptions.
func (o *Options) set(name, value string) (err error) {
	switch name {
	case "ring":
		o.Ring = true
	case "failure":
		o.OnFailure = true
	case "panic":
		o.OnPanic = true
	case "trace":
		o.RuntimeTrace = true
	case "last":
		o.Last, err = time.ParseDuration(value)
	case "slow":
		o.Slow, err = time.ParseDuration(value)
	case "share":
		n, failed := strconv.ParseUint(value, 10, 32)
		o.Share, err = uint32(n), failed
	case "request":
		o.Requests = append(o.Requests, value)
	case "off":
		Switch(value, false)
	case "signal":
		err = snapshotOn(value)
	default:
		err = errors.New("there is no such option")
	}
	return err
}

// complain says on standard error what is wrong with the recording. The program goes on.
func complain(err error) {
	_, _ = os.Stderr.WriteString("functrace: " + err.Error() + "\n")
}
