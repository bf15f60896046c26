package std

import "github.com/octopus-framework/octopus/gremlin/gogo"

// The wrappers have one field, value with number 1; zero is not written.

var valueField = []gogo.Field{{Number: 1, Name: "Value"}}

// value passes over a wrapper's fields and returns where the value that counts starts, 0 when there
// is none. next returns where a value ends, or a negative offset.
func value(b []byte, tag uint64, m *gogo.Message,
	next func(b []byte, i int) int) (at int, err error) {
	i := 0
	for uint(i) < uint(len(b)) {
		start := i
		var t uint64
		if t, i = gogo.Tag(b, i); t == tag {
			at = i
			i = next(b, i)
			continue
		}
		if _, i, err = m.Unknown(b, start, i, t); err != nil {
			return 0, err
		}
	}
	if i < 0 {
		return 0, m.Error(i)
	}
	return at, nil
}

func endOfVarint(b []byte, i int) int {
	_, i = gogo.Varint(b, i)
	return i
}

func endOfFixed32(b []byte, i int) int {
	_, i = gogo.Fixed32(b, i)
	return i
}

func endOfFixed64(b []byte, i int) int {
	_, i = gogo.Fixed64(b, i)
	return i
}

func endOfBytes(b []byte, i int) int {
	_, i = gogo.Bytes(b, i)
	return i
}

var (
	doubleInfo = gogo.Message{Name: "DoubleValue", Errors: &fileErrors, Fields: valueField}
	floatInfo  = gogo.Message{Name: "FloatValue", Errors: &fileErrors, Fields: valueField}
	int64Info  = gogo.Message{Name: "Int64Value", Errors: &fileErrors, Fields: valueField}
	uint64Info = gogo.Message{Name: "UInt64Value", Errors: &fileErrors, Fields: valueField}
	int32Info  = gogo.Message{Name: "Int32Value", Errors: &fileErrors, Fields: valueField}
	uint32Info = gogo.Message{Name: "UInt32Value", Errors: &fileErrors, Fields: valueField}
	boolInfo   = gogo.Message{Name: "BoolValue", Errors: &fileErrors, Fields: valueField}
	stringInfo = gogo.Message{Name: "StringValue", Errors: &fileErrors, Fields: valueField}
	bytesInfo  = gogo.Message{Name: "BytesValue", Errors: &fileErrors, Fields: valueField}
)

// SizeDouble returns the length of a DoubleValue, without its own length.
func SizeDouble(v float64) int {
	if v != 0 {
		return 1 + 8
	}
	return 0
}

