package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/octopus-framework/octopus/nerve/nervestorage"
)

// job is one measurement.
type job struct {
	Kind    string // "steady", "fill" or "drain"
	Storage string // "nerve", "file" or "memory"
	Dir     string
	Sync    bool
	Size    int // bytes of a request
	Count   int // requests
}

// result is what a measurement found.
type result struct {
	Seconds   float64
	Live      int64   // bytes of the requests, as the queue stores them
	First     float64 // seconds until the first request came, of a drain
	Disk      int64   // bytes of the files, with blocks that are not written left out
	Anonymous int64   // the most memory that no file is behind
	Mapped    int64   // the most memory that files are behind
}

// work does a measurement and prints what it found.
func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	peak := watchMemory()
	r, err := j.run()
	if err != nil {
		return err
	}
	r.Anonymous, r.Mapped = peak()
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return err
	}
	// As a kill: after a fill everything waits, and nobody is to give it up.
	os.Exit(0)
	return nil
}

// run sends requests to a sending queue, or waits for those that are in it.
func (j job) run() (r result, err error) {
	ctx := context.Background()
	var came atomic.Int64
	first, done := make(chan struct{}), make(chan struct{})
	push := func(context.Context, plog.Logs) error {
		if j.Kind == "fill" {
			select {} // the back end does not answer
		}
		n := came.Add(1)
		if n == 1 {
			close(first)
		}
		if n == int64(j.Count) {
			close(done)
		}
		return nil
	}
	began := time.Now()
	queue, ext, err := j.start(ctx, push)
	if err != nil {
		return r, err
	}
	if j.Kind == "drain" {
		<-first
		r.First = time.Since(began).Seconds()
	} else {
		requests := payloads(j.Size)
		for i := range j.Count {
			r.Live += int64((&plog.ProtoMarshaler{}).LogsSize(requests[i%len(requests)]))
		}
		began = time.Now()
		for i := range j.Count {
			if err := queue.ConsumeLogs(ctx, requests[i%len(requests)]); err != nil {
				return r, err
			}
		}
	}
	if j.Kind != "fill" {
		<-done
	}
	r.Seconds = time.Since(began).Seconds()
	if j.Kind == "drain" {
		if err := queue.Shutdown(ctx); err != nil {
			return r, err
		}
		if err := ext.Shutdown(ctx); err != nil {
			return r, err
		}
	}
	r.Disk, err = diskBytes(j.Dir)
	return r, err
}

// start starts a sending queue over a storage, as a collector does.
func (j job) start(ctx context.Context, push func(context.Context, plog.Logs) error) (
	exporter.Logs, extension.Extension, error) {
	telemetry := componenttest.NewNopTelemetrySettings()
	id := component.MustNewID("lab_storage")
	config := exporterhelper.NewDefaultQueueConfig()
	config.NumConsumers, config.QueueSize = 1, int64(j.Count)+1
	config.BlockOnOverflow = true
	config.Batch = configoptional.None[exporterhelper.BatchConfig]()
	host := hostOf{}
	var ext extension.Extension
	if j.Storage != "memory" {
		config.StorageID = &id
		factory, c := nervestorage.NewFactory(), component.Config(nil)
		switch j.Storage {
		case "nerve":
			own := factory.CreateDefaultConfig().(*nervestorage.Config)
			own.Directory, own.Fsync = j.Dir, "never"
			if j.Sync {
				own.Fsync = "always"
			}
			c = own
		case "file":
			factory = filestorage.NewFactory()
			own := factory.CreateDefaultConfig().(*filestorage.Config)
			own.Directory, own.FSync = j.Dir, j.Sync
			c = own
		default:
			return nil, nil, fmt.Errorf("there is no storage %q", j.Storage)
		}
		var err error
		ext, err = factory.Create(ctx, extension.Settings{ID: component.NewID(factory.Type()),
			TelemetrySettings: telemetry}, c)
		if err != nil {
			return nil, nil, err
		}
		if err := ext.Start(ctx, host); err != nil {
			return nil, nil, err
		}
		host[id] = ext
	}
	queue, err := exporterhelper.NewLogs(ctx, exporter.Settings{ID: component.MustNewID("lab"),
		TelemetrySettings: telemetry}, struct{}{}, push,
		exporterhelper.WithQueue(configoptional.Some(config)),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{}))
	if err != nil {
		return nil, nil, err
	}
	return queue, ext, queue.Start(ctx, host)
}

type hostOf map[component.ID]component.Component

func (h hostOf) GetExtensions() map[component.ID]component.Component { return h }

// payloads returns requests of about a size, with text that does not compress.
func payloads(size int) []plog.Logs {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]plog.Logs, 8)
	for i := range all {
		all[i] = plog.NewLogs()
		records := all[i].ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		for left := size; left > 0; left -= 500 {
			body := make([]byte, min(left, 500))
			for k := range body {
				body[k] = byte(' ' + r.IntN(90))
			}
			records.AppendEmpty().Body().SetStr(string(body))
		}
	}
	return all
}

// watchMemory samples what the process has and returns a function that says the most of it.
func watchMemory() (peak func() (anonymous, mapped int64)) {
	var anonymous, mapped atomic.Int64
	look := func() {
		a, m := memory()
		anonymous.Store(max(anonymous.Load(), a))
		mapped.Store(max(mapped.Load(), m))
	}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			look()
		}
	}()
	return func() (int64, int64) {
		look()
		return anonymous.Load(), mapped.Load()
	}
}

// memory returns what /proc says of this process, 0 where there is none.
func memory() (anonymous, mapped int64) {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		var name string
		var kilobytes int64
		if n, _ := fmt.Sscan(line, &name, &kilobytes); n != 2 {
			continue
		}
		switch name {
		case "RssAnon:":
			anonymous = kilobytes << 10
		case "RssFile:":
			mapped = kilobytes << 10
		}
	}
	return anonymous, mapped
}

// diskBytes returns how much of the disk the files of a folder take.
func diskBytes(dir string) (n int64, err error) {
	if dir == "" {
		return 0, nil
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += allocated(info)
		}
		return err
	})
	return n, err
}
