package validate

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/conformance/validate/harness"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

var times = flag.Int("times", 0, "compare so many messages of each type with protovalidate-go, "+
	"which is built first, for a minute or two")

// goVersion is that of protovalidate-go, whose testee is the reference.
const goVersion = "v1.4.0"

// TestReference compares with protovalidate-go, over messages like those of the suite: what they
// say with other values, several in one, and random ones.
func TestReference(t *testing.T) {
	if *times == 0 {
		t.Skip("protovalidate-go takes a minute to build: go test -run Reference -times 20")
	}
	bin := t.TempDir()
	build(t, ".", bin, "./descriptors")
	build(t, module(t, "buf.build/go/protovalidate", goVersion), bin,
		"./internal/cmd/protovalidate-conformance-go")
	q := requests(t, dump(t, bin), *times)
	// protovalidate-go refuses empty values and commas in names, which the patterns in
	// validate.proto accept.
	maps.DeleteFunc(q.Cases, func(name string, _ wkt.Any) bool {
		return strings.Contains(name, ".StringHttpHeader")
	})
	ours, theirs := ask(t, q, bin, "descriptors"), ask(t, q, bin, "protovalidate-conformance-go")
	compare(t, q, ours, theirs)
}

// dump returns the cases of the suite.
func dump(t *testing.T, bin string) *harness.Dump {
	t.Helper()
	runner(t, bin)
	// It ends with an error: nothing was asked.
	out, _ := exec.Command(filepath.Join(bin, "protovalidate-conformance"), "--dump",
		"--proto").Output()
	var d harness.Dump
	if err := d.Unmarshal(out); err != nil || len(d.Suites) < 30 {
		t.Fatalf("%d suites: %v", len(d.Suites), err)
	}
	return &d
}

// requests returns n messages of each type of the suite.
func requests(t *testing.T, d *harness.Dump, n int) *harness.Request {
	t.Helper()
	seeds := map[string][][]byte{}
	q := &harness.Request{Cases: map[string]wkt.Any{}}
	files := map[string]bool{}
	for _, s := range d.Suites {
		var set descriptor.FileDescriptorSet
		if err := set.Unmarshal(s.Descriptors); err != nil {
			t.Fatal(err)
		}
		for _, f := range set.File {
			if !files[f.GetName()] { // in the order of their imports
				files[f.GetName()] = true
				one := descriptor.FileDescriptorSet{File: []descriptor.FileDescriptorProto{f}}
				q.Descriptors = one.MarshalAppend(q.Descriptors)
			}
		}
		for _, c := range s.Cases {
			name := c.Input.TypeUrl[strings.LastIndexByte(c.Input.TypeUrl, '/')+1:]
			seeds[name] = append(seeds[name], c.Input.Value)
		}
	}
	types, err := dynamic.Load(q.Descriptors)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		typ := types.Message(name)
		slices.SortFunc(seeds[name], bytes.Compare) // the runner writes them in any order
		for i := range n {
			b := change(r, typ, seeds[name])
			m := dynamic.New(typ)
			if m.Unmarshal(b) == nil && (len(m.Unknown()) == 0 || !hasClosedEnum(typ)) {
				q.Cases[fmt.Sprintf("%s %d", name, i)] = wkt.Any{TypeUrl: "x/" + name, Value: b}
			}
		}
	}
	return q
}

// hasClosedEnum tells whether a field of t is of a closed enum, which protobuf-go takes for open.
func hasClosedEnum(t *dynamic.Type) bool {
	return slices.ContainsFunc(t.Fields, func(f *dynamic.Field) bool {
		return f.Enum != nil && f.Enum.Closed
	})
}

// change makes one message of seeds of its type.
func change(r *rand.Rand, t *dynamic.Type, seeds [][]byte) []byte {
	seed := func() []byte { return slices.Clone(seeds[r.IntN(len(seeds))]) }
	b := seed()
	switch r.IntN(5) {
	case 0:
		return append(b, seed()...) // both, merged
	case 1:
		return random(r, t, 0)
	case 2:
		return append(b, random(r, t, 0)...)
	}
	for range 1 + r.IntN(3) {
		if len(b) > 0 {
			b[r.IntN(len(b))] += byte(1 + r.IntN(3))
		}
	}
	return b
}

// random returns a message with some of its fields.
func random(r *rand.Rand, t *dynamic.Type, depth int) (b []byte) {
	for _, f := range t.Fields {
		n := r.IntN(2)
		if f.List() {
			n = r.IntN(4)
		}
		for range n {
			b = append(b, randomField(r, f, depth)...)
		}
	}
	return b
}

