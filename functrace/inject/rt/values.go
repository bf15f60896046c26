package rt

import (
	"reflect"
	"strconv"
)

// maxString bounds each string among the values, in bytes, before quoting.
const maxString = 64

// appendValues appends the values, separated by commas, until MaxText bytes are reached.
func appendValues(b []byte, values []any) []byte {
	for i, v := range values {
		if i > 0 {
			b = append(b, ", "...)
		}
		if b = appendValue(b, reflect.ValueOf(v), true); len(b) > MaxText {
			return append(b[:MaxText-3], "..."...)
		}
	}
	return b
}

// appendValue appends one value. Values are copies, but what they point to is not: it is not looked at. Fields of
// structs are shown one level deep.
func appendValue(b []byte, v reflect.Value, deep bool) []byte {
	switch v.Kind() {
	case reflect.Invalid:
		return append(b, "nil"...)
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
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
		return appendLen(append(b, v.Type().String()...), v.Len())
	case reflect.Struct:
		b = append(append(b, v.Type().String()...), '{')
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
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Func, reflect.Map, reflect.Interface:
		b = append(b, v.Type().String()...)
		if v.IsNil() {
			return append(b, "(nil)"...)
		}
		return b
	default: // arrays
		return append(b, v.Type().String()...)
	}
}

func appendLen(b []byte, n int) []byte {
	return append(strconv.AppendInt(append(b, "(len "...), int64(n), 10), ')')
}

// errorText returns the text of an error; an Error method that panics is no reason for the traced program to fail.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "(its Error method panicked)"
		}
	}()
	return err.Error()
}
