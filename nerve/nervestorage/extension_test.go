package nervestorage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
)

var exporter = component.MustNewID("otlp")

func start(t *testing.T, change func(*Config)) (storage.Extension, *sdk.ManualReader) {
	t.Helper()
	f := NewFactory()
	c := f.CreateDefaultConfig().(*Config)
	c.Directory, c.CreateDirectory = filepath.Join(t.TempDir(), "queue"), true
	if change != nil {
		change(c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	reader := sdk.NewManualReader()
	ext, err := f.Create(context.Background(), extension.Settings{ID: component.NewID(f.Type()),
		TelemetrySettings: component.TelemetrySettings{Logger: zap.NewNop(),
			MeterProvider: sdk.NewMeterProvider(sdk.WithReader(reader))}}, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := ext.Start(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ext.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return ext.(storage.Extension), reader
}

func clientOf(t *testing.T, ext storage.Extension, id component.ID, name string) storage.Client {
	t.Helper()
	c, err := ext.GetClient(context.Background(), component.KindExporter, id, name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClientsOfOneNameShare(t *testing.T) {
	ext, _ := start(t, nil)
	ctx := context.Background()
	one, two := clientOf(t, ext, exporter, "traces"), clientOf(t, ext, exporter, "traces")
	other := clientOf(t, ext, exporter, "logs")
	if err := one.Set(ctx, "7", []byte("item")); err != nil {
		t.Fatal(err)
	}
	if err := one.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Get(ctx, "7"); err == nil {
		t.Error("a closed client answers")
	}
	if v, err := two.Get(ctx, "7"); err != nil || string(v) != "item" {
		t.Errorf("the second client finds %q, %v", v, err)
	}
	if v, err := other.Get(ctx, "7"); err != nil || v != nil {
		t.Errorf("the client of another name finds %q, %v", v, err)
	}
	if err := two.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if v, err := clientOf(t, ext, exporter, "traces").Get(ctx, "7"); err != nil ||
		string(v) != "item" {
		t.Errorf("opened again it has %q, %v", v, err)
	}
}

func TestOperations(t *testing.T) {
	ext, _ := start(t, nil)
	ctx := context.Background()
	c := clientOf(t, ext, exporter, "")
	get := storage.GetOperation("a")
	gone := storage.GetOperation("a")
	if err := c.Batch(ctx, storage.SetOperation("a", []byte{1}), get, storage.DeleteOperation("a"),
		gone, storage.SetOperation("b", nil), storage.SetOperation("12", []byte("x"))); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(get.Value, []byte{1}) || gone.Value != nil {
		t.Errorf("in a batch: %v, then %v", get.Value, gone.Value)
	}
	if err := c.Batch(ctx, &storage.Operation{Key: "a", Type: 9}); err == nil {
		t.Error("an operation of no kind is taken")
	}
	seen := map[string]string{}
	walk := func(end error) error {
		return c.(storage.Walker).Walk(ctx, func(k string, v []byte) ([]*storage.Operation, error) {
			seen[k] = string(v)
			return []*storage.Operation{storage.DeleteOperation(k)}, end
		})
	}
	stop := errors.New("stop")
	if err := walk(stop); !errors.Is(err, stop) || len(seen) != 1 {
		t.Errorf("a walk that fails: %v after %v", err, seen)
	}
	if err := walk(nil); err != nil || len(seen) != 2 || seen["12"] != "x" {
		t.Errorf("a walk: %v, found %v", err, seen)
	}
	clear(seen)
	if err := walk(storage.SkipAll); err != nil || len(seen) != 0 {
		t.Errorf("after a walk that deletes all: %v, found %v", err, seen)
	}
}

func TestFullIsErrStorageFull(t *testing.T) {
	ext, reader := start(t, func(c *Config) { c.MaxBytes, c.Fsync = 1<<20, "never" })
	c := clientOf(t, ext, exporter, "traces")
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		err = c.Set(context.Background(), "1"+strings.Repeat("0", i%9)+"1", make([]byte, 100_000))
	}
	if !errors.Is(err, storage.ErrStorageFull) {
		t.Fatalf("full: %v", err)
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &got); err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for _, m := range got.ScopeMetrics[0].Metrics {
		switch d := m.Data.(type) {
		case metricdata.Gauge[int64]:
			found[m.Name] = d.DataPoints[0].Value
		case metricdata.Sum[int64]:
			found[m.Name] = d.DataPoints[0].Value
		}
	}
	if len(found) != len(instruments()) || found["nerve_storage.items"] == 0 ||
		found["nerve_storage.disk.bytes"] < 500_000 || found["nerve_storage.refused"] != 1 {
		t.Errorf("metrics: %v", found)
	}
}

func TestFolderNames(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"", "a", "a/b", "a~b", "a~002Fb", "..", "ü",
		strings.Repeat("x", 300), strings.Repeat("x", 301)} {
		folder := folderName(component.KindExporter, component.MustNewIDWithName("otlp", "n"), name)
		if before, ok := seen[folder]; ok {
			t.Errorf("%q and %q share folder %s", before, name, folder)
		}
		seen[folder] = name
		if len(folder) > 255 || strings.ContainsAny(folder, `/\:`) {
			t.Errorf("%q gets folder %q", name, folder)
		}
	}
}

func TestValidate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		"create_directory":  func(c *Config) { c.Directory = file + "x" },
		"is a file":         func(c *Config) { c.Directory = file },
		"is empty":          func(c *Config) { c.Directory = "" },
		"fsync":             func(c *Config) { c.Fsync = "often" },
		"sync_interval":     func(c *Config) { c.SyncInterval = 0 },
		"ack_interval":      func(c *Config) { c.AckInterval = -1 },
		"max_bytes":         func(c *Config) { c.MaxBytes = 100 },
		"block_on_overflow": func(c *Config) { c.WhenFull = "block" },
		"when_full":         func(c *Config) { c.WhenFull = "explode" },
		"set max_bytes":     func(c *Config) { c.WhenFull = "drop_oldest" },
		"compression":       func(c *Config) { c.Compression = "rar" },
		"on_damage":         func(c *Config) { c.OnDamage = "cry" },
		"retain_age":        func(c *Config) { c.RetainAge = -1 },
		"max_map_bytes":     func(c *Config) { c.MaxMapBytes = 0 },
	} {
		c := defaultConfig()
		c.Directory = t.TempDir()
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		change(c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestManyIdleQueues opens as many queues as a gateway has: an idle one must cost little.
func TestManyIdleQueues(t *testing.T) {
	ext, _ := start(t, func(c *Config) { c.Fsync = "never" })
	for i := range 300 {
		id := component.MustNewIDWithName("otlp", "n"+strconv.Itoa(i))
		c := clientOf(t, ext, id, "traces")
		if err := c.Set(context.Background(), "0", []byte("item")); err != nil {
			t.Fatalf("queue %d: %v", i, err)
		}
	}
}

// TestIdleQueues bounds the memory and the goroutines of queues that wait. Nobody reads: what a
// reader has is given back after some seconds.
func TestIdleQueues(t *testing.T) {
	const queues = 300
	ext, _ := start(t, func(c *Config) { c.Fsync = fsyncNever })
	measure := func() (heap uint64, goroutines int) {
		runtime.GC()
		runtime.GC() // what finalizers held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse, runtime.NumGoroutine()
	}
	heap, goroutines := measure()
	ctx := context.Background()
	for i := range queues {
		c := clientOf(t, ext, component.MustNewIDWithName("otlp", strconv.Itoa(i)), "logs")
		for n := range 3 {
			if err := c.Set(ctx, strconv.Itoa(n), make([]byte, 500)); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 3 {
			if err := c.Delete(ctx, strconv.Itoa(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	heap2, goroutines2 := measure()
	each, more := (int64(heap2)-int64(heap))/queues, goroutines2-goroutines
	t.Logf("a queue that waits holds %d KiB; %d of them run %d goroutines", each>>10, queues, more)
	if each > 32<<10 || more > queues {
		t.Errorf("want at most 32 KiB, and a goroutine each")
	}
}
