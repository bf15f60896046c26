//go:build linux

package sqllog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// event is about as large, and as easy to compress, as those of the lab.
func event(i int) string {
	return fmt.Sprintf(
		`{"event":"dep-%012d-%016x","time":%d,"type":"CARD","amount":%d,"currency":"EUR",`+
			`"agent":"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",`+
			`"user":{"id":%d,"geo":"DE"},"items":[{"sku":"sku-%05d","n":%d},{"sku":"sku-%05d","n":%d}],"s":"%016x"}`,
		i, rand.Uint64(), 1_790_000_000+i, rand.IntN(500_00), rand.IntN(10_000),
		rand.IntN(1e5), rand.IntN(5), rand.IntN(1e5), rand.IntN(5), rand.Uint64())
}

// BenchmarkLog appends durable packs of 1000 and reads them.
func BenchmarkLog(b *testing.B) {
	var pack nerve.Batch
	for i := range 1000 {
		pack.Append([]byte(event(i)))
	}
	ctx := context.Background()
	for _, kind := range sqlservers.Kinds() {
		if err := kind.Missing(); err != nil {
			b.Skip(err)
		}
		server, err := sqlservers.Start(kind)
		if err != nil {
			b.Fatal(err)
		}
		log, err := sqllog.Open(ctx, server.URL(), sqllog.Options{Queue: "bench"})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(kind.Name+"/append", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := log.Append(ctx, &pack); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*pack.Len())/b.Elapsed().Seconds(), "msg/s")
		})
		b.Run(kind.Name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			var cur nerve.Cursor
			read := 0
			var batch nerve.Batch
			_, last := log.Bounds()
			for b.Loop() {
				if cur == nil || batch.Last() == last {
					if cur, err = log.Read(ctx, 1); err != nil {
						b.Fatal(err)
					}
				}
				if err := cur.Next(ctx, &batch); err != nil {
					b.Fatal(err)
				}
				read += batch.Len()
			}
			b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "msg/s")
		})
		if err := log.Close(); err != nil {
			b.Fatal(err)
		}
		if err := server.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}
