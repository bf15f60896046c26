package conformance

import (
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/gen/known"
	gremlinjson "github.com/octopus-framework/octopus/gremlin/json"
)

// TestJSONExtensionBehindLongMessages reads an extension while lengths of messages of more than 4 KiB are still to be put in.
func TestJSONExtensionBehindLongMessages(t *testing.T) {
	o := gremlinjson.Options{Types: knownTypes}
	long := strings.Repeat("a", 40000)
	for _, value := range []string{
		`{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_int]":7}`,
		`{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_message]":{"next":{"next":{"name":"` + long + `"}}},"[octopus.test.p2.ext_string]":"s"}`,
	} {
		text := []byte(`{"anys":[{"@type":"x/octopus.test.p2.Extendable","[octopus.test.p2.ext_string]":"` + long + `"},` + value + `]}`)
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
