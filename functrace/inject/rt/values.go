package rt

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// maxString bounds each string among the values, in bytes, before quoting.
const maxString = 64

// maxElements is how many numbers of a slice or array are shown.
const maxElements = 4

// contextual is what a context.Context is known by: what is in it says little and fills the line.
type contextual interface {
	Deadline() (time.Time, bool)
	Done() <-chan struct{}
	Err() error
	Value(any) any
}

// appendValues appends the values, separated by commas, until MaxText bytes are reached.
func appendValues(b []byte, values []any) []byte {
	for i, v := range values {
		if i > 0 {
			b = append(b, ", "...)
		}
		if _, ok := v.(contextual); ok {
			b = append(b, "ctx"...)
			continue
		}
		if b = appendValue(b, reflect.ValueOf(v), true); len(b) > MaxText {
			return append(b[:MaxText-3], "..."...)
		}
	}
	return b
}

// appendValue appends one value. Values are copies, but what they point to is not: it is not looked
// at. Fields of structs are shown one level deep.
func appendValue(b []byte, v reflect.Value, deep bool) []byte {
	switch v.Kind() {
	case reflect.Invalid:
		return append(b, "nil"...)
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return append(b, strconv.FormatComplex(v.Complex(), 'g', -1, 128)...)
	case reflect.String:
		s := v.String()
		if len(s) > maxString {
			return append(strconv.AppendQuote(b, s[:maxString]), "..."...)
		}
		return strconv.AppendQuote(b, s)
	case reflect.Slice:
		return appendSlice(b, v)
	case reflect.Struct:
		b = append(appendType(b, v), '{')
		for i := range v.NumField() {
			if !deep || len(b) > MaxText {
				b = append(b, "..."...)
				break
			}
			if i > 0 {
				b = append(b, ' ')
			}
			b = append(append(b, v.Type().Field(i).Name...), ':')
			b = appendValue(b, v.Field(i), false)
		}
		return append(b, '}')
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Func, reflect.Map,
		reflect.Interface:
		b = appendType(b, v)
		if v.IsNil() {
			return append(b, "(nil)"...)
		}
		return b
	default: // arrays
		return appendType(b, v)
	}
}

// appendType appends the name of a type as people write it.
func appendType(b []byte, v reflect.Value) []byte {
	return append(b, strings.ReplaceAll(v.Type().String(), "interface {}", "any")...)
}

// appendSlice appends the type and the length of a slice and, where they are numbers, its first
// elements. Another goroutine may write them: a number is then an old or a new one, while a string
// or an interface could be neither.
func appendSlice(b []byte, v reflect.Value) []byte {
	b = append(appendType(b, v), "(len "...)
	b = strconv.AppendInt(b, int64(v.Len()), 10)
	if k := v.Type().Elem().Kind(); reflect.Int <= k && k <= reflect.Float64 && v.Len() > 0 {
		b = append(b, ':')
		for i := range min(v.Len(), maxElements) {
			b = appendNumber(append(b, ' '), v.UnsafePointer(), i, k)
		}
		if v.Len() > maxElements {
			b = append(b, "..."...)
		}
	}
	return append(b, ')')
}

func appendNumber(b []byte, first unsafePointer, i int, k reflect.Kind) []byte {
	size := [...]uintptr{
		reflect.Int: wordSize, reflect.Int8: 1, reflect.Int16: 2, reflect.Int32: 4,
		reflect.Int64: 8,
		reflect.Uint:  wordSize, reflect.Uint8: 1, reflect.Uint16: 2, reflect.Uint32: 4,
		reflect.Uint64: 8, reflect.Uintptr: wordSize, reflect.Float32: 4, reflect.Float64: 8,
	}[k]
	bits := elementBits(first, i, size)
	switch k {
	case reflect.Float32:
		return strconv.AppendFloat(b, float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case reflect.Float64:
		return strconv.AppendFloat(b, math.Float64frombits(bits), 'g', -1, 64)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		free := 64 - 8*size
		return strconv.AppendInt(b, int64(bits<<free)>>free, 10)
	}
	return strconv.AppendUint(b, bits, 10)
}

// errorText returns the text of an error; an Error method that panics is no reason for the traced
// program to fail.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "(its Error method panicked)"
		}
	}()
	return err.Error()
}
