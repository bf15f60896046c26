package describe

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendSourceInfo appends the encoding of [File.SourceInfo], which takes a tenth of the memory of
// the message, and less time.
func (f *File) AppendSourceInfo(out []byte) []byte {
	r := recorders.Get().(*recorder)
	defer r.done()
	r.all = true
	r.record(f)
	var spans []int32
	sizes, total := r.sizes[:0], 0
	for i := range r.locations {
		path, c := r.location(i)
		spans = r.appendSpan(spans[:0], r.locations[i].Range)
		size := packedSize(path) + packedSize(spans) + textSize(c.leading) + textSize(c.trailing)
		for _, text := range c.detached {
			size += 1 + sizeOf(len(text)) + len(text)
		}
		sizes = append(sizes, int32(size))
		total += 1 + sizeOf(size) + size
	}
	r.sizes = sizes
	out = slices.Grow(out, total)
	for i := range r.locations {
		path, c := r.location(i)
		spans = r.appendSpan(spans[:0], r.locations[i].Range)
		out = binary.AppendUvarint(append(out, 1<<3|2), uint64(sizes[i]))
		out = appendPacked(out, 1, path)
		out = appendPacked(out, 2, spans)
		if c.leading != "" {
			out = appendText(out, 3, c.leading)
		}
		if c.trailing != "" {
			out = appendText(out, 4, c.trailing)
		}
		for _, text := range c.detached {
			out = appendText(out, 6, text)
		}
	}
	return out
}

// location returns the path and the comments of a location.
func (r *recorder) location(i int) (path []int32, c comment) {
	l := &r.locations[i]
	if l.comment > 0 {
		c = r.comment[l.comment-1]
	}
	return r.numbers[l.path : l.path+l.length], c
}

// sizeOf is the length of a varint.
func sizeOf(n int) int { return (bits.Len64(uint64(n)|1) + 6) / 7 }

func numbersSize(numbers []int32) int {
	size := 0
	for _, n := range numbers {
		size += sizeOf(int(n))
	}
	return size
}

func packedSize(numbers []int32) int {
	if len(numbers) == 0 {
		return 0
	}
	size := numbersSize(numbers)
	return 1 + sizeOf(size) + size
}

func appendPacked(out []byte, field byte, numbers []int32) []byte {
	if len(numbers) == 0 {
		return out
	}
	out = binary.AppendUvarint(append(out, field<<3|2), uint64(numbersSize(numbers)))
	for _, n := range numbers {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return out
}

// textSize is the size of a comment that is left out when it is empty.
func textSize(text string) int {
	if text == "" {
		return 0
	}
	return 1 + sizeOf(len(text)) + len(text)
}

func appendText(out []byte, field byte, text string) []byte {
	out = binary.AppendUvarint(append(out, field<<3|2), uint64(len(text)))
	return append(out, text...)
}
