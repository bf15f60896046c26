package nerve_test

import (
	"context"
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// textReader reads a record that begins with a letter, and keeps its bytes, as generated Readers
// do.
type textReader struct{ data []byte }

func (r *textReader) Unmarshal(data []byte) error {
	if data[0] < 'a' {
		return errors.New("no letter")
	}
	r.data = data
	return nil
}

// TestItemsThatAreKept keeps items of a loop, by Keep and by Owned: they do not become the last
// one.
func TestItemsThatAreKept(t *testing.T) {
	texts := []string{"auth", "billing", "0", "checkout", "delivery"}
	for name, loop := range map[string]func(context.Context, *nerve.Consumer,
		func(nerve.Item[textReader], error) bool){
		"Keep": func(ctx context.Context, c *nerve.Consumer,
			take func(nerve.Item[textReader], error) bool) {
			for item, err := range nerve.Typed[textReader](ctx, c) {
				if !take(item.Keep(), err) {
					return
				}
			}
		},
		"Owned": func(ctx context.Context, c *nerve.Consumer,
			take func(nerve.Item[textReader], error) bool) {
			nerve.Owned[textReader](ctx, c)(take)
		},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := seglog.Open(t.TempDir(), seglog.Options{NoSpare: true})
			if err != nil {
				t.Fatal(err)
			}
			q := nerve.New(log, nerve.Options{})
			defer q.Close()
			for _, text := range texts {
				if _, err := q.Append(t.Context(), []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			c, err := q.Consumer("keeper", nerve.ConsumerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			kept := map[string]nerve.Item[textReader]{}
			loop(t.Context(), c, func(item nerve.Item[textReader], err error) bool {
				var bad *nerve.DecodeError
				if errors.As(err, &bad) {
					if bad.ID != 3 || string(item.Data) != "0" {
						t.Errorf("%v with %q", bad, item.Data)
					}
					return true
				}
				if err != nil {
					t.Error(err)
					return false
				}
				kept[string(item.Value.data)] = item
				return item.ID != 5
			})
			for text, item := range kept {
				if string(item.Value.data) != text || string(item.Data) != text {
					t.Errorf("%s became %s, %s", text, item.Value.data, item.Data)
				}
			}
			if len(kept) != 4 {
				t.Errorf("%d items are kept, want 4", len(kept))
			}
		})
	}
}
