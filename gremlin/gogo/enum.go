package gogo

import "strconv"

// EnumName returns the name of a number, or the number in digits.
func EnumName(names map[int32]string, number int32) string {
	if s, ok := names[number]; ok {
		return s
	}
	return strconv.Itoa(int(number))
}

// MarshalJSONEnum returns the JSON of an enum of proto2: its name as a string.
func MarshalJSONEnum(names map[int32]string, number int32) ([]byte, error) {
	return []byte(strconv.Quote(EnumName(names, number))), nil
}

// UnmarshalJSONEnum reads the JSON of an enum of proto2: a name or, as older files have it, a
// number.
func UnmarshalJSONEnum(values map[string]int32, data []byte, enum string) (int32, error) {
	if len(data) > 0 && data[0] == '"' {
		name, err := strconv.Unquote(string(data))
		if err != nil {
			return -1, wrong("cannot unmarshal " + quoted(data) + " into enum " + enum)
		}
		v, ok := values[name]
		if !ok {
			return 0, wrong("unrecognized enum " + enum + " value " + strconv.Quote(string(data)))
		}
		return v, nil
	}
	v, err := strconv.ParseInt(string(data), 10, 32)
	if err != nil {
		return 0, wrong("cannot unmarshal " + quoted(data) + " into enum " + enum)
	}
	return int32(v), nil
}

// quoted quotes as the verb %#q does.
func quoted(data []byte) string {
	if s := string(data); strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(string(data))
}

// SortBools brings the keys of a map into order.
func SortBools(keys []bool) {
	if len(keys) == 2 && keys[0] {
		keys[0], keys[1] = keys[1], keys[0]
	}
}
