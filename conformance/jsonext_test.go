package conformance

import (
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/gen/known"
	gremlinjson "github.com/octopus-framework/octopus/gremlin/json"
)

// TestJSONExtensionBehindLongMessages reads an extension while lengths of messages of more than 4
// KiB are still to be put in.
func TestJSONExtensionBehindLongMessages(t *testing.T) {
	o := gremlinjson.Options{Types: knownTypes}
	long := strings.Repeat("a", 40000)
	for _, value := range []string{
		`{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_int]":7}`,
		`{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_message]":{"next":{"next":{"name":"` + long + `"}}},"[octopus.test.p2.ext_string]":"s"}`,
	} {
		text := []byte(
			`{"anys":[{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_string]":"` +
				long + `"},` + value + `]}`)
		var m, back known.Known
		if err := gremlinjson.Unmarshal(text, &m, o); err != nil {
			t.Fatal(err)
		}
		b, err := known.Known_JSONToWire(nil, text, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := back.Unmarshal(b); err != nil || !back.Equal(&m) {
			t.Errorf("%.60s: Known_JSONToWire made another message: %v", value, err)
		}
	}
}

// TestJSONExtensionsAllocateOnce writes many messages with extensions: what is known of them is
// looked up once.
func TestJSONExtensionsAllocateOnce(t *testing.T) {
	o := gremlinjson.Options{Types: knownTypes}
	allocations := func(times int) float64 {
		one := `{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_int]":7}`
		var m known.Known
		if err := gremlinjson.Unmarshal([]byte(`{"anys":[`+one+strings.Repeat(","+one, times-1)+
			`]}`), &m, o); err != nil {
			t.Fatal(err)
		}
		var r known.KnownReader
		if err := r.Unmarshal(m.Marshal()); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 0, 100*times)
		return testing.AllocsPerRun(20, func() { buf, _ = r.AppendJSON(buf[:0], o) })
	}
	if few, many := allocations(2), allocations(500); many > few+100 {
		t.Errorf("%v allocations for 2 messages, %v for 500", few, many)
	}
}
