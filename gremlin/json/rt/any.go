package rt

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// maxAnys is how deep Anys may be nested in Anys. "@type" may stand at the end of an object: each
// level is read through to find it before its fields can be understood.
const maxAnys = 64

// messageNamed returns the type of what an Any with this URL holds, nil if it is not known.
func messageNamed(types *rt.Types, url string) Opener {
	name := url[strings.LastIndexByte(url, '/')+1:]
	if types == nil {
		return nil
	}
	for _, m := range types.Messages {
		if t := m.GremlinTable(); t.Name == name {
			return jsonOf(t.Reader)
		}
	}
	return nil
}

func unknownType(url string) string {
	return "Options.Types do not have " + strconv.Quote(url[:min(len(url), 100)])
}

// Any appends a google.protobuf.Any.
func (e *Encoder) Any(b []byte, url string, value []byte, depth int) []byte {
	at := len(b)
	if url == "" && len(value) == 0 {
		return e.End(b, at)
	}
	m := messageNamed(e.opts.Types, url)
	if m == nil {
		return e.fail(b, rt.UnknownName, unknownType(url))
	}
	t := m.GremlinJSON()
	b = e.String(append(b, `,"@type":`...), url)
	if t.Special != 0 {
		b = append(b, `,"value":`...)
	}
	start := len(b)
	b = m.GremlinOpenJSON(e, b, rt.First(value), uint(len(value)), depth-1)
	switch {
	case t.Special != 0 || e.code != 0:
	case len(b) == start+2: // an empty object
		b = b[:start]
	default:
		// The fields of the message are fields of this object.
		b[start] = ','
		b = b[:len(b)-1]
	}
	return e.End(b, at)
}

// Any reads a google.protobuf.Any.
func (d *Decoder) Any(url *string, value *[]byte) {
	t, name := d.anyType()
	if t == nil {
		return
	}
	*url = strings.Clone(name)
	d.wire = rt.Encoder{}
	b := d.wire.Finish(d.anyValue(nil, t))
	*value = append(make([]byte, 0, len(b)), b...)
}

func (d *Decoder) anyToWire(b []byte, w []rt.FieldInfo) []byte {
	t, url := d.anyType()
	if t == nil {
		return b
	}
	b = rt.AppendStringWideAlways(b, w[0].Tag(), url)
	without := len(b)
	b, at := d.wire.Begin(b, w[1].Tag())
	if b = d.anyValue(b, t); len(b) == at {
		return b[:without]
	}
	return d.wire.End(b, at)
}

// anyType finds the type of the Any that d is at; url is valid until the next call of content. When
// there is none, and that is right, the Any has been passed over.
func (d *Decoder) anyType() (t *Table, url string) {
	d.next()
	s, start, depth := d.s, d.off, d.depth
	if d.anys == maxAnys {
		d.fail(rt.TooDeep, start, "")
		return nil, ""
	}
	d.begin('{')
	more := false
	at := -1
	for ; d.element(more, '}'); more = true {
		name := d.content() == "@type"
		d.colon()
		if !name {
			d.Skip()
			continue
		}
		if d.next(); at >= 0 {
			d.fail(rt.Duplicate, d.off, "")
		}
		at = d.off
		d.content()
	}
	switch {
	case d.code != 0, at < 0 && !more, at < 0 && d.discard:
		return nil, ""
	case at < 0:
		d.fail(rt.BadValue, start, `Any without "@type"`)
		return nil, ""
	}
	d.off = at
	url = d.content()
	m := messageNamed(d.types, url)
	if m == nil {
		d.fail(rt.UnknownName, at, unknownType(url))
		return nil, ""
	}
	d.s, d.off, d.depth = s, start, depth
	return m.GremlinJSON(), url
}

// anyValue reads what an Any of type t holds and appends it, encoded.
func (d *Decoder) anyValue(b []byte, t *Table) []byte {
	d.anys++
	if t.Special == 0 {
		b = d.message(b, t, true)
		d.anys--
		return b
	}
	start := d.off
	d.begin('{')
	found := false
	for more := false; d.element(more, '}'); more = true {
		at := d.off
		name := d.content()
		isValue := name == "value"
		switch {
		case name == "@type" || !isValue && d.discard:
			d.colon()
			d.Skip()
		case !isValue:
			d.fail(rt.UnknownName, at, "unknown field "+strconv.Quote(name[:min(len(name), 100)]))
		case found:
			d.fail(rt.Duplicate, at, "")
		default:
			found = true
			d.colon()
			b = d.special(b, t)
		}
	}
	if !found && t.Special != SpecialEmpty {
		d.fail(rt.BadValue, start, `Any without "value"`)
	}
	d.anys--
	return b
}