func randomField(r *rand.Rand, f *dynamic.Field, depth int) (b []byte) {
	if f.Message != nil {
		if depth > 3 {
			return nil
		}
		inner := random(r, f.Message, depth+1)
		if f.Kind == dynamic.Group {
			b = append(protowire.AppendTag(b, protowire.Number(f.Number), protowire.StartGroupType),
				inner...)
			return protowire.AppendTag(b, protowire.Number(f.Number), protowire.EndGroupType)
		}
		b = protowire.AppendTag(b, protowire.Number(f.Number), protowire.BytesType)
		return protowire.AppendBytes(b, inner)
	}
	texts := []string{"", "a", "foo", "bar", "foobar", "a@b.de", "example.com", "127.0.0.1", "::1",
		"10.0.0.0/8", "https://x.de/a?b#c", "äöü", "x:80", "\x00", "a.b.c", "1.5s",
		"type.googleapis.com/google.protobuf.Duration", "00000000-0000-0000-0000-000000000000"}
	numbers := []uint64{0, 1, 2, 3, 4, 5, 9, 10, 15, 16, 17, 42, 255, 256, 1<<31 - 1, 1 << 31,
		1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(0) - 1}
	s := dynamic.Scalar{Bits: numbers[r.IntN(len(numbers))], Text: texts[r.IntN(len(texts))]}
	switch f.Kind {
	case dynamic.Bool:
		s.Bits &= 1
	case dynamic.Int32, dynamic.Sint32, dynamic.Sfixed32, dynamic.EnumKind:
		s.Bits = uint64(int32(s.Bits))
	case dynamic.Uint32, dynamic.Fixed32:
		s.Bits = uint64(uint32(s.Bits))
	case dynamic.Float, dynamic.Double:
		s.Bits = floats(r, f.Kind)
	}
	b = protowire.AppendTag(b, protowire.Number(f.Number), wireType(f.Kind))
	return dynamic.AppendScalar(b, f.Kind, s)
}

func floats(r *rand.Rand, k dynamic.Kind) uint64 {
	all := []float64{0, 1, -1, 2, 3.5, 10, 16, 1e10, math.NaN(), math.Inf(1), math.Inf(-1)}
	x := all[r.IntN(len(all))]
	if k == dynamic.Float {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func wireType(k dynamic.Kind) protowire.Type {
	switch k {
	case dynamic.Float, dynamic.Fixed32, dynamic.Sfixed32:
		return protowire.Fixed32Type
	case dynamic.Double, dynamic.Fixed64, dynamic.Sfixed64:
		return protowire.Fixed64Type
	case dynamic.String, dynamic.Bytes:
		return protowire.BytesType
	}
	return protowire.VarintType
}

// ask runs a testee.
func ask(t *testing.T, q *harness.Request, bin string, testee ...string) map[string]harness.Result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, testee[0]), testee[1:]...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(q.Marshal()), os.Stderr
	out, err := cmd.Output()
	var p harness.Response
	if err == nil {
		err = p.Unmarshal(out)
	}
	if err != nil {
		t.Fatalf("%s: %v", testee, err)
	}
	return p.Results
}

// compare compares two testees.
func compare(t *testing.T, q *harness.Request, ours, theirs map[string]harness.Result) {
	t.Helper()
	types, err := dynamic.Load(q.Descriptors)
	if err != nil {
		t.Fatal(err)
	}
	violations := types.Message("buf.validate.Violations")
	same, wrong, differ := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(q.Cases)) {
		a, b := verdict(t, violations, ours[name]), verdict(t, violations, theirs[name])
		switch {
		case a != b:
			if differ++; differ <= 20 {
				t.Errorf("%s: %x:\n ours\n%s\ntheirs\n%s", name, q.Cases[name].Value, a, b)
			}
		case a == "":
			same++
		default:
			wrong++
		}
	}
	t.Logf("%d messages of %d: %d without violations, %d with", same+wrong, len(q.Cases), same,
		wrong)
	if same < len(q.Cases)/10 || wrong < len(q.Cases)/10 {
		t.Errorf("too few messages are right or wrong")
	}
}

// verdict is what a testee says of a message: the violations, sorted, or the kind of error.
func verdict(t *testing.T, violations *dynamic.Type, r harness.Result) string {
	t.Helper()
	switch r := r.Result.(type) {
	case *harness.Result_Success:
		return ""
	case *harness.Result_CompilationError:
		return "does not compile"
	case *harness.Result_RuntimeError:
		return "runtime error"
	case *harness.Result_Violations:
		m := dynamic.New(violations)
		if err := m.Unmarshal(r.Violations); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, v := range m.List(violations.Fields[0]) {
			all = append(all, v.Message.String())
		}
		slices.Sort(all)
		return strings.Join(all, "\n")
	}
	return fmt.Sprintf("%T: %v", r.Result, r.Result)
}
