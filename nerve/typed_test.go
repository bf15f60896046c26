package nerve_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// number stands for a generated message, numberReader for its reader.
type number int

func (n number) MarshalAppend(dst []byte) []byte { return fmt.Appendf(dst, "%d", int(n)) }

type numberReader struct{ value int }

func (r *numberReader) Unmarshal(data []byte) error {
	_, err := fmt.Sscan(string(data), &r.value)
	return err
}

func TestTyped(t *testing.T) {
	ctx := context.Background()
	q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
	defer q.Close()
	for i := range 5 {
		if _, err := nerve.AppendMessage(ctx, q, number(i*i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Append(ctx, []byte("no number")); err != nil {
		t.Fatal(err)
	}
	if _, err := nerve.AppendMessage(ctx, q, number(49)); err != nil {
		t.Fatal(err)
	}
	c, err := q.Consumer("c", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for item, err := range nerve.Typed[numberReader](ctx, c) {
		var bad *nerve.DecodeError
		if errors.As(err, &bad) {
			if bad.ID != 6 || string(item.Data) != "no number" {
				t.Fatalf("%v, data %q", bad, item.Data)
			}
			got = append(got, -1)
		} else if err != nil {
			t.Fatal(err)
		} else {
			got = append(got, item.Value.value)
		}
		if err := c.Ack(item.ID); err != nil {
			t.Fatal(err)
		}
		if item.ID == 7 {
			break
		}
	}
	if fmt.Sprint(got) != "[0 1 4 9 16 -1 49]" || c.Pointer() != 7 {
		t.Fatalf("got %v, pointer %d", got, c.Pointer())
	}
}
