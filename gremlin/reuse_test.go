package gremlin_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

type (
	locations   = descriptor.SourceCodeInfo
	reusedInfo  = gremlin.Reused[locations, *locations]
	lentOptions = gremlin.Lent[descriptor.FileDescriptorProto, *descriptor.FileDescriptorProto]
)

// held returns how many bytes v refers to, with what lies behind the length of lists.
func held(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n = int(v.Elem().Type().Size()) + held(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += held(v.Field(i))
		}
	case reflect.Slice:
		all := v.Slice3(0, v.Cap(), v.Cap())
		n = v.Cap() * int(v.Type().Elem().Size())
		for i := range all.Len() {
			n += held(all.Index(i))
		}
	case reflect.String:
		n = v.Len()
	}
	return n
}

// TestReusedIsBounded decodes inputs each of which is large in another part.
func TestReusedIsBounded(t *testing.T) {
	const inputs, numbers = 200, 5000
	var r reusedInfo
	var plain locations
	largest := 0
	for i := range inputs {
		m := locations{Location: make([]descriptor.SourceCodeInfo_Location, i+1)}
		m.Location[i].Path = make([]int32, numbers)
		b := m.Marshal()
		got, err := r.Unmarshal(b, gremlin.Borrow)
		if err != nil || len(got.Location) != i+1 || len(got.Location[i].Path) != numbers {
			t.Fatalf("input %d: %v", i, err)
		}
		largest = max(largest, held(reflect.ValueOf(got)))
		if err := plain.UnmarshalWith(b, gremlin.Reuse); err != nil {
			t.Fatal(err)
		}
	}
	one := numbers*4 + 2*inputs*int(reflect.TypeFor[descriptor.SourceCodeInfo_Location]().Size())
	if largest > 64*one {
		t.Errorf("a Reused held %d bytes, more than 64 inputs of %d need", largest, one)
	}
	if n := held(reflect.ValueOf(&plain)); n < inputs*numbers*4 {
		t.Errorf("a target without bounds held %d bytes: this test tells nothing", n)
	}
	r.Reset()
	if n := held(reflect.ValueOf(r.Message())); n > 1000 {
		t.Errorf("after Reset it holds %d bytes", n)
	}
}

// TestReusedDoesNotAllocate: decoding into a used target, borrowed, takes no memory.
func TestReusedDoesNotAllocate(t *testing.T) {
	name := "name"
	m := descriptor.FileDescriptorProto{Name: &name, Dependency: []string{"a", "b"},
		PublicDependency: []int32{1, 2}, MessageType: []descriptor.DescriptorProto{{Name: &name,
			Field: []descriptor.FieldDescriptorProto{{Name: &name}}}},
		Options: &descriptor.FileOptions{GoPackage: &name}}
	b := m.Marshal()
	var used descriptor.FileDescriptorProto
	if n := testing.AllocsPerRun(100, func() {
		if err := used.UnmarshalWith(b, gremlin.Borrow|gremlin.Reuse); err != nil {
			t.Fatal(err)
		}
	}); n != 0 && !copies() {
		t.Errorf("%v allocations", n)
	}
	if !used.Equal(&m) {
		t.Errorf("%v, want %v", &used, &m)
	}
}

// TestReusedAllocatesSeldom: a Reused allocates once in 64 decodings, which is below 2 % of what
// Unmarshal allocates.
func TestReusedAllocatesSeldom(t *testing.T) {
	if os.Getenv("GREMLIN_GUARD") != "" {
		t.Skip("with GREMLIN_GUARD each decoding takes fresh memory")
	}
	name := "name"
	b := (&descriptor.FileDescriptorProto{Name: &name, Dependency: []string{"a", "b"},
		MessageType: []descriptor.DescriptorProto{{Name: &name}}}).Marshal()
	fresh := testing.AllocsPerRun(10, func() {
		var m descriptor.FileDescriptorProto
		if err := m.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
	})
	const decodings = 10 * 64
	var r gremlin.Reused[descriptor.FileDescriptorProto, *descriptor.FileDescriptorProto]
	reused := testing.AllocsPerRun(1, func() {
		for range decodings {
			if _, err := r.Unmarshal(b, gremlin.Borrow); err != nil {
				t.Fatal(err)
			}
		}
	})
	if reused > 0.02*fresh*decodings && !copies() {
		t.Errorf("%v allocations in %d decodings, of which one by Unmarshal takes %v",
			reused, decodings, fresh)
	}
	if reused == 0 {
		t.Error("no allocation: the target is never emptied")
	}
}

// copies tells whether strings are copied always: the build has no package unsafe.
func copies() bool {
	b := []byte{0x0a, 1, 'x'}
	var m wkt.StringValue
	if err := m.UnmarshalWith(b, gremlin.Borrow); err != nil {
		panic(err)
	}
	b[2] = 'y'
	return m.Value == "x"
}

