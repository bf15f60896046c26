// Package diff compares messages of gogo's generated code with those of ours: layout, bytes, sizes,
// text, equality, and what decoding makes of sound and of damaged input.
package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"strings"

	// gogo's registry talks
	_ "github.com/octopus-framework/octopus/conformance/gogo/internal/quiet"
)

// Message is what both have in common.
type Message interface {
	Reset()
	String() string
	Marshal() ([]byte, error)
	MarshalTo([]byte) (int, error)
	MarshalToSizedBuffer([]byte) (int, error)
	Unmarshal([]byte) error
}

// Pair makes a message of each.
type Pair struct {
	Name     string
	Old, New func() Message
}

// Options say what is compared.
type Options struct {
	Seed   int64
	Rounds int // for each pair
	NoText bool
}

// Stats counts what was compared.
type Stats struct{ Values, Mutations, Errors, TwoKeys int }

// most is how many differences of one message are told.
const most = 3

// Run compares all pairs and returns what differs.
func Run(pairs []Pair, o Options) (s Stats, differences []string) {
	for _, p := range pairs {
		found := Layout(p.Name, reflect.TypeOf(p.Old()).Elem(), reflect.TypeOf(p.New()).Elem())
		for round := 0; round < o.Rounds && len(found) < most; round++ {
			seed := o.Seed + int64(round)
			found = append(found, p.round(seed, o, &s)...)
		}
		differences = append(differences, found...)
	}
	return s, differences
}