// PutDouble writes a DoubleValue.
func PutDouble(b []byte, i int, v float64) int {
	end := i
	if v != 0 {
		i = gogo.PutDouble(b, i, v) - 1
		b[i] = 0x09
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Double reads a DoubleValue.
func Double(b []byte) (v float64, err error) {
	at, err := value(b, 0x09, &doubleInfo, endOfFixed64)
	if err != nil || at == 0 {
		return v, err
	}
	v, _ = gogo.Double(b, at)
	return v, nil
}

// SizeFloat returns the length of a FloatValue, without its own length.
func SizeFloat(v float32) int {
	if v != 0 {
		return 1 + 4
	}
	return 0
}

// PutFloat writes a FloatValue.
func PutFloat(b []byte, i int, v float32) int {
	end := i
	if v != 0 {
		i = gogo.PutFloat(b, i, v) - 1
		b[i] = 0x0d
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Float reads a FloatValue.
func Float(b []byte) (v float32, err error) {
	at, err := value(b, 0x0d, &floatInfo, endOfFixed32)
	if err != nil || at == 0 {
		return v, err
	}
	v, _ = gogo.Float(b, at)
	return v, nil
}

// SizeInt64 returns the length of an Int64Value, without its own length.
func SizeInt64(v int64) int {
	if v != 0 {
		return 1 + gogo.SizeVarint(uint64(v))
	}
	return 0
}

// PutInt64 writes an Int64Value.
func PutInt64(b []byte, i int, v int64) int {
	end := i
	if v != 0 {
		i = gogo.PutVarint(b, i, uint64(v)) - 1
		b[i] = 0x08
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Int64 reads an Int64Value.
func Int64(b []byte) (v int64, err error) {
	at, err := value(b, 0x08, &int64Info, endOfVarint)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Varint(b, at)
	return int64(u), nil
}

// SizeUint64 returns the length of a UInt64Value, without its own length.
func SizeUint64(v uint64) int {
	if v != 0 {
		return 1 + gogo.SizeVarint(v)
	}
	return 0
}

// PutUint64 writes a UInt64Value.
func PutUint64(b []byte, i int, v uint64) int {
	end := i
	if v != 0 {
		i = gogo.PutVarint(b, i, v) - 1
		b[i] = 0x08
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Uint64 reads a UInt64Value.
func Uint64(b []byte) (v uint64, err error) {
	at, err := value(b, 0x08, &uint64Info, endOfVarint)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Varint(b, at)
	return u, nil
}

// SizeInt32 returns the length of an Int32Value, without its own length.
func SizeInt32(v int32) int {
	if v != 0 {
		return 1 + gogo.SizeVarint(uint64(v))
	}
	return 0
}

// PutInt32 writes an Int32Value.
func PutInt32(b []byte, i int, v int32) int {
	end := i
	if v != 0 {
		i = gogo.PutVarint(b, i, uint64(v)) - 1
		b[i] = 0x08
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Int32 reads an Int32Value.
func Int32(b []byte) (v int32, err error) {
	at, err := value(b, 0x08, &int32Info, endOfVarint)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Varint(b, at)
	return int32(u), nil
}

// SizeUint32 returns the length of a UInt32Value, without its own length.
func SizeUint32(v uint32) int {
	if v != 0 {
		return 1 + gogo.SizeVarint(uint64(v))
	}
	return 0
}

// PutUint32 writes a UInt32Value.
func PutUint32(b []byte, i int, v uint32) int {
	end := i
	if v != 0 {
		i = gogo.PutVarint(b, i, uint64(v)) - 1
		b[i] = 0x08
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Uint32 reads a UInt32Value.
func Uint32(b []byte) (v uint32, err error) {
	at, err := value(b, 0x08, &uint32Info, endOfVarint)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Varint(b, at)
	return uint32(u), nil
}

// SizeBool returns the length of a BoolValue, without its own length.
func SizeBool(v bool) int {
	if v {
		return 1 + 1
	}
	return 0
}

// PutBool writes a BoolValue.
func PutBool(b []byte, i int, v bool) int {
	end := i
	if v {
		i = gogo.PutBool(b, i, v) - 1
		b[i] = 0x08
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Bool reads a BoolValue.
func Bool(b []byte) (v bool, err error) {
	at, err := value(b, 0x08, &boolInfo, endOfVarint)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Varint(b, at)
	return u != 0, nil
}

// SizeString returns the length of a StringValue, without its own length.
func SizeString(v string) int {
	if len(v) != 0 {
		return 1 + gogo.SizeBytes(len(v))
	}
	return 0
}

// PutString writes a StringValue.
func PutString(b []byte, i int, v string) int {
	end := i
	if len(v) != 0 {
		i = gogo.PutString(b, i, v) - 1
		b[i] = 0x0a
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// String reads a StringValue.
func String(b []byte) (v string, err error) {
	at, err := value(b, 0x0a, &stringInfo, endOfBytes)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Bytes(b, at)
	return string(u), nil
}

// SizeBytes returns the length of a BytesValue, without its own length.
func SizeBytes(v []byte) int {
	if len(v) != 0 {
		return 1 + gogo.SizeBytes(len(v))
	}
	return 0
}

// PutBytes writes a BytesValue.
func PutBytes(b []byte, i int, v []byte) int {
	end := i
	if len(v) != 0 {
		i = gogo.PutBytes(b, i, v) - 1
		b[i] = 0x0a
	}
	return gogo.PutVarint(b, i, uint64(end-i))
}

// Bytes reads a BytesValue.
func Bytes(b []byte) (v []byte, err error) {
	at, err := value(b, 0x0a, &bytesInfo, endOfBytes)
	if err != nil || at == 0 {
		return v, err
	}
	u, _ := gogo.Bytes(b, at)
	return append([]byte{}, u...), nil
}
