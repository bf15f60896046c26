package diff

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"time"
)

// Reader gives m random values, and compares what the getters of a Reader of its encoding return
// with the fields. It returns how many getters it called.
func Reader(name string, m Message, reader any, seed int64, rounds int) (n int, found []string) {
	fail := func(format string, args ...any) {
		found = append(found, name+": "+fmt.Sprintf(format, args...))
	}
	for round := range rounds {
		m.Reset()
		filler{rand.New(rand.NewSource(seed + int64(round)))}.message(reflect.ValueOf(m), deepest)
		b, err := m.Marshal()
		if err != nil {
			continue // a time out of range
		}
		// What was written: of two members of a oneof one, and no nil in a map.
		m.Reset()
		if err := m.Unmarshal(b); err != nil {
			if !strings.Contains(err.Error(), "not set") { // required bytes that were nil
				fail("%v", err)
			}
			continue
		}
		if err := reader.(interface{ Unmarshal([]byte) error }).Unmarshal(b); err != nil {
			fail("the Reader says %v", err)
			continue
		}
		n += compareReader(reflect.ValueOf(m).Elem(), reflect.ValueOf(reader), fail)
		back := reflect.ValueOf(reader).MethodByName("ToMessage").Call(nil)
		if !back[1].IsNil() {
			fail("ToMessage: %v", back[1])
		} else if d := differ(reflect.ValueOf(m), back[0], ""); d != "" {
			fail("ToMessage makes something else: %s", d)
		}
		if x, y := masked(m.String()), masked(fmt.Sprint(reader)); x != y {
			fail("String is %s and not %s", y, x)
		}
	}
	return n, found
}

// compareReader compares fields of a message, members of oneofs included.
func compareReader(v, reader reflect.Value, fail func(string, ...any)) (n int) {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		if strings.HasPrefix(f.Name, "XXX_") {
			continue
		}
		if x.Kind() == reflect.Interface {
			if !x.IsNil() {
				n += compareReader(x.Elem().Elem(), reader, fail)
			}
			continue
		}
		name := strings.TrimRight(f.Name, "_")
		get := reader.MethodByName("Get" + name)
		if !get.IsValid() {
			get = reader.MethodByName("Get" + f.Name)
		}
		if !get.IsValid() {
			if !f.Anonymous {
				fail("there is no getter of %s", f.Name)
			}
			continue
		}
		n++
		own := v.Addr().MethodByName("Get" + f.Name)
		if own.IsValid() && x.Kind() == reflect.Slice {
			x = own.Call(nil)[0] // it knows default values
		}
		if has := reader.MethodByName("Has" + name); has.IsValid() && x.Kind() == reflect.Pointer &&
			has.Call(nil)[0].Bool() == x.IsNil() {
			fail("Has%s is %v", name, x.IsNil())
		}
		if x.Kind() == reflect.Pointer {
			if x.IsNil() {
				continue
			}
			x = x.Elem()
		}
		equalValues(name, x, get.Call(nil)[0], fail)
	}
	return n
}

// equalValues compares what is in a message with what a getter returned: the same type, a type that
// converts to it, or a Reader.
func equalValues(name string, x, got reflect.Value, fail func(string, ...any)) {
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	if got.Kind() == reflect.Struct && got.Type() != timeType { // an element of a list or map
		p := reflect.New(got.Type())
		p.Elem().Set(got)
		got = p
	}
	switch {
	case got.Kind() == reflect.Pointer && got.MethodByName("Raw").IsValid():
		if !x.IsValid() {
			return
		}
		p := reflect.New(x.Type())
		p.Elem().Set(x)
		if p.MethodByName("Size").IsValid() {
			compareReader(p.Elem(), got, fail)
		}
	case x.Type() == timeType:
		if x.IsZero() && strings.HasSuffix(name, "]") {
			// An entry without a value: gogo's code makes the zero time of it, and the Reader what
			// an empty Timestamp is.
			return
		}
		if !x.Interface().(time.Time).Equal(got.Interface().(time.Time)) {
			fail("%s is %v and not %v", name, got, x)
		}
	case x.Kind() == reflect.Slice && x.Type().Elem().Kind() != reflect.Uint8:
		if x.Len() != got.Len() {
			fail("%s has %d elements and not %d", name, got.Len(), x.Len())
			return
		}
		for i := range x.Len() {
			equalValues(fmt.Sprintf("%s[%d]", name, i), x.Index(i), got.Index(i), fail)
		}
	case x.Kind() == reflect.Map:
		if x.Len() != got.Len() {
			fail("%s has %d entries and not %d", name, got.Len(), x.Len())
			return
		}
		for _, k := range x.MapKeys() {
			e := got.MapIndex(k.Convert(got.Type().Key()))
			if !e.IsValid() {
				fail("%s has no key %v", name, k)
				continue
			}
			if v := x.MapIndex(k); v.Kind() != reflect.Pointer || !v.IsNil() {
				equalValues(fmt.Sprintf("%s[%v]", name, k), v, e, fail)
			}
		}
	default:
		if x.Kind() == reflect.Array { // a custom type of bytes
			b := make([]byte, x.Len())
			reflect.Copy(reflect.ValueOf(b), x)
			x = reflect.ValueOf(b)
			if got.Len() == 0 {
				return // it was not written, and has no other zero
			}
		}
		if x.Kind() == reflect.Slice && x.Len() == 0 && got.Len() == 0 {
			return
		}
		if d := differ(x, got, name); d != "" {
			fail("%s", d)
		}
	}
}
