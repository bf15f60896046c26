package nerve_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// badDeep is an Api whose name is well, and whose second method's name is no UTF-8.
func badDeep() []byte {
	return (&wkt.Api{Name: "shop", Methods: []wkt.Method{{Name: "Get"}, {Name: "\xff"}}}).Marshal()
}

// TestCheckOnTheWayIn: each way of appending refuses a record that is malformed deep inside, says
// where, and stores nothing of the append.
func TestCheckOnTheWayIn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q := nerve.New(memlog.New(memlog.Options{}),
		nerve.Options{Check: nerve.EncodingCheck[wkt.ApiReader]()})
	defer q.Close()
	good := (&wkt.Api{Name: "shop"}).Marshal()
	batch := new(nerve.Batch)
	batch.Append(good)
	batch.Append(badDeep())
	for name, c := range map[string]struct {
		index  int
		append func() error
	}{
		"Append": {0, func() error { _, err := q.Append(ctx, badDeep()); return err }},
		"Append at once": {0, func() error {
			_, err := q.Append(context.Background(), badDeep())
			return err
		}},
		"AppendAsync": {0, func() error { _, err := q.AppendAsync(ctx, badDeep()); return err }},
		"AppendBatch": {1, func() error { _, err := q.AppendBatch(ctx, batch); return err }},
		"AppendBatchAsync": {1, func() error {
			_, err := q.AppendBatchAsync(ctx, batch)
			return err
		}},
		"AppendMessage": {0, func() error {
			m := wkt.Api{Methods: []wkt.Method{{}, {Name: "\xff"}}}
			_, err := nerve.AppendMessage(ctx, q, &m)
			return err
		}},
	} {
		err := c.append()
		var refused *nerve.CheckError
		if !errors.As(err, &refused) || refused.Index != c.index {
			t.Errorf("%s: %v", name, err)
		} else if text := err.Error(); !strings.Contains(text, "methods[1].name") ||
			!strings.Contains(text, "offset") {
			t.Errorf("%s: the error does not say where: %s", name, text)
		}
	}
	if _, last := q.Bounds(); last != 0 {
		t.Errorf("%d records are stored", last)
	}
	if id, err := q.Append(ctx, good); id != 1 || err != nil {
		t.Errorf("a good record: %d, %v", id, err)
	}
}

// TestCheckRequired: required fields are looked for, too.
func TestCheckRequired(t *testing.T) {
	check := nerve.EncodingCheck[descriptor.UninterpretedOptionReader]()
	err := check((&descriptor.UninterpretedOption{
		Name: make([]descriptor.UninterpretedOption_NamePart, 1)}).Marshal())
	if err == nil || !strings.Contains(err.Error(), "name[0]") {
		t.Errorf("a part without its required fields: %v", err)
	}
}

// TestCheckOnTheWayOut: what is in the queue already comes with an error and its record, is
// counted, and does not end the loop.
func TestCheckOnTheWayOut(t *testing.T) {
	ctx := context.Background()
	q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
	defer q.Close()
	good := (&wkt.Api{Name: "shop"}).Marshal()
	for _, record := range [][]byte{good, badDeep(), good} {
		if _, err := q.Append(ctx, record); err != nil {
			t.Fatal(err)
		}
	}
	open := func(name string) *nerve.Consumer {
		c, err := q.Consumer(name, nerve.ConsumerOptions{
			Check: nerve.EncodingCheck[wkt.ApiReader]()})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	see := func(id nerve.ID, data []byte, err error) {
		t.Helper()
		var bad *nerve.DecodeError
		if errors.As(err, &bad) != (id == 2) || id == 2 && (bad.ID != 2 ||
			string(data) != string(badDeep()) ||
			!strings.Contains(err.Error(), "methods[1].name")) {
			t.Errorf("record %d: %v", id, err)
		}
	}
	count := 0
	c := open("records")
	for rec, err := range c.Records(ctx) {
		see(rec.ID, rec.Data, err)
		if count++; count == 3 {
			break
		}
	}
	count = 0
	for item, err := range nerve.Typed[wkt.ApiReader](ctx, open("typed")) {
		see(item.ID, item.Data, err)
		want := "shop"
		if err != nil {
			want = ""
		}
		if name := item.Value.GetName(); name != want {
			t.Errorf("record %d has the name %q", item.ID, name)
		}
		if count++; count == 3 {
			break
		}
	}
	stats, err := q.Stats()
	if err != nil || len(stats.Consumers) != 2 {
		t.Fatalf("%d consumers, %v", len(stats.Consumers), err)
	}
	for _, s := range stats.Consumers {
		if s.Undecodable != 1 {
			t.Errorf("%s: %d undecodable", s.Name, s.Undecodable)
		}
	}
}
