package nerveexporter

import (
	"errors"
	"fmt"
	"time"

	"github.com/octopus-framework/octopus/nerve/nervecollector/internal/place"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Config of the exporter.
type Config struct {
	// Queue is a folder or nerve://HOST:PORT/QUEUE, nerves:// with TLS, with {signal} in it: logs,
	// metrics and traces go to queues of their own. Those on a server take ?token=FILE and the
	// other parameters of its clients. The rest of the configuration is for folders; a server has
	// that of its own.
	Queue string `mapstructure:"queue"`
	// Fsync says when what was accepted is safe from a power cut: "always" before it is accepted,
	// "interval" 200 ms later, "never" when the system pleases. The end of the process alone loses
	// nothing in any of them.
	Fsync string `mapstructure:"fsync"`
	// MaxBytes bounds the files of each queue. 0 is no bound.
	MaxBytes int64 `mapstructure:"max_bytes"`
	// WhenFull is what happens at MaxBytes: "block" waits until receivers made room, "refuse" gives
	// an error, after which the sender may try again.
	WhenFull string `mapstructure:"when_full"`
	// RetainAge and RetainBytes say what is kept of what all receivers have, for those that come
	// later or begin anew: what is not older, and the newest of so many bytes. What a receiver
	// holds and has not acknowledged is kept in any case. 0 is no bound; RetainBytes is half of
	// MaxBytes at most.
	RetainAge   time.Duration `mapstructure:"retain_age"`
	RetainBytes int64         `mapstructure:"retain_bytes"`
	// Compression of what is stored: "none", "s2", "zstd" or "lz4".
	Compression string `mapstructure:"compression"`
}

const (
	block  = "block"
	refuse = "refuse"

	minMaxBytes = 1 << 20
)

var (
	durabilities = map[string]seglog.Durability{"always": seglog.SyncAlways,
		"interval": seglog.SyncInterval, "never": seglog.SyncNever}
	compressions = map[string]seglog.Compression{"none": seglog.CompressNone,
		"s2": seglog.CompressS2, "zstd": seglog.CompressZstd, "lz4": seglog.CompressLZ4}
)

func defaultConfig() *Config {
	return &Config{Fsync: "always", WhenFull: block, RetainAge: 24 * time.Hour, Compression: "none"}
}

// Validate says all that is wrong with the configuration.
func (c *Config) Validate() error {
	errs := []error{place.Check(c.Queue)}
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	_, ok := durabilities[c.Fsync]
	wrong(!ok, "fsync is %q: use always, interval or never", c.Fsync)
	_, ok = compressions[c.Compression]
	wrong(!ok, "compression is %q: use none, s2, zstd or lz4", c.Compression)
	wrong(c.RetainAge < 0, "retain_age is %v: it must not be less than 0", c.RetainAge)
	wrong(c.MaxBytes != 0 && c.MaxBytes < minMaxBytes,
		"max_bytes is %d: it must be 0, for no bound, or at least %d", c.MaxBytes, minMaxBytes)
	wrong(c.RetainBytes < 0, "retain_bytes is %d: it must not be less than 0", c.RetainBytes)
	wrong(c.WhenFull != block && c.WhenFull != refuse, "when_full is %q: use block or refuse",
		c.WhenFull)
	return errors.Join(errs...)
}

// options returns how queues are opened.
func (c *Config) options() place.Options {
	retain := c.RetainBytes
	if half := c.MaxBytes / 2; half > 0 && (retain == 0 || retain > half) {
		retain = half
	}
	return place.Options{WaitForRoom: c.WhenFull == block, Folder: seglog.Options{
		Durability: durabilities[c.Fsync], Compression: compressions[c.Compression],
		MaxBytes: c.MaxBytes, RetainBytes: retain, RetainAge: c.RetainAge,
	}}
}
