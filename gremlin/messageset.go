package gremlin

// A message set has a group with number 1 for each extension that is set: field 2 is the number of the extension, field 3 its
// message. As in google.golang.org/protobuf, the last number counts and several messages are read as one.
const (
	itemStart   = 1<<3 | wireStart
	itemEnd     = 1<<3 | wireEnd
	itemNumber  = 2<<3 | wireVarint
	itemMessage = 3<<3 | wireBytes
)

// isItem tells whether the field with this tag is an item of a message set with the given number. Its contents lie at off.
func isItem(p Ptr, n, off, tag uint, number uint32) bool {
	found := ^uint64(0)
	if tag == itemStart {
		eachInItem(p, n, off, itemNumber, func(_, at uint) { found, _ = varintAt(p, n, at) })
	}
	return found == uint64(number)
}

// eachInItem calls f with the end and the start of each value in an item that has the wanted tag.
func eachInItem(p Ptr, n, off, want uint, f func(end, at uint)) {
	for off < n {
		tag, at := tagAt(p, n, off)
		if at == bad || tag == itemEnd {
			return
		}
		if off = skipValue(p, n, at, tag); off == bad {
			return
		}
		if tag == want {
			f(off, at)
		}
	}
}

// appendItem appends an item of a message set; message is the field of its message.
func appendItem(b []byte, number uint32, message []byte) []byte {
	b = appendVarint(append(b, itemStart, itemNumber), uint64(number))
	return append(append(b, message...), itemEnd)
}
