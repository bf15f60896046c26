package foreign

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// mutations compares random values of all types, and changed encodings of them, as the tests of
// this module do for its own types.
func (s *suite) mutations(values, seed string) error {
	n, err := strconv.Atoi(values)
	if err != nil {
		return err
	}
	start, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	var binary, text tally
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		typ := s.types[name]
		typ.Reads = 4000
		h := fnv.New64()
		h.Write([]byte(name))
		rng := rand.New(rand.NewPCG(h.Sum64(), start))
		compare := func(b []byte) {
			if panics(typ, b) {
				return
			}
			binary.check(name, at(b, check.Input(typ, b)))
			if rng.IntN(4) == 0 {
				text.check(name, at(b, check.JSON(typ, b, &s.known)))
			}
		}
		for range n {
			m := typ.New()
			check.Fill(rng, m.ProtoReflect(), []float64{0.05, 0.2, 0.5}[rng.IntN(3)], rng.IntN(4))
			b := check.Encode(rng, m)
			if len(b) > 8000 {
				continue
			}
			compare(b)
			for range 8 {
				compare(check.Mutate(rng, b, typ.Desc))
			}
			if len(b) < 200 {
				every := rng.IntN(1 + 20*len(b))
				i := 0
				check.Changes(b, typ.Desc, func(c []byte) {
					if i++; i > every && i <= every+40 {
						compare(c)
					}
				})
			}
		}
	}
	if text.run == 0 {
		return binary.err("inputs")
	}
	return errors.Join(binary.err("inputs"), text.err("inputs as JSON"))
}

// panics tells whether protobuf-go cannot read b: without generated code it panics at an entry of a
// map with a good key and one of another wire type.
func panics(typ check.Type, b []byte) (yes bool) {
	defer func() { yes = recover() != nil }()
	_ = proto.Unmarshal(b, typ.New())
	return false
}

// at says which input an error is about.
func at(b []byte, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("input %x: %w", b[:min(len(b), 300)], err)
}
