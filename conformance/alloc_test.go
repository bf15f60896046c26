//go:build !purego && !race && (amd64 || arm64)

package conformance_test

import (
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/gen/p3"
)

// TestIteratorsDoNotAllocate goes over lists of all kinds of values. Iterators are free only as
// long as the compiler inlines them, which depends on the last token of what is generated.
func TestIteratorsDoNotAllocate(t *testing.T) {
	m := p3.Lists{
		LDouble: []float64{1, 2}, LFloat: []float32{3, 4}, LInt32: []int32{5, 6},
		LInt64: []int64{7, 8}, LUint32: []uint32{9, 10},
		LUint64: []uint64{11, 12}, LSint32: []int32{13, 14}, LSint64: []int64{15, 16},
		LFixed32: []uint32{17, 18}, LFixed64: []uint64{19, 20},
		LSfixed32: []int32{21, 22}, LSfixed64: []int64{23, 24}, LBool: []bool{true, true},
		LString: []string{"a", "b"},
		LBytes:  [][]byte{{1}, {2}}, LColor: []p3.Color{1, 2}, LInner: []p3.Inner{{}, {}},
	}
	var r p3.ListsReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	count := 0
	for name, each := range map[string]func(){
		"double": func() {
			for range r.LDouble() {
				count++
			}
		},
		"float": func() {
			for range r.LFloat() {
				count++
			}
		},
		"int32": func() {
			for range r.LInt32() {
				count++
			}
		},
		"int64": func() {
			for range r.LInt64() {
				count++
			}
		},
		"uint32": func() {
			for range r.LUint32() {
				count++
			}
		},
		"uint64": func() {
			for range r.LUint64() {
				count++
			}
		},
		"sint32": func() {
			for range r.LSint32() {
				count++
			}
		},
		"sint64": func() {
			for range r.LSint64() {
				count++
			}
		},
		"fixed32": func() {
			for range r.LFixed32() {
				count++
			}
		},
		"fixed64": func() {
			for range r.LFixed64() {
				count++
			}
		},
		"sfixed32": func() {
			for range r.LSfixed32() {
				count++
			}
		},
		"sfixed64": func() {
			for range r.LSfixed64() {
				count++
			}
		},
		"bool": func() {
			for range r.LBool() {
				count++
			}
		},
		"string": func() {
			for range r.LString() {
				count++
			}
		},
		"bytes": func() {
			for range r.LBytes() {
				count++
			}
		},
		"enum": func() {
			for range r.LColor() {
				count++
			}
		},
		"message": func() {
			for range r.LInner() {
				count++
			}
		},
	} {
		count = 0
		if n := testing.AllocsPerRun(10, each); n != 0 {
			t.Errorf("a list of %s: %v allocations", name, n)
		}
		if count != 11*2 {
			t.Errorf("a list of %s: %d values in 11 runs", name, count)
		}
	}
}

// TestLookupsDoNotAllocate finds values of maps. That of messages is a Reader, which must stay with
// the caller.
func TestLookupsDoNotAllocate(t *testing.T) {
	m := p3.Maps{
		ByInt32: map[int32]int32{1: 2}, OfString: map[string]string{"a": "b", "c": "d"},
		OfBytes: map[string][]byte{"a": {1}},
		OfColor: map[string]p3.Color{"a": 1}, OfInner: map[string]p3.Inner{"a": {}},
	}
	var r p3.MapsReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	for name, lookup := range map[string]func() bool{
		"int32":   func() bool { v, ok := r.LookupByInt32(1); return ok && v == 2 },
		"string":  func() bool { v, ok := r.LookupOfString("c"); return ok && v == "d" },
		"bytes":   func() bool { v, ok := r.LookupOfBytes("a"); return ok && len(v) == 1 },
		"enum":    func() bool { v, ok := r.LookupOfColor("a"); return ok && v == 1 },
		"message": func() bool { v, ok := r.LookupOfInner("a"); return ok && v.Err() == nil },
	} {
		if n := testing.AllocsPerRun(10, func() {
			if !lookup() {
				t.Errorf("a value of %s is not found", name)
			}
		}); n != 0 {
			t.Errorf("a value of %s: %v allocations", name, n)
		}
	}
}
