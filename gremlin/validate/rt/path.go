package rt

import (
	"strconv"
	"strings"
)

// Path is the way to a field, from the outside in.
type Path []Element

// Element is a step of a Path: a field, or one element of a list or map. For a oneof only Name is
// set.
type Element struct {
	Number int32
	Name   string
	// as in FieldDescriptorProto.Type; KeyType and ValueType are set for an entry of a map
	Type, KeyType, ValueType int32
	Subscript                Subscript
	// Value is the index, or the key if that is a number or bool: bool and signed keys converted.
	Value uint64
	Key   string // the key of a map with strings for keys
}

// Subscript says what an Element picks of a field.
type Subscript uint8

// The kinds of subscripts.
const (
	NoSubscript Subscript = iota
	Index
	BoolKey
	IntKey
	UintKey
	StringKey
)

// String returns "items[3].labels["color"]".
func (p Path) String() string {
	var b strings.Builder
	for i := range p {
		if i > 0 {
			b.WriteByte('.')
		}
		p[i].appendTo(&b)
	}
	return b.String()
}

func (e *Element) appendTo(b *strings.Builder) {
	b.WriteString(e.Name)
	if e.Subscript == NoSubscript {
		return
	}
	b.WriteByte('[')
	switch e.Subscript {
	case BoolKey:
		b.WriteString(strconv.FormatBool(e.Value != 0))
	case IntKey:
		b.WriteString(strconv.FormatInt(int64(e.Value), 10))
	case StringKey:
		b.WriteString(strconv.Quote(e.Key))
	default:
		b.WriteString(strconv.FormatUint(e.Value, 10))
	}
	b.WriteByte(']')
}

// Types of fields, as in FieldDescriptorProto.Type.
const (
	typeInt32   = 5
	typeBool    = 8
	typeString  = 9
	typeMessage = 11
	typeBytes   = 12
)

// rulesOf lists the fields of buf.validate's messages of rules that a violation can name: name,
// number, and the type where it is not that of the others.
const (
	fieldRules = " float=1 double=2 int32=3 int64=4 uint32=5 uint64=6 sint32=7 sint64=8 fixed32=9" +
		" fixed64=10 sfixed32=11 sfixed64=12 bool=13 string=14 bytes=15 enum=16 repeated=18" +
		" map=19 any=20 duration=21 timestamp=22 required=25:8 ignore=27:14 field_mask=28 "
	numberRules = " const=1 lt=2 lte=3 gt=4 gte=5 in=6 not_in=7 finite=8:8 "
	stringRules = " const=1 min_len=2:4 max_len=3:4 min_bytes=4:4 max_bytes=5:4 pattern=6" +
		" prefix=7 suffix=8 contains=9 in=10 not_in=11 email=12:8 hostname=13:8 ip=14:8 ipv4=15:8" +
		" ipv6=16:8 uri=17:8 uri_ref=18:8 len=19:4 len_bytes=20:4 address=21:8 uuid=22:8" +
		" not_contains=23 well_known_regex=24:14 strict=25:8 ip_with_prefixlen=26:8" +
		" ipv4_with_prefixlen=27:8 ipv6_with_prefixlen=28:8 ip_prefix=29:8 ipv4_prefix=30:8" +
		" ipv6_prefix=31:8 host_and_port=32:8 tuuid=33:8 ulid=35:8 protobuf_fqn=37:8" +
		" protobuf_dot_fqn=38:8 "
	bytesRules = " const=1 min_len=2:4 max_len=3:4 pattern=4:9 prefix=5 suffix=6 contains=7 in=8" +
		" not_in=9 ip=10:8 ipv4=11:8 ipv6=12:8 len=13:4 uuid=15:8 "
	enumRules      = " const=1 defined_only=2:8 in=3 not_in=4 "
	repeatedRules  = " min_items=1:4 max_items=2:4 unique=3:8 items=4 "
	mapRules       = " min_pairs=1:4 max_pairs=2:4 keys=4 values=5 "
	anyRules       = " in=2 not_in=3 "
	fieldMaskRules = " const=1:11 in=2 not_in=3 "
	durationRules  = " const=2 lt=3 lte=4 gt=5 gte=6 in=7 not_in=8 "
	timestampRules = " const=2 lt=3 lte=4 gt=5 gte=6 lt_now=7:8 gt_now=8:8 within=9 "
)

// kindOfRules tells of the rules of one kind of field which fields there are, and of which type
// most of them are.
func kindOfRules(name string) (fields string, of int32) {
	switch name {
	case "string":
		return stringRules, typeString
	case "bytes":
		return bytesRules, typeBytes
	case "bool":
		return " const=1 ", typeBool
	case "enum":
		return enumRules, typeInt32
	case "repeated":
		return repeatedRules, typeMessage
	case "map":
		return mapRules, typeMessage
	case "any":
		return anyRules, typeString
	case "field_mask":
		return fieldMaskRules, typeString
	case "duration":
		return durationRules, typeMessage
	case "timestamp":
		return timestampRules, typeMessage
	}
	const types = " double=1 float=2 int64=3 uint64=4 int32=5 fixed64=6 fixed32=7 uint32=13" +
		" sfixed32=15 sfixed64=16 sint32=17 sint64=18 "
	of, _ = lookUp(types, name)
	return numberRules, of
}

// lookUp finds " name=number:type " in a list; zeros where there is none.
func lookUp(list, name string) (number, typ int32) {
	i := strings.Index(list, " "+name+"=")
	if i < 0 {
		return 0, 0
	}
	entry := list[i+len(name)+2:]
	entry = entry[:strings.IndexByte(entry, ' ')]
	first, second, _ := strings.Cut(entry, ":")
	n, _ := strconv.Atoi(first)
	t, _ := strconv.Atoi(second)
	return int32(n), int32(t)
}

// rulePath returns the path of a rule in buf.validate.FieldRules, and its id, given the id with
// what leads to it before it: "repeated.items.string.min_len".
func rulePath(rule string) (path Path, id string) {
	list, of := fieldRules, int32(typeMessage)
	id = rule
	for name := range strings.SplitSeq(rule, ".") {
		number, typ := lookUp(list, name)
		if number == 0 { // a rule with several ids: email_empty, gt_lt_exclusive
			if short, ok := strings.CutSuffix(name, "_empty"); ok {
				name = short
			} else {
				name, _, _ = strings.Cut(name, "_")
			}
			number, typ = lookUp(list, name)
		}
		if typ == 0 {
			typ = of
		}
		path = append(path, Element{Number: number, Name: name, Type: typ})
		switch name {
		case "items", "keys", "values":
			list, of = fieldRules, typeMessage
			_, id, _ = strings.Cut(id, "."+name+".")
		case "well_known_regex": // its ids go on: header_name
			return path, id
		default:
			list, of = kindOfRules(name)
		}
	}
	return path, id
}
