package sidebyside

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"strings"
)

// layout compares structs: names, types, tags, offsets, sizes.
func (c *comparison) layout(a, b reflect.Type) {
	if a.Kind() != reflect.Struct || b.Kind() != reflect.Struct {
		c.same("layout", a.Kind().String(), b.Kind().String(), nil, nil)
		return
	}
	if a.Size() != b.Size() || a.NumField() != b.NumField() {
		c.fail("layout", fmt.Sprintf("old %d bytes and %d fields, new %d and %d", a.Size(),
			a.NumField(), b.Size(), b.NumField()), nil, nil)
		return
	}
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		show := func(f reflect.StructField) string {
			return fmt.Sprintf("field %s %s `%s` at %d, embedded %v", f.Name, f.Type, f.Tag,
				f.Offset, f.Anonymous)
		}
		c.same("layout", show(x), show(y), nil, nil)
	}
}

// nothing compares what both make of a nil pointer and of a message without fields.
func (c *comparison) nothing() {
	old, ours := reflect.ValueOf(c.Old()), reflect.ValueOf(c.New())
	nilOld, nilOurs := reflect.Zero(old.Type()), reflect.Zero(ours.Type())
	for _, v := range []struct {
		what      string
		old, ours reflect.Value
	}{{"nil ", nilOld, nilOurs}, {"", old, ours}} {
		for _, name := range c.Methods {
			was, now := v.old.MethodByName(name), v.ours.MethodByName(name)
			if !now.IsValid() || !plain(was) || !plain(now) {
				continue
			}
			c.same(v.what+name, show(was), show(now), nil, nil)
		}
	}
}

// plain tells whether a method can be called without arguments and says something.
func plain(m reflect.Value) bool { return m.Type().NumIn() == 0 && m.Type().NumOut() > 0 }

