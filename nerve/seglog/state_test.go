package seglog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// TestConsumersAreLimited fills the state, and uses a place again that was freed.
func TestConsumersAreLimited(t *testing.T) {
	ctx := context.Background()
	o := seglog.Options{FS: new(vfs.Mem), NoSpare: true}
	l := open(t, "log", o)
	mustAppend(t, l, 1, 1)
	var all []nerve.Pointer
	for i := range seglog.MaxConsumers {
		all = append(all, nerve.Pointer{Name: fmt.Sprintf("c%d", i), ID: 1})
	}
	if err := l.SavePointers(ctx, all); err != nil {
		t.Fatal(err)
	}
	more := []nerve.Pointer{{Name: "more", ID: 1}}
	err := l.SavePointers(ctx, more)
	var large *nerve.TooLargeError
	if !errors.As(err, &large) || large.Limit != seglog.MaxConsumers ||
		strings.Contains(err.Error(), "bytes") || !strings.Contains(err.Error(), "remove one") {
		t.Fatalf("one consumer too many: %v", err)
	}
	if err := l.RemovePointer(ctx, "c7"); err != nil {
		t.Fatal(err)
	}
	if err := l.SavePointers(ctx, more); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, "log", o)
	defer l.Close()
	if list, err := l.Pointers(context.Background()); err != nil ||
		len(list) != seglog.MaxConsumers {
		t.Fatalf("%d consumers, %v", len(list), err)
	}
}
