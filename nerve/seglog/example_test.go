package seglog_test

import (
	"context"
	"fmt"
	"os"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// A log that keeps at most a gibibyte or a week, compressed, and that another process may read
// along.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	events, err := seglog.Open(dir, seglog.Options{
		Compression: seglog.CompressS2,
		RetainBytes: 1 << 30,
	})
	if err != nil {
		panic(err) // another process writes here, or the log is damaged: the error says which
	}
	queue := nerve.New(events, nerve.Options{})
	defer queue.Close()
	if _, err := queue.Append(context.Background(), []byte("hello")); err != nil {
		panic(err)
	}

	reader, err := seglog.Open(dir, seglog.Options{ReadOnly: true})
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	fmt.Println(reader.Bounds()) // the ids of the first and the last record
	// Output: 1 1
}

// Verify reads every record of a log and names what is damaged; Repair mends it.
func ExampleVerify() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	events, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		panic(err)
	}
	queue := nerve.New(events, nerve.Options{})
	for _, text := range []string{"one", "two"} {
		if _, err := queue.Append(context.Background(), []byte(text)); err != nil {
			panic(err)
		}
	}
	if err := queue.Close(); err != nil {
		panic(err)
	}

	report, err := seglog.Verify(dir, seglog.VerifyOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Records, "records,", len(report.Damage), "damaged ranges")
	// Output: 2 records, 0 damaged ranges
}
