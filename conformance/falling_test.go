package conformance

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// TestFallingOrder gives fields in the order of falling numbers, which Readers index by a loop of
// its own: whole, changed, and cut.
func TestFallingOrder(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values {
			b := falling(t, small(rng, typ))
			inputs := [][]byte{b, falling(t, random(rng, typ))}
			for range mutations {
				inputs = append(inputs, check.Mutate(rng, b, typ.Desc))
			}
			for n := 0; n < len(b); n += 1 + rng.IntN(8) {
				inputs = append(inputs, b[:n])
			}
			for _, c := range inputs {
				if err := check.Input(typ, c); err != nil {
					t.Fatalf("%v\ninput %x", err, c[:min(len(c), 2000)])
				}
			}
		}
	})
}

// falling sorts the fields of an encoding by falling numbers.
func falling(t *testing.T, b []byte) []byte {
	var fields [][]byte
	for len(b) != 0 {
		_, _, n := protowire.ConsumeField(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		fields = append(fields, b[:n])
		b = b[n:]
	}
	slices.SortStableFunc(fields, func(x, y []byte) int {
		a, _, _ := protowire.ConsumeTag(x)
		b, _, _ := protowire.ConsumeTag(y)
		return int(b) - int(a)
	})
	return slices.Concat(fields...)
}
