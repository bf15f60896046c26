package conformance

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// dynamicTypes is all types of the tests, made at run time, and dynamicFiles protobuf-go's picture
// of the same descriptors.
var dynamicTypes, dynamicFiles = func() (*dynamic.Schema, *protoregistry.Files) {
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(fd protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	}
	for _, typ := range types {
		add(typ.Desc.ParentFile())
	}
	b, err := proto.Marshal(set)
	if err != nil {
		panic(err)
	}
	ts, err := dynamic.Load(b)
	if err != nil {
		panic(err)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		panic(err)
	}
	return ts, files
}()

// dynamicType returns the type that is made at run time.
func dynamicType(t testing.TB, typ check.Type) *dynamic.Type {
	d := dynamicTypes.Message(string(typ.Desc.FullName()))
	if d == nil {
		t.Fatalf("there is no type %s", typ.Desc.FullName())
	}
	return d
}

// TestDynamicTables compares the tables that are made at run time with generated ones: what the
// runtime does by tables, it does alike then.
func TestDynamicTables(t *testing.T) {
	seen := map[*rt.Table]bool{}
	var compare func(t *testing.T, got, want *rt.Table)
	compare = func(t *testing.T, got, want *rt.Table) {
		if seen[want] {
			return
		}
		seen[want] = true
		if got.Name != want.Name || got.Memory != want.Memory ||
			!slices.Equal(got.Reserved, want.Reserved) || len(got.Fields) != len(want.Fields) ||
			(got.Reader == nil) != (want.Reader == nil) {
			t.Fatalf("table of %s: name %q, memory %d for %d, reserved %q for %q, %d fields for %d",
				want.Name, got.Name, got.Memory, want.Memory, got.Reserved, want.Reserved,
				len(got.Fields), len(want.Fields))
		}
		for i := range want.Fields {
			g, w := got.Fields[i], want.Fields[i]
			if w.Sub != nil {
				compare(t, g.Sub.GremlinTable(), w.Sub.GremlinTable())
			}
			if w.Enum != nil && (g.Enum.Name != w.Enum.Name || g.Enum.Closed != w.Enum.Closed ||
				!slices.Equal(g.Enum.Values, w.Enum.Values) ||
				!slices.Equal(g.Enum.Aliases, w.Enum.Aliases)) {
				t.Errorf("%s.%s: enum differs", want.Name, w.Name)
			}
			g.Sub, g.Enum, w.Sub, w.Enum = nil, nil, nil, nil
			if g != w {
				t.Errorf("%s.%s: %+v for %+v", want.Name, w.Name, g, w)
			}
		}
	}
	forTypes(t, func(t *testing.T, typ check.Type) {
		want := reflect.Zero(typ.Reader).Interface().(gremlin.Type).GremlinTable()
		compare(t, dynamicType(t, typ).GremlinTable(), want)
	})
}

// TestDynamicTypes compares what fields say of themselves with what protobuf-go says.
func TestDynamicTypes(t *testing.T) {
	forTypes(t, func(t *testing.T, typ check.Type) {
		// not typ.Desc: descriptors of generated code do not know which enums are closed
		md, err := dynamicFiles.FindDescriptorByName(typ.Desc.FullName())
		if err != nil {
			t.Fatal(err)
		}
		compareType(t, dynamicType(t, typ), md.(protoreflect.MessageDescriptor))
	})
}

func compareType(t *testing.T, d *dynamic.Type, md protoreflect.MessageDescriptor) {
	t.Helper()
	if len(d.Fields) != md.Fields().Len() || d.MapEntry != md.IsMapEntry() ||
		d.Extendable != (md.ExtensionRanges().Len() > 0) {
		t.Fatalf("%s differs: %+v", md.FullName(), d)
	}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		f := d.Field(uint32(fd.Number()))
		if f == nil || d.FieldNamed(string(fd.Name())) != f || d.Fields[f.Index] != f ||
			f.Parent != d {
			t.Fatalf("%s is not found", fd.FullName())
		}
		compareField(t, f, fd)
	}
}

func compareField(t *testing.T, f *dynamic.Field, fd protoreflect.FieldDescriptor) {
	t.Helper()
	utf8 := fd.Kind() == protoreflect.StringKind &&
		fd.(interface{ EnforceUTF8() bool }).EnforceUTF8()
	oneof := ""
	if o := fd.ContainingOneof(); o != nil && !o.IsSynthetic() {
		oneof = string(o.Name())
	}
	got := ""
	if f.Oneof != nil {
		got = f.Oneof.Name
	}
	switch {
	case f.FullName != string(fd.FullName()), f.JSONName != fd.JSONName(),
		f.Number != uint32(fd.Number()), f.Repeated != fd.IsList(), f.List() != (fd.IsList() ||
			fd.IsMap()), f.Packed != fd.IsPacked(), f.Presence != fd.HasPresence(),
		f.Required != (fd.Cardinality() == protoreflect.Required), f.UTF8 != utf8, got != oneof,
		(f.Kind == dynamic.Group) != (fd.Kind() == protoreflect.GroupKind),
		(f.Kind == dynamic.Map) != fd.IsMap(), f.Extension != fd.IsExtension(),
		(f.Message == nil) != (fd.Message() == nil), (f.Enum == nil) != (fd.Enum() == nil):
		t.Errorf("%s differs: %+v", fd.FullName(), f)
	case f.Message != nil && f.Message.Name != string(fd.Message().FullName()):
		t.Errorf("%s is of type %s", fd.FullName(), f.Message.Name)
	case f.Enum != nil && (f.Enum.Closed != fd.Enum().IsClosed() ||
		len(f.Enum.Values) != fd.Enum().Values().Len()):
		t.Errorf("%s differs: %+v", fd.FullName(), f.Enum)
	case f.Message == nil && !f.List() && f.Default != scalar(fd.Default(), fd.Kind()):
		t.Errorf("%s: default %+v for %v", fd.FullName(), f.Default, fd.Default())
	}
}

// scalar returns a value in the form of dynamic.Scalar.
func scalar(v protoreflect.Value, kind protoreflect.Kind) (s dynamic.Scalar) {
	switch x := v.Interface().(type) {
	case bool:
		if x {
			s.Bits = 1
		}
	case int32:
		s.Bits = uint64(int64(x))
	case int64:
		s.Bits = uint64(x)
	case uint32:
		s.Bits = uint64(x)
	case uint64:
		s.Bits = x
	case float32:
		s.Bits = uint64(math.Float32bits(x))
	case float64:
		s.Bits = math.Float64bits(x)
	case string:
		s.Text = x
	case []byte:
		s.Text = string(x)
	case protoreflect.EnumNumber:
		s.Bits = uint64(int64(x))
	}
	return s
}