// show calls a method and shows what it returns.
func show(m reflect.Value) (text string) {
	err := call(func() error {
		for _, v := range m.Call(nil) {
			if b, ok := v.Interface().([]byte); ok && len(b) > 2 && b[0] == 0x1f && b[1] == 0x8b {
				text += "compressed " // descriptors differ in what compressed them
				continue
			}
			if v.Type().Name() == "Descriptor" || v.Kind() == reflect.Chan {
				continue
			}
			text += Literal(v.Interface()) + " "
		}
		return nil
	})
	if err != nil {
		return said(err)
	}
	return text
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

// said is the text of an error, as far as it has to be the same.
func said(err error) string {
	if err == nil {
		return "no error"
	}
	s := err.Error()
	if strings.HasPrefix(s, "timestamp: ") || strings.HasPrefix(s, "duration: ") {
		return s[:8] // gogo writes a Go literal there, with newlines
	}
	if strings.HasPrefix(s, "panic: ") {
		return "panic" // the text has names of packages
	}
	return s
}

// address is a pointer in text, or a large number.
var address = regexp.MustCompile(`\b0x[0-9a-f]{6,}\b`)

// Methods of generated code, by the parts of which they come.
type (
	sizer     interface{ Size() int }
	protoSize interface{ ProtoSize() int }
	marshaler interface{ Marshal() ([]byte, error) }
	writer    interface{ MarshalTo([]byte) (int, error) }
	backwards interface{ MarshalToSizedBuffer([]byte) (int, error) }
	reader    interface{ Unmarshal([]byte) error }
	resetter  interface{ Reset() }
	equaler   interface{ Equal(interface{}) bool }
	verbose   interface{ VerboseEqual(interface{}) error }
	comparer  interface{ Compare(interface{}) int }
	library   interface {
		XXX_Size() int
		XXX_Marshal([]byte, bool) ([]byte, error)
	}
	libraryReader interface{ XXX_Unmarshal([]byte) error }
)

// encoding returns what a message writes, by the way that the libraries go.
func encoding(m any) (b []byte, err error, ok bool) {
	switch x := m.(type) {
	case marshaler:
		err = call(func() (err error) { b, err = x.Marshal(); return err })
		return b, err, true
	case library:
		err = call(func() (err error) {
			b, err = x.XXX_Marshal(make([]byte, 0, x.XXX_Size()), true)
			return err
		})
		return b, err, true
	}
	return nil, nil, false
}

func read(m any, input []byte) (err error, ok bool) {
	switch x := m.(type) {
	case reader:
		return call(func() error { return x.Unmarshal(input) }), true
	case libraryReader:
		return call(func() error { return x.XXX_Unmarshal(input) }), true
	}
	return nil, false
}

func size(m any) string {
	var n int
	err := call(func() error {
		switch x := m.(type) {
		case sizer:
			n = x.Size()
		case protoSize:
			n = x.ProtoSize()
		case library:
			n = x.XXX_Size()
		}
		return nil
	})
	return fmt.Sprint(n, " ", said(err))
}

// round compares one random value.
func (c *comparison) round(source rand.Source) {
	seed := source.Int63()
	old, ours := c.Old(), c.New()
	filler{rand.New(rand.NewSource(seed))}.message(reflect.ValueOf(old), deepest)
	filler{rand.New(rand.NewSource(seed))}.message(reflect.ValueOf(ours), deepest)
	c.values++
	if d := differ(reflect.ValueOf(old), reflect.ValueOf(ours), ""); d != "" {
		c.fail("value", "the same fields do not make the same value: "+d, old, nil)
		return
	}
	c.same("size", size(old), size(ours), old, nil)
	c.texts(old, ours)
	c.equality(seed)
	a, errA, ok := encoding(old)
	b, errB, _ := encoding(ours)
	if !ok {
		return
	}
	c.same("verdict of Marshal", said(errA), said(errB), old, nil)
	c.same("bytes", fmt.Sprintf("%x", a), fmt.Sprintf("%x", b), old, nil)
	if errA != nil || errB != nil {
		return
	}
	c.buffers(old, ours, len(a))
	c.decode(a, true)
	r := rand.New(rand.NewSource(seed))
	for range 4 {
		c.decode(mutate(r, a), false)
	}
	for _, m := range []any{old, ours} {
		if x, ok := m.(resetter); ok {
			x.Reset()
		}
	}
	if d := differ(reflect.ValueOf(old), reflect.ValueOf(ours), ""); d != "" {
		c.fail("Reset", d, nil, nil)
	}
}

// buffers compares the methods that write into a buffer of the caller's.
func (c *comparison) buffers(old, ours any, n int) {
	for _, room := range []int{n, n + 5, n - 1} {
		if room < 0 {
			continue
		}
		x, y := make([]byte, room), make([]byte, room)
		if o, ok := old.(writer); ok {
			if m, ok := ours.(writer); ok {
				c.same("MarshalTo", wrote(o.MarshalTo, x), wrote(m.MarshalTo, y), old, nil)
			}
		}
		clear(x)
		clear(y)
		if o, ok := old.(backwards); ok {
			if m, ok := ours.(backwards); ok && room >= n {
				c.same("MarshalToSizedBuffer", wrote(o.MarshalToSizedBuffer, x),
					wrote(m.MarshalToSizedBuffer, y), old, nil)
			}
		}
	}
}

func wrote(f func([]byte) (int, error), b []byte) string {
	var n int
	err := call(func() (err error) { n, err = f(b); return err })
	if err != nil {
		return said(err)
	}
	return fmt.Sprintf("%d %x", n, b)
}

// texts compares the generated methods that can be called without arguments, and encoding/json.
func (c *comparison) texts(old, ours any) {
	a, b := reflect.ValueOf(old), reflect.ValueOf(ours)
	for _, name := range c.Methods {
		switch name {
		case "Marshal", "Size", "ProtoSize", "XXX_Size", "Descriptor":
			continue // compared elsewhere
		}
		was, now := a.MethodByName(name), b.MethodByName(name)
		if !now.IsValid() || !plain(was) || !plain(now) {
			continue
		}
		c.same(name, masked(show(was)), masked(show(now)), old, nil)
	}
	c.same("encoding/json", inJSON(old), inJSON(ours), old, nil)
}

func masked(text string) string { return address.ReplaceAllString(text, "0xADDRESS") }

func inJSON(m any) string {
	var b []byte
	err := call(func() (err error) { b, err = json.Marshal(m); return err })
	if err != nil {
		return "an error" // its text has the name of the type
	}
	return string(b)
}

// equality compares Equal, VerboseEqual and Compare on a message and copies in each of which one
// field is that of another message.
func (c *comparison) equality(seed int64) {
	switch c.Old().(type) {
	case equaler, verbose, comparer:
	default:
		return
	}
	var m [2]struct{ message, same, other any }
	for side, fresh := range []func() any{c.Old, c.New} {
		m[side].message, m[side].same, m[side].other = fresh(), fresh(), fresh()
		for _, x := range []any{m[side].message, m[side].same} {
			filler{rand.New(rand.NewSource(seed))}.message(reflect.ValueOf(x), deepest)
		}
		filler{rand.New(rand.NewSource(seed + 1))}.message(reflect.ValueOf(m[side].other), deepest)
	}
	compare := func() {
		old, ours := m[0], m[1]
		c.same("Equal", equal(old.message, old.same), equal(ours.message, ours.same), old.same, nil)
		c.same("Equal", equal(old.same, old.message), equal(ours.same, ours.message), old.same, nil)
	}
	compare()
	for i := range reflect.TypeOf(m[0].message).Elem().NumField() {
		for side := range m {
			set(m[side].same, m[side].other, i)
		}
		compare()
		for side := range m {
			set(m[side].same, m[side].message, i)
		}
	}
}

// set gives a message one field of another.
func set(to, from any, i int) {
	if f := reflect.ValueOf(to).Elem().Field(i); f.CanSet() {
		f.Set(reflect.ValueOf(from).Elem().Field(i))
	}
}

func equal(a, b any) (text string) {
	err := call(func() error {
		if x, ok := a.(equaler); ok {
			text += fmt.Sprint("Equal ", x.Equal(b), x.Equal(reflect.ValueOf(b).Elem().Interface()),
				x.Equal(nil), x.Equal(1))
		}
		if x, ok := a.(verbose); ok {
			text += fmt.Sprint(" VerboseEqual ", x.VerboseEqual(b) == nil)
		}
		if x, ok := a.(comparer); ok {
			text += fmt.Sprint(" Compare ", x.Compare(b), x.Compare(nil))
		}
		return nil
	})
	return text + " " + said(err)
}

// decode compares what both make of an input, twice into the same messages.
//
// One difference is known: when an entry of a map has two keys, or two values, that are varints,
// gogo's code joins their bits by or; no encoder writes such entries. sound tells that the input
// was written by one.
func (c *comparison) decode(input []byte, sound bool) {
	old, ours := c.Old(), c.New()
	for range 2 {
		c.inputs++
		x, y := bytes.Clone(input), bytes.Clone(input)
		errA, ok := read(old, x)
		errB, _ := read(ours, y)
		for i := range x { // the input is the caller's again
			x[i], y[i] = ^x[i], ^y[i]
		}
		if !ok {
			return
		}
		if !c.same("verdict of Unmarshal", said(errA), said(errB), nil, input) || errA != nil {
			return
		}
		d := differ(reflect.ValueOf(old), reflect.ValueOf(ours), "")
		if !sound && d != "" && (strings.Contains(d, "no key") || strings.Contains(d, "}: ")) {
			return
		}
		if d != "" {
			c.fail("decoded value", d, old, input)
			return
		}
	}
	a, _, _ := encoding(old)
	b, _, _ := encoding(ours)
	if !sorted(old) {
		return
	}
	c.same("bytes of what was decoded", fmt.Sprintf("%x", a), fmt.Sprintf("%x", b), old, input)
}

// sorted tells whether a message has one encoding: maps with several entries come in any order, and
// gogo's code writes damaged bytes for negative enums in packed lists.
func sorted(m any) bool { return !several(reflect.ValueOf(m)) }

func several(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && several(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if several(v.Field(i)) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			e := v.Index(i)
			if e.Kind() == reflect.Int32 && e.Type().PkgPath() != "" && e.Int() < 0 {
				return true
			}
			if several(e) {
				return true
			}
		}
	case reflect.Map:
		if v.Len() > 1 {
			return true
		}
		for _, k := range v.MapKeys() {
			if several(v.MapIndex(k)) {
				return true
			}
		}
	}
	return false
}

// systematic decodes every small number of a field with every wire type and little behind it.
func (c *comparison) systematic() {
	for number := range uint64(fieldsTried) {
		for wire := range uint64(8) {
			tag := binary.AppendUvarint(nil, number<<3|wire)
			for _, rest := range []string{"", "\x00", "\x01", "\x01\x00", "\x02\x08\x01",
				"\x00\x00\x00\x80", "\x00\x00\x00\x00\x00\x00\xf0\x7f",
				"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\x0f",
				"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
				c.decode(append(bytes.Clone(tag), rest...), false)
			}
		}
	}
}

// fieldsTried is how many numbers of fields are tried with all wire types.
const fieldsTried = 40

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
