package nerve_test

import (
	"context"
	"fmt"
	"os"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	log, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		panic(err)
	}
	queue := nerve.New(log, nerve.Options{})
	defer queue.Close()

	for _, text := range []string{"one", "two", "three"} {
		if _, err := queue.Append(ctx, []byte(text)); err != nil {
			panic(err)
		}
	}
	consumer, err := queue.Consumer("printer", nerve.ConsumerOptions{})
	if err != nil {
		panic(err)
	}
	for rec, err := range consumer.Records(ctx) {
		if err != nil {
			panic(err)
		}
		fmt.Println(rec.ID, string(rec.Data))
		if err := consumer.Ack(rec.ID); err != nil {
			panic(err)
		}
		if rec.ID == 3 {
			break
		}
	}
	// Output:
	// 1 one
	// 2 two
	// 3 three
}
