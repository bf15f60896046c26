//go:build !purego && (amd64 || arm64)

package rt_test

import (
	"testing"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestReadingDoesNotAllocate covers index, scalars, a nested message and a list of messages.
func TestReadingDoesNotAllocate(t *testing.T) {
	b := newAPI().Marshal()
	var r wkt.ApiReader
	sum := 0
	if n := testing.AllocsPerRun(100, func() {
		if err := r.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		sum += readAPI(&r)
	}); n != 0 {
		t.Errorf("%v allocations to read a message", n)
	}
	if sum != 101*len("shop.v1.Depositsshop/v1/deposits.protoGetList1") {
		t.Errorf("read %d bytes", sum)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := r.CheckEncoding(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations to validate a message", n)
	}
}

// TestWalkingDoesNotAllocate covers lists of numbers, strings and messages.
func TestWalkingDoesNotAllocate(t *testing.T) {
	m := descriptor.FileDescriptorProto{
		Dependency:       []string{"a", "bb"},
		PublicDependency: []int32{1, 200, -3},
		MessageType:      []descriptor.DescriptorProto{{}, {}},
	}
	var r descriptor.FileDescriptorProtoReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	sum := 0
	if n := testing.AllocsPerRun(100, func() {
		sum = 0
		for s := range r.Dependency() {
			sum += len(s)
		}
		for x := range r.PublicDependency() {
			sum += int(x)
		}
		for range r.MessageType() {
			sum++
		}
	}); n != 0 {
		t.Errorf("%v allocations to walk through lists", n)
	}
	if sum != 3+198+2 {
		t.Errorf("the sum is %d", sum)
	}
}

// TestListsShareMemory: short lists of numbers take a few allocations together, not one each.
func TestListsShareMemory(t *testing.T) {
	m := descriptor.SourceCodeInfo{Location: make([]descriptor.SourceCodeInfo_Location, 100)}
	for i := range m.Location {
		m.Location[i].Path, m.Location[i].Span = []int32{4, int32(i)}, []int32{1, 2, 3}
	}
	b := m.Marshal()
	var got descriptor.SourceCodeInfo
	if n := testing.AllocsPerRun(100, func() {
		if err := got.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
	}); n > 20 {
		t.Errorf("%v allocations for 200 lists", n)
	}
}

// TestListsInPieces: lists whose elements come by turns are allocated a few times, not once for
// each time that they double, which is more than 20 times. The race detector adds some.
func TestListsInPieces(t *testing.T) {
	one := descriptor.DescriptorProto{Field: make([]descriptor.FieldDescriptorProto, 1),
		EnumType: make([]descriptor.EnumDescriptorProto, 1)}
	var b []byte
	for range 1000 {
		b = one.MarshalAppend(b)
	}
	var got descriptor.DescriptorProto
	if n := testing.AllocsPerRun(100, func() {
		if err := got.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
	}); n > 16 || len(got.Field) != 1000 || len(got.EnumType) != 1000 {
		t.Errorf("%v allocations for lists of %d and %d elements", n, len(got.Field),
			len(got.EnumType))
	}
}
