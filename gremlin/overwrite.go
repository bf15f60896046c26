package gremlin

import (
	"reflect"

	"github.com/octopus-framework/octopus/gremlin/guard"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

func init() {
	if guard.On {
		rt.BeforeReuse = overwrite
	}
}

// overwrite writes over what a Message refers to and the next decoding would use again: numbers,
// strings and lists, so that whoever kept a part of it reads nonsense. What strings and bytes point
// to is left alone: it may be the input. It is for package guard.
func overwrite(m Message) {
	overwriteValue(reflect.ValueOf(m).Elem())
}

func overwriteValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			overwriteValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				overwriteValue(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			setTo(v, reflect.ValueOf([]byte(overwritten)).Convert(v.Type()))
			return
		}
		for i := range v.Len() {
			overwriteValue(v.Index(i))
		}
	case reflect.Map:
		v.Clear()
	case reflect.String:
		setTo(v, reflect.ValueOf(overwritten).Convert(v.Type()))
	case reflect.Bool:
		setTo(v, reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	case reflect.Int32, reflect.Int64:
		if v.CanSet() {
			v.SetInt(-0x22222223) // 0xdddddddd
		}
	case reflect.Uint32, reflect.Uint64:
		if v.CanSet() {
			v.SetUint(0xdddddddd)
		}
	case reflect.Float32, reflect.Float64:
		if v.CanSet() {
			v.SetFloat(-6.66e12)
		}
	}
}

// overwritten is what strings and bytes read as.
const overwritten = "OVERWRITTEN"

func setTo(v, x reflect.Value) {
	if v.CanSet() {
		v.Set(x)
	}
}
