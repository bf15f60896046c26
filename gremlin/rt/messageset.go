package rt

// A message set has a group with number 1 for each extension that is set: field 2 is the number of
// the extension, field 3 its message. As in google.golang.org/protobuf, the last number counts,
// several messages are read as one, and an item without message has an empty one.
const (
	itemStart   = 1<<3 | wireStart
	itemEnd     = 1<<3 | wireEnd
	itemNumber  = 2<<3 | wireVarint
	itemMessage = 3<<3 | wireBytes
)

// isItem tells whether the field with this tag is an item of a message set with the given number.
// Its contents lie at off.
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

// decodeItem is Decode for an item whose contents lie at off.
func (x *Extension[M, R, T]) decodeItem(d *Decoder, v *T, n, off uint) bool {
	var messages int
	var end, at uint
	eachInItem(d.p, n, off, itemMessage, func(e, a uint) { messages, end, at = messages+1, e, a })
	if messages == 1 {
		return x.Decode(d, v, itemMessage, end, at)
	}
	var whole []byte
	eachInItem(d.p, n, off, itemMessage, func(end, at uint) {
		start, end := payloadAt(d.p, end, at)
		whole = appendView(whole, d.p, start, end)
	})
	whole = AppendBytesAlways(nil, itemMessage, whole)
	return x.Decode(lenientDecoder(whole), v, itemMessage, uint(len(whole)), 1)
}

// appendItem appends an item of a message set; message is the field of its message.
func appendItem(b []byte, number uint32, message []byte) []byte {
	b = appendVarint(append(b, itemStart, itemNumber), uint64(number))
	return append(append(b, message...), itemEnd)
}
