package check

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"github.com/octopus-framework/octopus/gremlin"
)

// modes are those of UnmarshalWith.
var modes = []struct {
	name string
	how  gremlin.How
}{
	{"Borrow", gremlin.Borrow}, {"Reuse", gremlin.Reuse},
	{"Borrow|Reuse", gremlin.Borrow | gremlin.Reuse},
}

// used are the targets of modes that other inputs, good and bad, were decoded into before.
var used struct {
	mu      sync.Mutex
	targets map[target]Built
}

type target struct {
	message reflect.Type
	how     gremlin.How
}

// take returns a used target, or a new one where there is none; putBack gives it to the next.
func take(t Type, how gremlin.How) (m Built, putBack func()) {
	key := target{t.Reader, how}
	used.mu.Lock()
	defer used.mu.Unlock()
	m = used.targets[key]
	delete(used.targets, key)
	if m == nil {
		m = t.NewMessage()
	}
	return m, func() {
		used.mu.Lock()
		defer used.mu.Unlock()
		if used.targets == nil {
			used.targets = map[target]Built{}
		}
		used.targets[key] = m
	}
}

// Modes compares UnmarshalWith in all modes with Unmarshal: verdict, text of the error, contents,
// and who owns what a Clone holds.
func Modes(t Type, b []byte) error {
	want := t.NewMessage()
	wantErr := want.Unmarshal(b)
	var encoding []byte
	if wantErr == nil {
		encoding = gremlin.MarshalStable(nil, want)
	}
	for _, mode := range modes {
		m, putBack := take(t, mode.how)
		input := bytes.Clone(b)
		err := gremlin.UnmarshalWith(input, m, mode.how)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			return fmt.Errorf("%s: %v, Unmarshal: %v", mode.name, err, wantErr)
		}
		if err == nil {
			if !same(m, want) || !bytes.Equal(gremlin.MarshalStable(nil, m), encoding) {
				return fmt.Errorf("%s: %v, Unmarshal: %v", mode.name, m, want)
			}
			clone := call(reflect.ValueOf(m), "Clone").Interface().(Built)
			clear(input)
			if !same(clone, want) {
				return fmt.Errorf("%s: a Clone is %v without the input, want %v", mode.name, clone,
					want)
			}
		}
		putBack()
	}
	return nil
}
