package conformance

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/gremlincmp"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// cmpOption is an option of gremlincmp and that of protocmp with its name.
type cmpOption struct{ ours, theirs cmp.Option }

// cmpOptions returns the options that there are for a type, by name.
func cmpOptions(rng *rand.Rand, typ check.Type) map[string]cmpOption {
	message := typ.NewMessage()
	oracle := typ.New()
	table := message.GremlinTable()
	options := map[string]cmpOption{
		"none":                {cmp.Options{}, cmp.Options{}},
		"IgnoreEmptyMessages": {gremlincmp.IgnoreEmptyMessages(), protocmp.IgnoreEmptyMessages()},
		"IgnoreUnknown":       {gremlincmp.IgnoreUnknown(), protocmp.IgnoreUnknown()},
		"SortRepeated": {
			gremlincmp.SortRepeated(func(x, y string) bool { return x < y }),
			protocmp.SortRepeated(func(x, y string) bool { return x < y })},
		"SortRepeated numbers": {
			gremlincmp.SortRepeated(func(x, y int64) bool { return x < y }),
			protocmp.SortRepeated(func(x, y int64) bool { return x < y })},
	}
	fields := typ.Desc.Fields()
	var names []string
	var theirs []protoreflect.Name
	defaults := false
	for i := range fields.Len() {
		f := fields.Get(i)
		name := f.TextName()
		defaults = defaults || f.HasDefault()
		if rng.IntN(4) == 0 && isFieldOf(table, name) {
			names, theirs = append(names, name), append(theirs, protoreflect.Name(name))
		}
		switch {
		case f.Enum() != nil:
			for j := range table.Fields {
				if e := table.Fields[j].Enum; e != nil && e.Name == string(f.Enum().FullName()) {
					options["IgnoreEnums "+e.Name] = cmpOption{gremlincmp.IgnoreEnums(e),
						protocmp.IgnoreDescriptors(f.Enum())}
				}
			}
		case f.IsList() && f.Kind() != protoreflect.BytesKind && isFieldOf(table, name):
			options["SortRepeatedFields "+name] = cmpOption{
				gremlincmp.SortRepeatedFields(message, name),
				protocmp.SortRepeatedFields(oracle, protoreflect.Name(name))}
		}
		if sub := f.Message(); sub != nil && !f.IsMap() {
			for j := range table.Fields {
				t := table.Fields[j].Sub
				if t != nil && gremlin.NameOf(t) == string(sub.FullName()) {
					options["IgnoreMessages "+string(sub.FullName())] = cmpOption{
						gremlincmp.IgnoreMessages(t), protocmp.IgnoreDescriptors(sub)}
				}
			}
		}
	}
	options["IgnoreFields "+strings.Join(names, ",")] = cmpOption{
		gremlincmp.IgnoreFields(message, names...), protocmp.IgnoreFields(oracle, theirs...)}
	if !hasDefaults(typ.Desc, map[protoreflect.FullName]bool{}) {
		options["IgnoreDefaultScalars"] = cmpOption{gremlincmp.IgnoreDefaultScalars(),
			protocmp.IgnoreDefaultScalars()}
	}
	for i := range typ.Desc.Oneofs().Len() {
		if o := typ.Desc.Oneofs().Get(i); !o.IsSynthetic() {
			options["IgnoreOneofs "+string(o.Name())] = cmpOption{
				gremlincmp.IgnoreOneofs(message, string(o.Name())),
				protocmp.IgnoreOneofs(oracle, o.Name())}
		}
	}
	return options
}

// isFieldOf tells whether a name is that of a field: protocmp has groups by the names of their
// types.
func isFieldOf(t *rt.Table, name string) bool {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return true
		}
	}
	return false
}

// hasDefaults tells whether a message can have a field with a default of its own, which gremlincmp
// does not know.
func hasDefaults(md protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if seen[md.FullName()] {
		return false
	}
	seen[md.FullName()] = true
	for i := range md.Fields().Len() {
		f := md.Fields().Get(i)
		if f.HasDefault() || f.Message() != nil && hasDefaults(f.Message(), seen) {
			return true
		}
		// A closed enum whose first value is not zero has a default, too.
		if e := f.Enum(); e != nil && e.Values().Get(0).Number() != 0 {
			return true
		}
	}
	return false
}

// changed returns m with a few fields set, cleared or turned around.
func changed(rng *rand.Rand, m proto.Message) proto.Message {
	c := proto.Clone(m)
	r := c.ProtoReflect()
	fields := r.Descriptor().Fields()
	for range rng.IntN(3) {
		if fields.Len() == 0 {
			break
		}
		f := fields.Get(rng.IntN(fields.Len()))
		switch {
		case f.IsList() && r.Get(f).List().Len() > 1:
			list := r.Mutable(f).List()
			for i := list.Len() - 1; i > 0; i-- {
				j := rng.IntN(i + 1)
				a, b := list.Get(i), list.Get(j)
				list.Set(i, b)
				list.Set(j, a)
			}
		case rng.IntN(2) == 0:
			r.Clear(f)
		case f.Message() != nil && !f.IsMap() && !f.IsList():
			r.Set(f, r.NewField(f)) // there, and empty
		default:
			check.FillField(rng, r, f, 0.2, 1)
		}
	}
	return c
}

// TestCompareWithProtocmp: the options of gremlincmp find equal what those of protocmp do.
func TestCompareWithProtocmp(t *testing.T) {
	values, _ := rounds()
	outcomes := map[string][2]int{}
	forTypes(t, func(t *testing.T, typ check.Type) {
		if typ.Desc.ExtensionRanges().Len() > 0 {
			t.Skip("protocmp knows extensions")
		}
		rng := seed(typ.Desc)
		options := cmpOptions(rng, typ)
		for range values / 6 {
			x := typ.New()
			if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(small(rng, typ),
				x); err != nil {
				t.Fatal(err)
			}
			y := changed(rng, x)
			ox, oy := ours(t, typ, x), ours(t, typ, y)
			for name, o := range options {
				want := cmp.Equal(x, y, protocmp.Transform(), o.theirs)
				got := cmp.Equal(ox, oy, gremlincmp.Transform(), o.ours)
				if got != want {
					t.Fatalf("%s: equal is %v, of protocmp %v; without options:\n%s", name, got,
						want, cmp.Diff(ox, oy, gremlincmp.Transform()))
				}
				count := outcomes[strings.Fields(name)[0]]
				if want && !cmp.Equal(x, y, protocmp.Transform()) {
					count[1]++ // the option makes the difference
				}
				count[0]++
				outcomes[strings.Fields(name)[0]] = count
			}
		}
	})
	for name, count := range outcomes {
		// The few pairs of a short run need not have what each option is about.
		if count[1] == 0 && name != "none" && name != "IgnoreUnknown" && !testing.Short() {
			t.Errorf("%s never made a difference in %d pairs", name, count[0])
		}
	}
	if len(outcomes) < 10 {
		t.Errorf("only %v were tried", reflect.ValueOf(outcomes).MapKeys())
	}
}

// ours returns a Message, or a Reader, of what m is.
func ours(t *testing.T, typ check.Type, m proto.Message) any {
	t.Helper()
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	r := typ.NewReader()
	if err := r.Unmarshal(b); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", typ.Desc.FullName(), err))
	}
	if len(b)%2 == 0 {
		return r
	}
	return typ.ToMessage(r)
}
