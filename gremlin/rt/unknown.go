package rt

// Unknown holds the encoded fields of a Message that its type does not have. It is one word,
// because few messages have any, and what it points to is changed only while the message is
// decoded, so that copies of a message can share it. It is for generated code.
type Unknown struct{ fields *[]byte }

// UnknownOf returns an Unknown that holds b, which is not copied.
func UnknownOf(b []byte) Unknown {
	if len(b) == 0 {
		return Unknown{}
	}
	return Unknown{&b}
}

// Bytes returns the fields, which are not to be changed.
func (u Unknown) Bytes() []byte {
	if u.fields == nil {
		return nil
	}
	return *u.fields
}

// Size returns the length of the fields in bytes.
func (u Unknown) Size() int {
	if u.fields == nil {
		return 0
	}
	return len(*u.fields)
}

// Room for unknown fields, in bytes: first firstUnknown, which come with the slice, then
// unknownRoom, or what is left of the message if that is less. Where there is one unknown field
// there are often several.
const (
	firstUnknown = 40
	unknownRoom  = 128
)

// startUnknown returns an Unknown that is to have fields.
func startUnknown() Unknown {
	u := new(struct {
		fields []byte
		first  [firstUnknown]byte
	})
	u.fields = u.first[:0]
	return Unknown{&u.fields}
}

// append appends fields while a message is decoded. There are at most rest bytes of them, with
// those that may follow.
func (u *Unknown) append(fields []byte, rest uint) {
	if u.fields == nil {
		*u = startUnknown()
	}
	b := *u.fields
	if len(fields) > cap(b)-len(b) {
		b = growSlice(b, max(len(fields), int(min(rest, unknownRoom))))
	}
	*u.fields = append(b, fields...)
}
