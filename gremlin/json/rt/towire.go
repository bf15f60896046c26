package rt

import (
	"math"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// ToWire appends the encoding of what text says, a message of type t, to dst. It keeps nothing of
// text. When it fails it returns dst as it was.
func ToWire(dst, text []byte, t *Table, o Options) ([]byte, error) {
	d := newDecoder(text, &o)
	b := d.wire.Finish(d.message(dst, t, false))
	if err := d.finish(text, t.Wire.Name); err != nil {
		return dst, err
	}
	return b, nil
}

// message reads a message and appends its fields.
func (d *Decoder) message(b []byte, t *Table, inAny bool) []byte {
	if t.Special != 0 {
		return d.special(b, t)
	}
	o := Object{inAny: inAny}
	d.Object(&o, t)
	for {
		switch i := d.Field(&o); i {
		case Done:
			return b
		case Extension:
			b = d.extension(&o, b)
		default:
			b = d.wireField(b, &t.Fields[i], &t.Wire.Fields[i])
		}
	}
}

// wireField reads the value of a field and appends the field.
func (d *Decoder) wireField(b []byte, f *Field, w *rt.FieldInfo) []byte {
	tag := w.Tag()
	switch {
	case w.Kind == rt.KindMap:
		return d.wireMap(b, tag, w.Sub.GremlinTable())
	case w.Flags&rt.FlagRepeated == 0:
		return d.wireValue(b, tag, w, f.Flags&FlagPresence != 0)
	case !d.begin('['):
		return b
	}
	at, packed := 0, w.Flags&rt.FlagPacked != 0
	start := len(b)
	if packed {
		b, at = d.wire.Begin(b, tag)
		tag = 0
	}
	for more := false; d.element(more, ']'); more = true {
		b = d.wireValue(b, tag, w, true)
	}
	switch {
	case packed && len(b) == at:
		return b[:start]
	case packed:
		return d.wire.End(b, at)
	}
	return b
}

// wireValue reads one value and appends it, with a tag if tag is not 0. Zeros are left out unless
// always is set.
func (d *Decoder) wireValue(b []byte, tag uint32, w *rt.FieldInfo, always bool) []byte {
	switch w.Kind {
	case rt.KindString:
		if s := d.content(); s != "" || always {
			b = rt.AppendStringWideAlways(b, tag, s)
		}
		return b
	case rt.KindBytes:
		d.next()
		at := d.off
		s := d.content()
		if s == "" && !always {
			return b
		}
		b, start := d.wire.Begin(b, tag)
		if w.Flags&rt.FlagHex != 0 {
			return d.wire.End(d.hex(b, s, at), start)
		}
		return d.wire.End(d.base64(b, s, at), start)
	case rt.KindMessage, rt.KindGroup:
		r := jsonOf(w.Sub)
		if r == nil {
			d.fail(rt.UnknownName, d.off, noJSON)
			return b
		}
		t := r.GremlinJSON()
		if w.Kind == rt.KindGroup {
			return rt.AppendTag(d.message(rt.AppendTag(b, tag), t, false), tag+1)
		}
		b, at := d.wire.Begin(b, tag)
		return d.wire.End(d.message(b, t, false), at)
	}
	bits, ok := d.bits(w)
	if !ok || bits == 0 && !always {
		return b
	}
	return appendBits(b, tag, w, bits)
}

// bits reads a number as the wire has it. It returns false for the name of an enum value that is to
// be passed over.
func (d *Decoder) bits(w *rt.FieldInfo) (bits uint64, ok bool) {
	switch w.Kind {
	case rt.KindBool:
		var v bool
		d.Bool(&v)
		return bit(v), true
	case rt.KindInt32, rt.KindSint32, rt.KindSfixed32:
		var v int32
		if d.Int32(&v); w.Kind == rt.KindSint32 {
			return uint64(uint32(v<<1 ^ v>>31)), true
		}
		return uint64(v), true
	case rt.KindInt64, rt.KindSint64, rt.KindSfixed64:
		var v int64
		if d.Int64(&v); w.Kind == rt.KindSint64 {
			return uint64(v<<1 ^ v>>63), true
		}
		return uint64(v), true
	case rt.KindUint32, rt.KindFixed32:
		var v uint32
		d.Uint32(&v)
		return uint64(v), true
	case rt.KindUint64, rt.KindFixed64:
		d.Uint64(&bits)
		return bits, true
	case rt.KindFloat:
		return uint64(math.Float32bits(float32(d.float(32)))), true
	case rt.KindDouble:
		return math.Float64bits(d.float(64)), true
	}
	v, ok := d.enum(w.Enum)
	return uint64(v), ok
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// appendBits appends a number, with a tag if tag is not 0.
func appendBits(b []byte, tag uint32, w *rt.FieldInfo, bits uint64) []byte {
	if tag != 0 {
		b = rt.AppendTag(b, tag)
	}
	switch w.Kind {
	case rt.KindSfixed32, rt.KindFixed32, rt.KindFloat:
		return append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	case rt.KindSfixed64, rt.KindFixed64, rt.KindDouble:
		return append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24), byte(bits>>32),
			byte(bits>>40), byte(bits>>48), byte(bits>>56))
	}
	for ; bits >= 0x80; bits >>= 7 {
		b = append(b, byte(bits)|0x80)
	}
	return append(b, byte(bits))
}
