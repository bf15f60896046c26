package gremlincmp

import "reflect"

// add returns a list, nil at first, with one more value.
func add(list, v any) any {
	t := reflect.TypeOf(v)
	l := reflect.ValueOf(list)
	if list == nil {
		l = reflect.MakeSlice(reflect.SliceOf(t), 0, 1)
	}
	return reflect.Append(l, reflect.ValueOf(v)).Interface()
}

// put returns a map, nil at first, with one more entry.
func put(m, k, v any) any {
	x := reflect.ValueOf(m)
	if m == nil {
		x = reflect.MakeMap(reflect.MapOf(reflect.TypeOf(k), reflect.TypeOf(v)))
	}
	x.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(v))
	return x.Interface()
}
