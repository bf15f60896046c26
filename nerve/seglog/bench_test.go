package seglog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// BenchmarkRead reads a log that is larger than the caches of most processors
// through the public consumer. "touch" looks at each cache line of a record, as
// a consumer that copies or parses it does; "records" takes them one by one.
func BenchmarkRead(b *testing.B) {
	const total = 260_000
	sum := byte(0)
	length := func(data []byte) { sum += byte(len(data)) }
	touch := func(data []byte) {
		for i := 0; i < len(data); i += 64 {
			sum += data[i]
		}
	}
	for _, pack := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("pack=%d", pack), func(b *testing.B) {
			dir := b.TempDir()
			writePacks(b, dir, total, pack)
			for _, use := range []struct {
				name string
				read func(testing.TB, *nerve.Consumer, nerve.ID, func([]byte))
				each func([]byte)
			}{
				{"length", readBatches, length}, {"touch", readBatches, touch},
				{"records", readRecords, length}} {
				b.Run(use.name, func(b *testing.B) {
					q := nerve.New(open(b, dir, seglog.Options{}), nerve.Options{})
					defer q.Close()
					c, err := q.Consumer("c", nerve.ConsumerOptions{})
					if err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if err := c.Seek(nerve.StartOldest()); err != nil {
							b.Fatal(err)
						}
						use.read(b, c, total, use.each)
					}
					b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrec/s")
				})
			}
		})
	}
}

func writePacks(b *testing.B, dir string, total, pack int) {
	b.Helper()
	l := open(b, dir, seglog.Options{Durability: seglog.SyncNever, NoSpare: true})
	defer l.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 450)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	var batch nerve.Batch
	for range total / pack {
		batch.Reset()
		for range pack {
			batch.Append(data[:200+rng.IntN(250)])
		}
		if _, err := l.Append(context.Background(), &batch); err != nil {
			b.Fatal(err)
		}
	}
}

func readBatches(b testing.TB, c *nerve.Consumer, last nerve.ID, each func([]byte)) {
	var batch nerve.Batch
	for done := nerve.ID(0); done < last; done = batch.Last() {
		if err := c.Next(context.Background(), &batch); err != nil {
			b.Fatal(err)
		}
		for rec := range batch.All() {
			each(rec.Data)
		}
		if err := c.AckThrough(batch.Last()); err != nil {
			b.Fatal(err)
		}
	}
}

func readRecords(b testing.TB, c *nerve.Consumer, last nerve.ID, each func([]byte)) {
	for rec, err := range c.Records(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		each(rec.Data)
		if err := c.Ack(rec.ID); err != nil {
			b.Fatal(err)
		}
		if rec.ID == last {
			return
		}
	}
}
