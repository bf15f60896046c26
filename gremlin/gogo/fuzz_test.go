package gogo

import (
	"bytes"
	"testing"
)

// FuzzSkip checks that passing over a field ends within the input or says what is wrong, and that
// what Unknown returns is what SkipField passes over.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{"", "\x08\x01", "\x0a\x02ab",
		"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"\x0b\x08\x01\x0c", "\x0b\x0b\x0b\x0c", "\x0d1234", "\x0912345678", "\x0e", "\x0f", "\x0c",
		"\x00\x00",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"} {
		f.Add([]byte(seed))
	}
	m := &Message{Name: "M", Errors: &Errors{NewError("length"),
		NewError("overflow"), NewError("group")}, Fields: []Field{{7, "Seven"}, {9, "Nine"}}}
	f.Fuzz(func(t *testing.T, b []byte) {
		next := SkipField(b, 0)
		if next == 0 {
			t.Fatal("a field of no bytes")
		}
		tag, at := Tag(b, 0)
		raw, end, err := m.Unknown(b, 0, at, tag)
		switch number := int32(tag >> 3); {
		case err != nil:
			if next > 0 && next <= len(b) && at > 0 && number > 0 && number != 7 && number != 9 {
				t.Fatalf("%x is passed over, and Unknown says %v", b, err)
			}
		case end != next || !bytes.Equal(raw, b[:next]):
			t.Fatalf("%x: Unknown ends at %d, SkipField at %d", b, end, next)
		}
	})
}

// FuzzLists checks that packed lists are what their elements are one by one.
func FuzzLists(f *testing.F) {
	for _, seed := range []string{"\x00", "\x03\x01\x02\x03", "\x03\xac\x02\x05",
		"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"\x08\x01\x02\x03\x04\x05\x06\x07\x08", "\x05\x80", "\x02\x80\x80\x01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		from, end := End(b, 0)
		var want []uint64
		i := from
		for i >= 0 && i < end {
			var v uint64
			if v, i = Varint(b, i); i >= 0 {
				want = append(want, v)
			}
		}
		got, next := Varints[uint64]([]uint64{42}, b, 0)
		if next != i || len(got) != len(want)+1 {
			t.Fatalf("%x: %d values to %d and not %d to %d", b, len(got)-1, next, len(want), i)
		}
		zig, _ := Zigzags64[int64](nil, b, 0)
		zig32, _ := Zigzags32[int32](nil, b, 0)
		bools, _ := Bools[bool](nil, b, 0)
		for k, v := range want {
			u := uint32(v)
			if got[k+1] != v || zig[k] != int64(v>>1)^-int64(v&1) ||
				zig32[k] != int32(u>>1)^-int32(u&1) || bools[k] != (v != 0) {
				t.Fatalf("%x: element %d is %d and not %d", b, k, got[k+1], v)
			}
		}
		var fixed []uint32
		i = from
		for i >= 0 && i < end {
			var v uint32
			if v, i = Fixed32(b, i); i >= 0 {
				fixed = append(fixed, v)
			}
		}
		list, next := Fixed32s[uint32](nil, b, 0)
		if next != i || len(list) != len(fixed) {
			t.Fatalf("%x: %d fixed values to %d and not %d to %d", b, len(list), next, len(fixed), i)
		}
		for k, v := range fixed {
			if list[k] != v {
				t.Fatalf("%x: element %d is %d and not %d", b, k, list[k], v)
			}
		}
	})
}

// FuzzVarint checks that what is written is as long as its size and reads as it was.
func FuzzVarint(f *testing.F) {
	for shift := range 64 {
		f.Add(uint64(1)<<shift, uint64(1)<<shift-1)
	}
	f.Fuzz(func(t *testing.T, x, y uint64) {
		for _, v := range []uint64{x, y} {
			b := make([]byte, 10)
			at := PutVarint(b, 10, v)
			if 10-at != SizeVarint(v) || !bytes.Equal(b[at:], AppendVarint(nil, v)) {
				t.Fatalf("%d is written as %x, and its size is %d", v, b[at:], SizeVarint(v))
			}
			if got, next := Varint(b, at); got != v || next != 10 {
				t.Fatalf("%d reads as %d", v, got)
			}
		}
	})
}
