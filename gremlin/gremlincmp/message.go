package gremlincmp

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Message is what Transform makes of a message: its populated fields by name, and its full name
// under "@type". Values are of the Go type of the field, Enum, Message, lists of those, and for
// maps map[K]V with these types; unknown fields are Unknown under their numbers, and so are
// extensions, unless Transform knows them: then they are fields named "[full.name]". What an Any
// holds is a Message under "value" if Transform knows the type. A nil pointer has "@nil" too.
type Message map[string]any

// The keys that are not names of fields.
const (
	typeKey = "@type"
	nilKey  = "@nil"
	// errorKey is why a Reader, or a Message that contains itself, cannot be compared.
	errorKey = "@error"
)

// Unknown is the encoding of all unknown fields with one number.
type Unknown []byte

// Enum is a value of an enum.
type Enum struct {
	number int32
	name   string
	info   *rt.EnumInfo
}

// Number returns the number.
func (e Enum) Number() int32 { return e.number }

// Equal tells whether e and x are the same value of the same enum.
func (e Enum) Equal(x Enum) bool { return e.number == x.number && e.info == x.info }

// String returns the name, or the number where it has none.
func (e Enum) String() string { return e.name }

// messageOf reads an encoding that a Message has written.
func messageOf(t *rt.Table, b []byte, types *gremlin.Types) Message {
	d := decoder{b: b, types: types}
	m := d.message(t, 0)
	if d.bad || len(d.b) != 0 {
		panic(fmt.Sprintf("gremlincmp: %s has an encoding that cannot be read", t.Name))
	}
	return m
}

// decoder reads encodings by tables.
type decoder struct {
	b     []byte
	types *gremlin.Types
	bad   bool
}

// inside returns a decoder of a value of the next bytes.
func (d *decoder) inside() decoder { return decoder{b: d.bytes(), types: d.types} }

// message reads fields up to the end, or to the end of the group with this number.
func (d *decoder) message(t *rt.Table, group uint64) Message {
	m := Message{typeKey: t.Name}
	for len(d.b) > 0 && !d.bad {
		start := d.b
		tag := d.varint()
		number, wire := tag>>3, tag&7
		if wire == 4 {
			d.bad = d.bad || number != group
			return d.opened(m)
		}
		f := fieldOf(t, number)
		if f == nil {
			if x := d.types.ExtensionNumbered(t, uint(number)); x != nil {
				named := *x
				named.Name = "[" + x.Name + "]"
				d.field(m, &named, number, wire)
				continue
			}
			d.skip(number, wire)
			name := strconv.FormatUint(number, 10)
			raw, _ := m[name].(Unknown)
			m[name] = append(raw, start[:len(start)-len(d.b)]...)
			continue
		}
		d.field(m, f, number, wire)
	}
	d.bad = d.bad || group != 0
	return d.opened(m)
}

// opened puts a Message in the place of what an Any holds, if its type is known.
func (d *decoder) opened(m Message) Message {
	url, _ := m["type_url"].(string)
	value, _ := m["value"].([]byte)
	if m[typeKey] != "google.protobuf.Any" || d.types == nil {
		return m
	}
	t := d.types.MessageNamed(url[strings.LastIndexByte(url, '/')+1:])
	if t == nil || rt.CheckEncoding(value, t) != nil {
		return m
	}
	// The bytes may be in any order and in pieces, those of a Message are not.
	r := reflect.New(reflect.TypeOf(t.Reader).Elem())
	if r.Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(value) == nil {
		whole := r.MethodByName("ToMessage").Call(nil)[0].Interface().(gremlin.Message)
		m["value"] = messageOf(t, whole.Marshal(), d.types)
	}
	return m
}

func fieldOf(t *rt.Table, number uint64) *rt.FieldInfo {
	for i := range t.Fields {
		if uint64(t.Fields[i].Number) == number {
			return &t.Fields[i]
		}
	}
	return nil
}

