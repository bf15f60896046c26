package seglog_test

import (
	"flag"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

type backend struct {
	dir     string
	options seglog.Options
}

func (b backend) Open(t *testing.T) nerve.Log {
	b.options.Dedup.IDs = 30
	return open(t, b.dir, b.options)
}

func (backend) Capabilities() nervetest.Capabilities {
	return nervetest.Capabilities{Persistent: true, Keys: true, Dedup: true, Claims: true,
		Bounded: func(t *testing.T, bytes int64) nerve.Log {
			return open(t, t.TempDir(), seglog.Options{MaxBytes: bytes})
		}}
}

// slowDisk fails nothing and takes its time for syncs.
type slowDisk struct{}

func (slowDisk) Inject(op vfs.Op, _ string, _ int) (int, error) {
	if op == vfs.OpSync || op == vfs.OpSyncDir {
		time.Sleep(2 * time.Millisecond)
	}
	return 0, nil
}

// direct runs the tests of this package with all appends around the cache, where
// the disk and the options of a test allow it.
var direct = flag.Bool("direct", false, "append everything around the cache")

// eachWay runs a test with appends of both kinds. It is for tests that are not
// parallel to others.
func eachWay(t *testing.T, test func(t *testing.T)) {
	before := *direct
	defer func() { *direct = before }()
	for _, *direct = range []bool{false, true} {
		name := "cache"
		if *direct {
			name = "direct"
		}
		t.Run(name, test)
	}
}

// thisWay makes options those of the kind of appends that is being tested.
func thisWay(o seglog.Options) seglog.Options {
	if *direct && !o.Decided() {
		o.SetDirect(64<<10, func() bool { return true })
	}
	return o
}

// hangTime is how long tests wait for what does not happen, and for nothing else.
const hangTime = 2 * time.Minute

// until waits for something that the background does.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	hangs := time.After(hangTime)
	for !done() {
		select {
		case <-hangs:
			t.Fatalf("%s: it does not happen", what)
		case <-time.After(time.Millisecond):
		}
	}
}

func open(t testing.TB, dir string, options seglog.Options) *seglog.Log {
	t.Helper()
	options = thisWay(options)
	l, err := seglog.Open(dir, options)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return l
}

func TestContract(t *testing.T) {
	small := seglog.Options{SegmentSize: seglog.MinSegmentSize, MaxRecord: 10_000, MaxBatch: 60_000}
	with := func(change func(*seglog.Options)) seglog.Options {
		o := small
		change(&o)
		return o
	}
	variants := map[string]seglog.Options{
		"small":   small,
		"default": {},
		"interval": with(func(o *seglog.Options) {
			o.Durability, o.SyncEvery = seglog.SyncInterval, time.Millisecond
		}),
		"never": with(func(o *seglog.Options) { o.Durability = seglog.SyncNever }),
		"s2": with(func(o *seglog.Options) {
			o.Compression, o.CompressMin = seglog.CompressS2, 10
		}),
		"zstd": with(func(o *seglog.Options) {
			o.Compression, o.CompressMin = seglog.CompressZstd, 10
		}),
		"lz4": with(func(o *seglog.Options) {
			o.Compression, o.CompressMin = seglog.CompressLZ4, 10
		}),
	}
	for name, options := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nervetest.Run(t, func(t *testing.T) nervetest.Backend {
				o := options
				if name != "default" {
					o.FS = new(vfs.Mem)
				}
				return backend{dir: t.TempDir(), options: o}
			})
		})
	}
	t.Run("slow disk", func(t *testing.T) {
		t.Parallel()
		nervetest.Run(t, func(t *testing.T) nervetest.Backend {
			o := small
			o.FS = vfs.WithFaults(new(vfs.Mem), slowDisk{})
			return backend{dir: t.TempDir(), options: o}
		})
	})
	t.Run("disk", func(t *testing.T) {
		nervetest.Run(t, func(t *testing.T) nervetest.Backend {
			return backend{dir: t.TempDir(), options: small}
		})
	})
}
