package sidebyside

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

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
		if a.IsNil() || a.Kind() == reflect.Pointer && a.Pointer() == b.Pointer() {
			return ""
		}
		return differ(a.Elem(), b.Elem(), at)
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return fmt.Sprintf("%s: %d and %d fields", at, a.NumField(), b.NumField())
		}
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
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		// An enum's number counts here, not its name.
		if a.CanInt() && a.Int() != b.Int() || a.CanUint() && a.Uint() != b.Uint() ||
			a.Kind() == reflect.String && a.String() != b.String() ||
			a.Kind() == reflect.Bool && a.Bool() != b.Bool() {
			return fmt.Sprintf("%s: %v and %v", at, a, b)
		}
	}
	return ""
}

// Literal writes a value as a Go expression. Fields that are zero are left out.
func Literal(v any) string {
	var b strings.Builder
	literal(&b, reflect.ValueOf(v), 0)
	return b.String()
}

// deepestLiteral keeps a message that refers to itself from being written for ever.
const deepestLiteral = 50

func literal(b *strings.Builder, v reflect.Value, depth int) {
	if !v.IsValid() || depth > deepestLiteral {
		b.WriteString("nil")
		return
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Pointer:
		switch {
		case v.IsNil():
			b.WriteString("nil")
		case v.Elem().Kind() == reflect.Struct && t.Elem() != timeType:
			b.WriteByte('&')
			literal(b, v.Elem(), depth+1)
		default:
			b.WriteString("new(")
			if t.Elem().PkgPath() == "" && t.Elem().Kind() <= reflect.Complex128 {
				fmt.Fprintf(b, "%s(%v))", t.Elem(), v.Elem())
				return
			}
			literal(b, v.Elem(), depth+1)
			b.WriteByte(')')
		}
	case reflect.Interface:
		literal(b, v.Elem(), depth+1)
	case reflect.Struct:
		if t == timeType && v.CanInterface() {
			at := v.Interface().(time.Time)
			fmt.Fprintf(b, "time.Unix(%d, %d).UTC()", at.Unix(), at.Nanosecond())
			return
		}
		b.WriteString(t.String() + "{")
		sep := ""
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			b.WriteString(sep + t.Field(i).Name + ": ")
			literal(b, v.Field(i), depth+1)
			sep = ", "
		}
		b.WriteByte('}')
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			b.WriteString("nil")
			return
		}
		if v.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			b.WriteString(t.String() + "(" + strconv.Quote(string(v.Bytes())) + ")")
			return
		}
		b.WriteString(t.String() + "{")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			literal(b, v.Index(i), depth+1)
		}
		b.WriteByte('}')
	case reflect.Map:
		var entries []string
		for _, k := range v.MapKeys() {
			var e strings.Builder
			literal(&e, k, depth+1)
			e.WriteString(": ")
			literal(&e, v.MapIndex(k), depth+1)
			entries = append(entries, e.String())
		}
		sort.Strings(entries)
		b.WriteString(t.String() + "{" + strings.Join(entries, ", ") + "}")
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		b.WriteString(t.String())
	default:
		switch {
		case t.PkgPath() == "" || !v.CanInterface():
			fmt.Fprint(b, v)
		case v.CanInt():
			fmt.Fprintf(b, "%s(%d)", t, v.Int())
		case v.CanUint():
			fmt.Fprintf(b, "%s(%d)", t, v.Uint())
		default:
			fmt.Fprintf(b, "%s(%v)", t, v)
		}
	}
}
