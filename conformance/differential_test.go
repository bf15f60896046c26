package conformance

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

var times = flag.Int("times", 1, "how many times more random values than usual to try")

// rounds is how many random values of each type are tried, and how many mutations of each.
func rounds() (values, mutations int) {
	if testing.Short() {
		return 15 * *times, 4
	}
	return 60 * *times, 8
}

// forTypes runs a subtest for each type.
func forTypes(t *testing.T, f func(t *testing.T, typ check.Type)) {
	for _, typ := range types {
		t.Run(strings.TrimPrefix(string(typ.Desc.FullName()), "octopus.test."), func(t *testing.T) {
			f(t, typ)
		})
	}
}

// seed makes the random values of a type differ from those of others and be the same in every run.
func seed(md protoreflect.MessageDescriptor) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, c := range []byte(md.FullName()) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(h, 1))
}

// share is how many of the fields a random value has: sometimes few, sometimes all.
func share(rng *rand.Rand) float64 { return []float64{0.05, 0.2, 0.5, 1}[rng.IntN(4)] }

// random returns the encoding of a random value.
func random(rng *rand.Rand, typ check.Type) []byte {
	m := typ.New()
	check.Fill(rng, m.ProtoReflect(), share(rng), rng.IntN(4))
	return check.Encode(rng, m)
}

func TestValues(t *testing.T) {
	values, _ := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values {
			b := random(rng, typ)
			if err := check.Input(typ, b); err != nil {
				t.Fatalf("%v\ninput %x", err, b[:min(len(b), 2000)])
			}
		}
	})
}

func TestMutations(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values {
			b := random(rng, typ)
			if len(b) > 20000 {
				continue
			}
			for range mutations {
				c := check.Mutate(rng, b, typ.Desc)
				if err := check.Input(typ, c); err != nil {
					t.Fatalf("%v\ninput %x", err, c[:min(len(c), 4000)])
				}
			}
		}
	})
}

// TestChanges changes small values in every place in every way, also applies a second change to
// each result, and tries one in `every` of what comes of it.
func TestChanges(t *testing.T) {
	values, every := 2**times, 4
	if testing.Short() {
		values, every = 2**times, 20
	}
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for i := range values {
			b := small(rng, typ)
			if i%2 == 1 {
				b = check.Change(rng, b, typ.Desc)
			}
			n := rng.IntN(every)
			check.Changes(b, typ.Desc, func(c []byte) {
				if n++; n%every != 0 {
					return
				}
				if err := check.Input(typ, c); err != nil {
					t.Fatalf("%v\ninput %x", err, c)
				}
			})
		}
	})
}

// small returns the encoding of a random value of at most 150 bytes, or of none.
func small(rng *rand.Rand, typ check.Type) (b []byte) {
	for tries := range 200 {
		m := typ.New()
		check.Fill(rng, m.ProtoReflect(), 0.5/float64(1+tries/10), rng.IntN(3))
		if b := check.Encode(rng, m); len(b) <= 150 && (len(b) > 0 || tries > 20) {
			return b
		}
	}
	return nil
}