// call calls a function and makes an error of a panic.
func call(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

func text(err error) string {
	if err == nil {
		return "nil"
	}
	s := err.Error()
	if strings.HasPrefix(s, "timestamp: ") || strings.HasPrefix(s, "duration: ") {
		return s[:8] // gogo writes a Go literal there, with newlines
	}
	if strings.HasPrefix(s, "panic: runtime error") {
		return "panic"
	}
	return s
}

func (p Pair) round(seed int64, o Options, s *Stats) (found []string) {
	fail := func(format string, args ...any) {
		found = append(found, fmt.Sprintf("%s, seed %d: %s", p.Name, seed,
			fmt.Sprintf(format, args...)))
	}
	old, ours := p.Old(), p.New()
	filler{rand.New(rand.NewSource(seed))}.message(reflect.ValueOf(old), deepest)
	filler{rand.New(rand.NewSource(seed))}.message(reflect.ValueOf(ours), deepest)
	if d := differ(reflect.ValueOf(old), reflect.ValueOf(ours), ""); d != "" {
		fail("the values are not the same to begin with: %s", d)
		return found
	}
	s.Values++
	if size(old) != size(ours) {
		fail("Size is %d, gogo's %d", size(ours), size(old))
	}
	var a, b []byte
	errA := call(func() (err error) { a, err = old.Marshal(); return err })
	errB := call(func() (err error) { b, err = ours.Marshal(); return err })
	if text(errA) != text(errB) {
		fail("Marshal says %q, gogo's %q", text(errB), text(errA))
	}
	if !bytes.Equal(a, b) {
		fail("Marshal writes\n%x, gogo's\n%x\nof %+v", b, a, old)
	}
	if !o.NoText {
		if x, y := masked(old.String()), masked(ours.String()); x != y {
			fail("String is\n%s, gogo's\n%s", y, x)
		}
		if x, ok := old.(fmt.GoStringer); ok {
			if x, y := masked(x.GoString()), masked(ours.(fmt.GoStringer).GoString()); x != y {
				fail("GoString is\n%s, gogo's\n%s", y, x)
			}
		}
	}
	if errA != nil || errB != nil {
		s.Errors++
		return found
	}
	buf := make([]byte, len(a)+5)
	if n, err := ours.MarshalToSizedBuffer(buf); err != nil || !bytes.Equal(buf[len(buf)-n:], a) {
		fail("MarshalToSizedBuffer writes %x, %v", buf, err)
	}
	if n, err := ours.MarshalTo(buf); err != nil || !bytes.Equal(buf[:n], a) {
		fail("MarshalTo writes %x, %v", buf, err)
	}
	found = append(found, p.decode(seed, a, s, true)...)
	r := rand.New(rand.NewSource(seed))
	for range 4 {
		found = append(found, p.decode(seed, mutate(r, a), s, false)...)
	}
	return found
}

// address is a pointer in text, or a large number.
var address = regexp.MustCompile(`\b0x[0-9a-f]{6,}\b`)

func masked(text string) string { return address.ReplaceAllString(text, "0xADDRESS") }

func size(m Message) int {
	if s, ok := m.(interface{ Size() int }); ok {
		return s.Size()
	}
	if s, ok := m.(interface{ ProtoSize() int }); ok {
		return s.ProtoSize()
	}
	return -1
}

// decode reads input into fresh messages, and once more into the same ones. sound tells that it was
// not damaged.
//
// One difference is known: when an entry of a map has two keys, or two values, that are varints,
// gogo's code joins their bits by or; the specification has the last one count, and so has ours. No
// encoder writes such entries.
func (p Pair) decode(seed int64, input []byte, s *Stats, sound bool) (found []string) {
	old, ours := p.Old(), p.New()
	fail := func(format string, args ...any) {
		found = append(found, fmt.Sprintf("%s, seed %d: %s\ninput %x", p.Name, seed,
			fmt.Sprintf(format, args...), input))
	}
	for range 2 {
		s.Mutations++
		errA := call(func() error { return old.Unmarshal(input) })
		errB := call(func() error { return ours.Unmarshal(input) })
		if text(errA) != text(errB) {
			fail("Unmarshal says %q, gogo's %q", text(errB), text(errA))
		}
		if errA != nil || errB != nil {
			return found
		}
		if d := differ(reflect.ValueOf(old), reflect.ValueOf(ours), ""); d != "" {
			if !sound && (strings.Contains(d, "no key") || strings.Contains(d, "}: ")) {
				s.TwoKeys++
				return found
			}
			fail("Unmarshal makes something else: %s", d)
			return found
		}
	}
	if e, ok := ours.(interface{ Equal(interface{}) bool }); ok {
		fresh, freshOld := p.New(), p.Old()
		if fresh.Unmarshal(input) == nil && freshOld.Unmarshal(input) == nil {
			if x, y := old.(interface{ Equal(interface{}) bool }).Equal(freshOld),
				e.Equal(fresh); x != y {
				fail("Equal is %v, gogo's %v", y, x)
			}
			if c, ok := ours.(interface{ Compare(interface{}) int }); ok {
				x := old.(interface{ Compare(interface{}) int }).Compare(freshOld)
				if y := c.Compare(fresh); x != y {
					fail("Compare is %v, gogo's %v", y, x)
				}
			}
		}
	}
	return found
}

// mutate damages a copy of input.
func mutate(r *rand.Rand, input []byte) []byte {
	out := bytes.Clone(input)
	for range 1 + r.Intn(3) {
		if len(out) == 0 {
			return []byte{byte(r.Intn(256))}
		}
		i := r.Intn(len(out))
		switch r.Intn(4) {
		case 0:
			out = out[:i]
		case 1:
			out[i] = byte(r.Intn(256))
		case 2:
			out[i] ^= 1 << r.Intn(8)
		default:
			out = append(out[:i:i], append([]byte{byte(r.Intn(256))}, out[i:]...)...)
		}
	}
	return out
}

// differ compares two values of different types and the same shape, NaN equal to itself.
func differ(a, b reflect.Value, at string) string {
	if a.Kind() != b.Kind() {
		return fmt.Sprintf("%s: kinds %v and %v", at, a.Kind(), b.Kind())
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: nil %v and %v", at, a.IsNil(), b.IsNil())
		}
		if a.IsNil() {
			return ""
		}
		return differ(a.Elem(), b.Elem(), at)
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differ(a.Field(i), b.Field(i), at+"."+a.Type().Field(i).Name); d != "" {
				return d
			}
		}
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return fmt.Sprintf("%s: %v and %v", at, a, b)
		}
		for i := range a.Len() {
			if d := differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", at, i)); d != "" {
				return d
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if d := differ(a.Index(i), b.Index(i), at); d != "" {
				return d
			}
		}
	case reflect.Map:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return fmt.Sprintf("%s: %v and %v", at, a, b)
		}
		for _, k := range a.MapKeys() {
			x, y := a.MapIndex(k), b.MapIndex(k)
			if !y.IsValid() {
				return fmt.Sprintf("%s: no key %v", at, k)
			}
			if d := differ(x, y, fmt.Sprintf("%s{%v}", at, k)); d != "" {
				return d
			}
		}
	case reflect.Float32, reflect.Float64:
		if x, y := a.Float(), b.Float(); x != y && (x == x || y == y) {
			return fmt.Sprintf("%s: %v and %v", at, a, b)
		}
	default:
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			return fmt.Sprintf("%s: %s and %s", at, x, y)
		}
	}
	return ""
}

// Layout compares the fields of two structs: names, types, tags, offsets, sizes.
func Layout(name string, a, b reflect.Type) (found []string) {
	if a.Size() != b.Size() || a.NumField() != b.NumField() {
		return []string{fmt.Sprintf("%s: %d bytes and %d fields, gogo's %d and %d", name, b.Size(),
			b.NumField(), a.Size(), a.NumField())}
	}
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		if x.Name != y.Name || x.Tag != y.Tag || x.Offset != y.Offset ||
			x.Anonymous != y.Anonymous ||
			x.Type.Size() != y.Type.Size() || bare(x.Type) != bare(y.Type) {
			found = append(found, fmt.Sprintf("%s: field %s %s %s, gogo's %s %s %s", name, y.Name,
				y.Type, y.Tag, x.Name, x.Type, x.Tag))
		}
	}
	return found
}

// bare is a type's name; the two packages have the same one.
func bare(t reflect.Type) string { return t.String() }
