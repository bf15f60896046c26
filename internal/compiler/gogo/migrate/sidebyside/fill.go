package sidebyside

import (
	"math"
	"math/rand"
	"reflect"
	"strings"
	"time"
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// filler gives fields values. Two fillers with one seed give two messages of the same shape the
// same values.
type filler struct{ r *rand.Rand }

const deepest = 3

// message fills the struct that a pointer points to.
func (f filler) message(p reflect.Value, depth int) {
	var members []any
	if w, ok := p.Interface().(interface{ XXX_OneofWrappers() []interface{} }); ok {
		members = w.XXX_OneofWrappers()
	}
	v := p.Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case !v.Type().Field(i).IsExported():
		case name == "XXX_unrecognized":
			if f.r.Intn(3) == 0 {
				// field 31288
				v.Field(i).SetBytes([]byte{0xc2, 0xbb, 0x0f, 2, byte(f.r.Intn(256)), 7})
			}
		case strings.HasPrefix(name, "XXX_"):
		case v.Field(i).Kind() == reflect.Interface:
			if len(members) > 0 {
				f.oneof(v.Field(i), members, depth)
			}
		default:
			f.value(v.Field(i), depth)
		}
	}
}

// oneof sets one of the members that fit, or none.
func (f filler) oneof(v reflect.Value, members []any, depth int) {
	var fit []reflect.Type
	for _, m := range members {
		if t := reflect.TypeOf(m); t.Implements(v.Type()) {
			fit = append(fit, t.Elem())
		}
	}
	n := f.r.Intn(len(fit) + 1)
	if n == len(fit) {
		return
	}
	w := reflect.New(fit[n])
	f.value(w.Elem().Field(0), depth)
	if inner := w.Elem().Field(0); inner.Kind() == reflect.Pointer && inner.IsNil() {
		return
	}
	v.Set(w)
}

var integers = []int64{0, 0, 1, -1, 2, 127, 128, 300, -300, 16383, 16384, math.MaxInt32,
	math.MinInt32, math.MaxInt64, math.MinInt64}

var floats = []float64{0, 1, -1.5, math.Copysign(0, -1), math.MaxFloat32, math.Inf(1), math.NaN(),
	1e-300}

var texts = []string{"", "a", "deposit", "\xff\xfe", "über", strings.Repeat("x", 200)}

var times = []time.Time{
	{}, time.Unix(0, 0).UTC(), time.Unix(0, 1).UTC(), time.Unix(-1, 999999999).UTC(),
	time.Unix(1700000000, 5).UTC(),
	time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
	time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("there", 3600)),
	time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC),
}

func (f filler) value(v reflect.Value, depth int) {
	switch v.Type() {
	case timeType:
		// The last two are out of range, and make Marshal fail: seldom.
		n := len(times) - 2
		if f.r.Intn(50) == 0 {
			n = len(times)
		}
		v.Set(reflect.ValueOf(times[f.r.Intn(n)]))
		return
	case durationType:
		v.SetInt([]int64{0, 1, -1, 1e9, -1e9, 1500000000, -1500000000, math.MaxInt64,
			math.MinInt64}[f.r.Intn(9)])
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.r.Intn(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(integers[f.r.Intn(len(integers))])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(integers[f.r.Intn(len(integers))]))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(floats[f.r.Intn(len(floats))])
	case reflect.String:
		v.SetString(texts[f.r.Intn(len(texts))])
	case reflect.Array:
		for i := range v.Len() {
			f.value(v.Index(i), depth)
		}
	case reflect.Slice:
		f.list(v, depth)
	case reflect.Map:
		f.entry(v, depth)
	case reflect.Pointer:
		if depth > 0 && f.r.Intn(4) > 0 {
			p := reflect.New(v.Type().Elem())
			if !f.struc(p, depth-1) {
				f.value(p.Elem(), depth-1)
			}
			v.Set(p)
		}
	case reflect.Struct:
		f.struc(v.Addr(), depth-1)
	}
}

// struc fills a struct that is no time, and tells whether p points to one.
func (f filler) struc(p reflect.Value, depth int) bool {
	if p.Elem().Kind() != reflect.Struct || p.Elem().Type() == timeType {
		return false
	}
	f.message(p, depth)
	return true
}

func (f filler) list(v reflect.Value, depth int) {
	elem := v.Type().Elem()
	if elem.Kind() == reflect.Interface || elem.Kind() == reflect.Func {
		return
	}
	if elem.Kind() == reflect.Uint8 {
		if n := f.r.Intn(6); n > 0 {
			v.SetBytes([]byte(texts[n-1]))
		}
		return
	}
	n := f.r.Intn(4)
	if n == 0 || depth <= 0 && (elem.Kind() == reflect.Pointer || elem.Kind() == reflect.Struct &&
		elem != timeType) {
		return
	}
	list := reflect.MakeSlice(v.Type(), n, n)
	for i := range n {
		e := list.Index(i)
		f.value(e, max(depth, 1))
		if e.Kind() == reflect.Pointer && e.IsNil() { // nil in a list is a panic
			e.Set(reflect.New(elem.Elem()))
		}
		// gogo's bug with packed negative enums
		if e.Kind() == reflect.Int32 && e.Int() < 0 && elem.Name() != "int32" {
			e.SetInt(-(e.Int() + 1))
		}
	}
	v.Set(list)
}

// entry puts one entry at most into a map: several come in any order.
func (f filler) entry(v reflect.Value, depth int) {
	if f.r.Intn(3) == 0 || depth <= 0 {
		return
	}
	switch v.Type().Elem().Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan:
		return
	}
	k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	f.value(k, depth)
	f.value(e, depth)
	m := reflect.MakeMap(v.Type())
	m.SetMapIndex(k, e)
	v.Set(m)
}