// TestBorrowShares: strings and bytes are the input's; of Unmarshal and Clone they are not, and a
// longer nested message that changes under it is read within its bounds.
func TestBorrowShares(t *testing.T) {
	b := (&wkt.Any{TypeUrl: "type", Value: []byte("value")}).Marshal()
	var lent, own wkt.Any
	if err := errors.Join(lent.UnmarshalWith(b, gremlin.Borrow), own.Unmarshal(b)); err != nil {
		t.Fatal(err)
	}
	clone := lent.Clone()
	for i := range b {
		b[i] = 'z'
	}
	if lent.TypeUrl != "zzzz" && !copies() || string(lent.Value) != "zzzzz" {
		t.Errorf("borrowed: %q %q", lent.TypeUrl, lent.Value)
	}
	if own.TypeUrl != "type" || string(own.Value) != "value" || !clone.Equal(&own) {
		t.Errorf("owned: %v, cloned: %v", &own, clone)
	}
	if cap(lent.Value) != len(lent.Value) {
		t.Error("an append to borrowed bytes would write into the input")
	}
}

// TestReuseAfterError: a target that has seen an error is as good as another.
func TestReuseAfterError(t *testing.T) {
	good := (&descriptor.FileDescriptorProto{Dependency: []string{"a"},
		MessageType: []descriptor.DescriptorProto{{}, {}}}).Marshal()
	var l lentOptions
	for n := range len(good) + 1 {
		err := l.Unmarshal(good[:n])
		var m descriptor.FileDescriptorProto
		if want := m.Unmarshal(good[:n]); !sameError(err, want) {
			t.Fatalf("%d bytes: %v, want %v", n, err, want)
		} else if want == nil && !l.Message().Equal(&m) {
			t.Fatalf("%d bytes: %v, want %v", n, l.Message(), &m)
		}
	}
}

func sameError(x, y error) bool {
	return (x == nil) == (y == nil) && (x == nil || x.Error() == y.Error())
}

// old hides UnmarshalWith, which code of earlier compilers does not have.
type old struct{ gremlin.Message }

// TestUnmarshalWithOld: messages without the method are read by Unmarshal.
func TestUnmarshalWithOld(t *testing.T) {
	m := wkt.StringValue{Value: "before"}
	b := (&wkt.StringValue{Value: "after"}).Marshal()
	if err := gremlin.UnmarshalWith(b, old{&m}, gremlin.Borrow|gremlin.Reuse); err != nil {
		t.Fatal(err)
	}
	clear(b)
	if m.Value != "after" {
		t.Errorf("the value is %q", m.Value)
	}
}

// oldInner is a message as earlier compilers generated it, with a nested one that is newer; outer
// has it as a field.
type oldInner struct{ d *wkt.Duration }

func (m *oldInner) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	tag, off := d.Tag(n, off)
	for tag != 0 {
		if tag != 0x0a {
			return ^uint(0)/2 + 1
		}
		tag, off = d.Leave(n, rt.Alloc(&m.d).GremlinDecode(d.Enter(n, off)))
	}
	return off
}

// TestForeign: what an older compiler generated does not know Reuse, and merges.
func TestForeign(t *testing.T) {
	seconds, nanos := []byte{0x0a, 2, 0x08, 5}, []byte{0x0a, 2, 0x10, 7}
	m := oldInner{&wkt.Duration{Seconds: 1, Nanos: 1}}
	decode := func(b []byte, how rt.How) (again bool) {
		d, n, off := rt.StartDecoder(b, m.d.GremlinTable())
		d.Share(how)
		if next := rt.Foreign(d, &m).GremlinDecode(d, n, off); next != n {
			t.Fatalf("it ends at %d of %d", next, n)
		}
		return d.Again()
	}
	if !decode(bytes.Join([][]byte{seconds, nanos}, nil), rt.Reuse) {
		t.Error("memory of a type that does not know Reuse is used again")
	}
	m = oldInner{}
	if decode(bytes.Join([][]byte{seconds, nanos}, nil), rt.Borrow) {
		t.Error("without Reuse all has to be decoded again")
	}
	if m.d.Seconds != 5 || m.d.Nanos != 7 {
		t.Errorf("decoded: %v", m.d)
	}
}

// TestGuardedReuse keeps parts of a Message that is used again, in a process with package guard.
func TestGuardedReuse(t *testing.T) {
	if os.Getenv("REUSE_CHILD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGuardedReuse$", "-test.v")
		cmd.Env = append(os.Environ(), "GREMLIN_GUARD=1", "REUSE_CHILD=1")
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator runs this program, and the machine cannot start it by itself")
		}
		want := `kept: "OVERWRITTEN" [-572662307 -572662307] "OVERWRITTEN"`
		if err != nil || strings.Count(string(out), want) != 2 {
			t.Errorf("%v, want twice %s in\n%s", err, want, out)
		}
		return
	}
	name := "name"
	b := (&descriptor.FileDescriptorProto{Name: &name, PublicDependency: []int32{1, 2},
		MessageType: []descriptor.DescriptorProto{{Name: &name}}}).Marshal()
	var l lentOptions
	keepParts(t, l.Message(), func() error { return l.Unmarshal(b) })
	var m descriptor.FileDescriptorProto
	keepParts(t, &m, func() error { return m.UnmarshalWith(b, gremlin.Reuse) })
}

// keepParts decodes m twice and logs what became of parts of the first.
func keepParts(t *testing.T, m *descriptor.FileDescriptorProto, decode func() error) {
	if err := decode(); err != nil {
		t.Fatal(err)
	}
	kept, list, nested := m.Name, m.PublicDependency, &m.MessageType[0]
	if err := decode(); err != nil || m.GetName() != "name" || m.PublicDependency[1] != 2 {
		t.Fatalf("%v, %v", err, m)
	}
	t.Logf("kept: %q %d %q", *kept, list, nested.GetName())
}
