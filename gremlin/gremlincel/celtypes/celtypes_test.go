package celtypes

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

func TestDurationSaturates(t *testing.T) {
	for _, c := range []struct {
		seconds, nanos int64
		want           time.Duration
	}{
		{1, 5, time.Second + 5},
		{-1, -5, -time.Second - 5},
		{math.MaxInt64, 0, math.MaxInt64},
		{math.MinInt64, 0, math.MinInt64},
		{9223372036, 999_999_999, math.MaxInt64},
		{-9223372036, -999_999_999, math.MinInt64},
	} {
		if got := duration(c.seconds, c.nanos); got != c.want {
			t.Errorf("%d s, %d ns: %d, want %d", c.seconds, c.nanos, got, c.want)
		}
	}
}

func TestScalar(t *testing.T) {
	minus := int64(-7)
	for _, c := range []struct {
		kind dynamic.Kind
		x    dynamic.Scalar
		want ref.Val
	}{
		{dynamic.Bool, dynamic.Scalar{Bits: 1}, types.True},
		{dynamic.Sint32, dynamic.Scalar{Bits: uint64(minus)}, types.Int(-7)},
		{dynamic.EnumKind, dynamic.Scalar{Bits: 3}, types.Int(3)},
		{dynamic.Fixed64, dynamic.Scalar{Bits: math.MaxUint64}, types.Uint(math.MaxUint64)},
		{dynamic.Float, dynamic.Scalar{Bits: uint64(math.Float32bits(1.5))}, types.Double(1.5)},
		{dynamic.Double, dynamic.Scalar{Bits: math.Float64bits(-2.5)}, types.Double(-2.5)},
		{dynamic.String, dynamic.Scalar{Text: "a"}, types.String("a")},
		{dynamic.Bytes, dynamic.Scalar{Text: "\xff"}, types.Bytes("\xff")},
	} {
		got := Scalar(&dynamic.Field{Kind: c.kind}, c.x)
		if got.Type() != c.want.Type() || got.Equal(c.want) != types.True {
			t.Errorf("kind %d: %v %v, want %v %v", c.kind, got.Type(), got, c.want.Type(), c.want)
		}
	}
}

// An Object of a pointer goes into an interface without an allocation.
func TestObjectIsAPointer(t *testing.T) {
	if unsafe.Sizeof(Object[*none]{}) != unsafe.Sizeof(uintptr(0)) {
		t.Error("an Object is larger than a pointer")
	}
	m := new(none)
	var v ref.Val
	if n := testing.AllocsPerRun(100, func() { v = Object[*none]{m} }); n != 0 {
		t.Errorf("%v allocations for a value", n)
	}
	if v.Value() != any(Object[*none]{m}) {
		t.Error("the value is another one")
	}
}

// none is a message of which nobody asks anything.
type none struct{ Message }
