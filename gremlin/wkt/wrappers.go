package wkt

// BoolOf returns v in a message, for fields that tell a zero from nothing in this way.
func BoolOf(v bool) *BoolValue { return &BoolValue{Value: v} }

// Int32Of returns v in a message.
func Int32Of(v int32) *Int32Value { return &Int32Value{Value: v} }

// Int64Of returns v in a message.
func Int64Of(v int64) *Int64Value { return &Int64Value{Value: v} }

// UInt32Of returns v in a message.
func UInt32Of(v uint32) *UInt32Value { return &UInt32Value{Value: v} }

// UInt64Of returns v in a message.
func UInt64Of(v uint64) *UInt64Value { return &UInt64Value{Value: v} }

// FloatOf returns v in a message.
func FloatOf(v float32) *FloatValue { return &FloatValue{Value: v} }

// DoubleOf returns v in a message.
func DoubleOf(v float64) *DoubleValue { return &DoubleValue{Value: v} }

// StringOf returns v in a message.
func StringOf(v string) *StringValue { return &StringValue{Value: v} }

// BytesOf returns v in a message, which refers to it.
func BytesOf(v []byte) *BytesValue { return &BytesValue{Value: v} }
