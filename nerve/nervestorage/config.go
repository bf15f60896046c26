package nervestorage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/octopus-framework/octopus/nerve/nervestorage/internal/store"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Config of the extension.
type Config struct {
	// Directory that holds a folder for each component.
	Directory string `mapstructure:"directory"`
	// CreateDirectory makes the directory if need be.
	CreateDirectory bool `mapstructure:"create_directory"`
	// Fsync says when what is stored is safe from a power cut: "always" before it is accepted,
	// "interval" after SyncInterval at the latest, "never" when the system pleases. The end of
	// the process alone loses nothing in any of them.
	Fsync string `mapstructure:"fsync"`
	// SyncInterval is that of fsync "interval".
	SyncInterval time.Duration `mapstructure:"sync_interval"`
	// AckInterval is how long what was sent may wait until that is noted, and so what may be
	// sent again after a kill. 0 notes it at once.
	AckInterval time.Duration `mapstructure:"ack_interval"`
	// MaxBytes bounds the files of each component. 0 is no bound.
	MaxBytes int64 `mapstructure:"max_bytes"`
	// WhenFull is what happens at MaxBytes: "refuse" new requests or "drop_oldest".
	WhenFull string `mapstructure:"when_full"`
	// Compression of what is stored: "none", "s2", "zstd" or "lz4".
	Compression string `mapstructure:"compression"`
	// OnDamage is what happens where stored bytes are not what was written: "skip" what is
	// damaged, or "fail".
	OnDamage string `mapstructure:"on_damage"`
	// RetainAge drops requests that are older. 0 keeps them.
	RetainAge time.Duration `mapstructure:"retain_age"`
	// MaxMapBytes bounds what a component keeps under keys that are no numbers, in memory.
	MaxMapBytes int64 `mapstructure:"max_map_bytes"`
}

const (
	fsyncAlways   = "always"
	fsyncInterval = "interval"
	fsyncNever    = "never"

	whenFullRefuse     = "refuse"
	whenFullDropOldest = "drop_oldest"
	whenFullBlock      = "block"

	onDamageSkip = "skip"
	onDamageFail = "fail"

	minMaxBytes = 1 << 20
)

var (
	durabilities = map[string]seglog.Durability{fsyncAlways: seglog.SyncAlways,
		fsyncInterval: seglog.SyncInterval, fsyncNever: seglog.SyncNever}
	compressions = map[string]seglog.Compression{"none": seglog.CompressNone,
		"s2": seglog.CompressS2, "zstd": seglog.CompressZstd, "lz4": seglog.CompressLZ4}
)

func defaultConfig() *Config {
	return &Config{
		Directory: defaultDirectory, Fsync: fsyncInterval, SyncInterval: seglog.DefaultSyncEvery,
		AckInterval: 100 * time.Millisecond, WhenFull: whenFullRefuse, Compression: "none",
		OnDamage: onDamageSkip, MaxMapBytes: 64 << 20,
	}
}

// Validate says all that is wrong with the configuration.
func (c *Config) Validate() error {
	errs := []error{c.checkDirectory()}
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	_, ok := durabilities[c.Fsync]
	wrong(!ok, "fsync is %q: use always, interval or never", c.Fsync)
	_, ok = compressions[c.Compression]
	wrong(!ok, "compression is %q: use none, s2, zstd or lz4", c.Compression)
	wrong(c.SyncInterval <= 0, "sync_interval is %v: it must be more than 0", c.SyncInterval)
	wrong(c.AckInterval < 0, "ack_interval is %v: it must not be less than 0", c.AckInterval)
	wrong(c.RetainAge < 0, "retain_age is %v: it must not be less than 0", c.RetainAge)
	wrong(c.MaxMapBytes <= 0, "max_map_bytes is %d: it must be more than 0", c.MaxMapBytes)
	wrong(c.MaxBytes != 0 && c.MaxBytes < minMaxBytes,
		"max_bytes is %d: it must be 0, for no bound, or at least %d", c.MaxBytes, minMaxBytes)
	switch c.WhenFull {
	case whenFullRefuse:
	case whenFullDropOldest:
		wrong(c.MaxBytes == 0, "when_full is drop_oldest: set max_bytes, which says what full is")
	case whenFullBlock:
		wrong(true, "when_full is block, which a storage cannot do: the sending queue waits for it "+
			"under its lock, so that nothing could be sent and make room; "+
			"set block_on_overflow in sending_queue instead")
	default:
		wrong(true, "when_full is %q: use refuse or drop_oldest", c.WhenFull)
	}
	wrong(c.OnDamage != onDamageSkip && c.OnDamage != onDamageFail,
		"on_damage is %q: use skip or fail", c.OnDamage)
	return errors.Join(errs...)
}

func (c *Config) checkDirectory() error {
	if c.Directory == "" {
		return errors.New("directory is empty: name the folder to store in")
	}
	info, err := os.Stat(c.Directory)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.CreateDirectory:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("directory %s does not exist: make it, or set create_directory to true",
			c.Directory)
	case err != nil:
		return fmt.Errorf("directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("directory %s is a file: name a folder", c.Directory)
	}
	return nil
}

// options returns the options of a store.
func (c *Config) options() store.Options {
	return store.Options{
		Durability: durabilities[c.Fsync], SyncEvery: c.SyncInterval, AckInterval: c.AckInterval,
		MaxBytes: c.MaxBytes, DropOldest: c.WhenFull == whenFullDropOldest, RetainAge: c.RetainAge,
		MaxMapBytes: c.MaxMapBytes, FailOnDamage: c.OnDamage == onDamageFail,
		Compression: compressions[c.Compression],
	}
}