// field reads one field into m.
func (d *decoder) field(m Message, f *rt.FieldInfo, number, wire uint64) {
	switch {
	case f.Kind == rt.KindMap:
		entry := d.inside()
		t := f.Sub.GremlinTable()
		e := entry.message(t, 0)
		d.bad = d.bad || entry.bad
		key, value := orZero(e, &t.Fields[0]), orZero(e, &t.Fields[1])
		m[f.Name] = put(m[f.Name], key, value)
	case f.Flags&rt.FlagRepeated == 0:
		m[f.Name] = d.value(f, number)
	case wire == 2 && f.Kind != rt.KindString && f.Kind != rt.KindBytes && f.Kind != rt.KindMessage:
		for packed := d.inside(); len(packed.b) > 0 && !packed.bad; {
			m[f.Name] = add(m[f.Name], packed.value(f, number))
			d.bad = d.bad || packed.bad
		}
	default:
		m[f.Name] = add(m[f.Name], d.value(f, number))
	}
}

// orZero returns a field of a map's entry, which may have been left out.
func orZero(e Message, f *rt.FieldInfo) any {
	if v, ok := e[f.Name]; ok {
		return v
	}
	d := decoder{b: make([]byte, 8)}
	if f.Kind == rt.KindMessage {
		return Message{typeKey: f.Sub.GremlinTable().Name}
	}
	return d.value(f, 0)
}

// value reads one value.
func (d *decoder) value(f *rt.FieldInfo, number uint64) any {
	switch f.Kind {
	case rt.KindBool:
		return d.varint() != 0
	case rt.KindInt32:
		return int32(d.varint())
	case rt.KindInt64:
		return int64(d.varint())
	case rt.KindUint32:
		return uint32(d.varint())
	case rt.KindUint64:
		return d.varint()
	case rt.KindSint32:
		return int32(unzigzag(d.varint()))
	case rt.KindSint64:
		return unzigzag(d.varint())
	case rt.KindFixed32:
		return d.fixed32()
	case rt.KindSfixed32:
		return int32(d.fixed32())
	case rt.KindFloat:
		return math.Float32frombits(d.fixed32())
	case rt.KindFixed64:
		return d.fixed64()
	case rt.KindSfixed64:
		return int64(d.fixed64())
	case rt.KindDouble:
		return math.Float64frombits(d.fixed64())
	case rt.KindString:
		return string(d.bytes())
	case rt.KindBytes:
		return append([]byte{}, d.bytes()...)
	case rt.KindEnum:
		n := int32(d.varint())
		return Enum{n, enumText(f.Enum, n), f.Enum}
	case rt.KindGroup:
		return d.message(f.Sub.GremlinTable(), number)
	}
	inner := d.inside()
	m := inner.message(f.Sub.GremlinTable(), 0)
	d.bad = d.bad || inner.bad
	return m
}

func (d *decoder) varint() uint64 {
	v, n := binary.Uvarint(d.b)
	return uint64(d.take(n, v))
}

// take passes over n bytes, which say v.
func (d *decoder) take(n int, v uint64) uint64 {
	if n <= 0 || n > len(d.b) {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.varint()
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) fixed32() uint32 {
	if len(d.b) < 4 {
		return uint32(d.take(0, 0))
	}
	return uint32(d.take(4, uint64(binary.LittleEndian.Uint32(d.b))))
}

func (d *decoder) fixed64() uint64 {
	if len(d.b) < 8 {
		return d.take(0, 0)
	}
	return d.take(8, binary.LittleEndian.Uint64(d.b))
}

// skip passes over a value that no field is known for.
func (d *decoder) skip(number, wire uint64) {
	switch wire {
	case 0:
		d.varint()
	case 1:
		d.fixed64()
	case 2:
		d.bytes()
	case 3:
		d.message(&rt.Table{}, number)
	case 5:
		d.fixed32()
	default:
		d.bad = true
	}
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// enumText returns the name of a number, or the number where it has none.
func enumText(info *rt.EnumInfo, n int32) string {
	if name, ok := info.Find(n); ok {
		return name
	}
	return strconv.Itoa(int(n))
}
