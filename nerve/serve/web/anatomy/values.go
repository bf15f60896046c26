package anatomy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// wireOf is the wire type of one value of a field.
func wireOf(f *dynamic.Field) protowire.Type {
	switch k := f.Kind; {
	case k <= rt.KindEnum:
		return protowire.VarintType
	case k <= rt.KindFloat:
		return protowire.Fixed32Type
	case k <= rt.KindDouble:
		return protowire.Fixed64Type
	case k == rt.KindGroup:
		return protowire.StartGroupType
	}
	return protowire.BytesType
}

// typeName is the type of a field as a .proto file has it.
func typeName(f *dynamic.Field) string {
	name := kinds[f.Kind]
	switch {
	case f.Kind == rt.KindMap:
		return fmt.Sprintf("map<%s, %s>", typeName(f.Key()), typeName(f.Value()))
	case f.Message != nil:
		name = f.Message.Name
	case f.Enum != nil:
		name = f.Enum.Name
	}
	if f.Repeated {
		return "repeated " + name
	}
	return name
}

// kinds are the names of types in .proto files.
var kinds = [...]string{
	rt.KindBool: "bool", rt.KindInt32: "int32", rt.KindSint32: "sint32", rt.KindUint32: "uint32",
	rt.KindInt64: "int64", rt.KindSint64: "sint64", rt.KindUint64: "uint64", rt.KindEnum: "enum",
	rt.KindSfixed32: "sfixed32", rt.KindFixed32: "fixed32", rt.KindFloat: "float",
	rt.KindSfixed64: "sfixed64", rt.KindFixed64: "fixed64", rt.KindDouble: "double",
	rt.KindString: "string", rt.KindBytes: "bytes", rt.KindMessage: "message",
	rt.KindGroup: "group", rt.KindMap: "map",
}

func varintText(v uint64, field *dynamic.Field) string {
	if field == nil {
		text := strconv.FormatUint(v, 10)
		if int64(v) < 0 {
			text += " or " + strconv.FormatInt(int64(v), 10)
		}
		return text
	}
	switch field.Kind {
	case rt.KindBool:
		return strconv.FormatBool(v != 0)
	case rt.KindInt32:
		return strconv.FormatInt(int64(int32(v)), 10)
	case rt.KindInt64:
		return strconv.FormatInt(int64(v), 10)
	case rt.KindUint32:
		return strconv.FormatUint(uint64(uint32(v)), 10)
	case rt.KindSint32, rt.KindSint64:
		return strconv.FormatInt(protowire.DecodeZigZag(v), 10)
	case rt.KindEnum:
		if name, ok := field.Enum.NameOf(int32(v)); ok {
			return fmt.Sprintf("%s (%d)", name, int32(v))
		}
		return fmt.Sprintf("%d, which has no name", int32(v))
	}
	return strconv.FormatUint(v, 10)
}

func fixedText(b []byte, field *dynamic.Field) string {
	if len(b) == 4 {
		v := binary.LittleEndian.Uint32(b)
		float := strconv.FormatFloat(float64(math.Float32frombits(v)), 'g', -1, 32)
		switch {
		case field == nil:
			return fmt.Sprintf("%d or %s", v, float)
		case field.Kind == rt.KindFloat:
			return float
		case field.Kind == rt.KindSfixed32:
			return strconv.Itoa(int(int32(v)))
		}
		return strconv.FormatUint(uint64(v), 10)
	}
	v := binary.LittleEndian.Uint64(b)
	float := strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	switch {
	case field == nil:
		return fmt.Sprintf("%d or %s", v, float)
	case field.Kind == rt.KindDouble:
		return float
	case field.Kind == rt.KindSfixed64:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}

// bytesValue is what has a length: text, bytes, a message or packed numbers.
func (w *walker) bytesValue(node *Node, field *dynamic.Field, depth int) *Error {
	b := w.bytes[node.Value:node.End]
	switch {
	case field == nil:
		w.guess(node, b, depth)
		return nil
	case field.Kind == rt.KindString:
		if field.UTF8 && !utf8.Valid(b) {
			node.Text = hexText(b)
			return &Error{node.Value + invalidAt(b), "", "text that is not UTF-8"}
		}
		node.Text = quoted(b)
	case field.Kind == rt.KindBytes:
		node.Text = hexText(b)
	case field.Kind == rt.KindMessage || field.Kind == rt.KindMap:
		node.Text = countText(len(b))
		fields, _, err := w.message(node.Value, node.End, field.Message, 0, depth+1)
		node.Fields = fields
		return err
	case field.Repeated && wireOf(field) != protowire.StartGroupType:
		return packed(node, b, field)
	default:
		node.Text = hexText(b)
		return matches(node, protowire.BytesType, field)
	}
	return nil
}

func countText(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}

// guess shows bytes of which nothing is known: as text if they are, else as a
// message if they could be one.
func (w *walker) guess(node *Node, b []byte, depth int) {
	if len(b) == 0 || printable(b) {
		node.Text = quoted(b)
		if len(b) == 0 {
			return
		}
	} else {
		node.Text = hexText(b)
	}
	if depth > maxGuess {
		return
	}
	before := w.left
	fields, _, err := w.message(node.Value, node.End, nil, 0, depth+1)
	if err != nil || len(fields) == 0 {
		w.left = before
		return
	}
	node.Fields, node.Guess = fields, true
	if !printable(b) {
		node.Text = countText(len(b))
	}
}

// packed lists numbers that lie one behind the other.
func packed(node *Node, b []byte, field *dynamic.Field) *Error {
	var text strings.Builder
	text.WriteByte('[')
	for at, n := 0, 0; at < len(b); n++ {
		v, size := "", 0
		switch wireOf(field) {
		case protowire.VarintType:
			var x uint64
			if x, size = protowire.ConsumeVarint(b[at:]); size >= 0 {
				v = varintText(x, field)
			}
		case protowire.Fixed32Type:
			size = 4
		default:
			size = 8
		}
		if size < 0 || size > len(b)-at {
			return &Error{node.Value + at, "", "a number of a packed list is cut off"}
		}
		if v == "" {
			v = fixedText(b[at:at+size], field)
		}
		if text.Len() < maxText {
			if n > 0 {
				text.WriteString(", ")
			}
			text.WriteString(v)
			if text.Len() >= maxText {
				text.WriteString(", …")
			}
		}
		at += size
	}
	text.WriteByte(']')
	node.Text = text.String()
	node.Note = "packed"
	return nil
}

func hexText(b []byte) string {
	if len(b) > maxText/4 {
		return fmt.Sprintf("%x… (%d bytes)", b[:maxText/4], len(b))
	}
	return fmt.Sprintf("%x", b)
}

// quoted is text with its control characters made visible.
func quoted(b []byte) string {
	if len(b) <= maxText {
		return strconv.Quote(string(b))
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(b[:cut])), len(b))
}

// printable reports whether bytes are text without control characters but for
// tabs and ends of lines.
func printable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' ||
			r == 0x7f {
			return false
		}
		b = b[n:]
	}
	return true
}

// invalidAt is the offset of the first byte that is not UTF-8.
func invalidAt(b []byte) int {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return at
}

// Printable reports whether bytes are text without control characters but for
// tabs and ends of lines.
func Printable(b []byte) bool { return printable(b) }

func number(n *Node) string { return strconv.Itoa(int(n.Number)) }

// unquoted is a value as a table shows it: text without quotes, enums by name.
func unquoted(text string) string {
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	return text
}

// TypeName is the type of a field as a .proto file has it.
func TypeName(f *dynamic.Field) string { return typeName(f) }
