package rt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestErrorsSayWhere: position, path and kind, the same from Message.Unmarshal and
// Reader.CheckEncoding.
func TestErrorsSayWhere(t *testing.T) {
	api := newAPI()
	bad := api.Clone()
	bad.Methods[1].Name = "Li\xffst"
	for name, c := range map[string]struct {
		in   []byte
		want string
		code rt.Code
	}{
		"utf8": {bad.Marshal(),
			"google.protobuf.Api: methods[1].name: invalid UTF-8 at offset", rt.InvalidUTF8},
		"cut": {api.Marshal()[:30],
			"google.protobuf.Api: methods[1]: malformed protobuf: truncated, 8 bytes are to follow and 3 do at offset 25", rt.Malformed},
		"nested": {[]byte{0x2a, 2, 0x0a, 9},
			"google.protobuf.Api: source_context.file_name: malformed protobuf: truncated, 9 bytes are to follow and 0 do at offset 2",
			rt.Malformed},
		"number 0": {[]byte{0x00, 0x01}, "google.protobuf.Api: malformed protobuf: bad tag: field number 0 at offset 0",
			rt.Malformed},
		"end group": {[]byte{0x0c}, "google.protobuf.Api: malformed protobuf: bad tag: the end of a group " +
			"that has not begun at offset 0", rt.Malformed},
		"wire type": {[]byte{0x0f, 0}, "google.protobuf.Api: name: malformed protobuf: bad tag: wire " +
			"type 7 at offset 0", rt.Malformed},
		"wire type 6": {[]byte{0xa6, 0x06, 0}, "google.protobuf.Api: malformed protobuf: bad tag: " +
			"wire type 6 at offset 0", rt.Malformed},
		"large number": {[]byte{0xf8, 0xff, 0xff, 0xff, 0x7f, 0},
			"google.protobuf.Api: malformed protobuf: bad tag: field number 4294967295 at offset 0",
			rt.Malformed},
		"cut tag": {[]byte{0x0a, 0, 0x80}, "google.protobuf.Api: malformed protobuf: truncated at " +
			"offset 2", rt.Malformed},
		"cut varint": {[]byte{0x38, 0x80}, "google.protobuf.Api: syntax: malformed protobuf: " +
			"truncated at offset 0", rt.Malformed},
		"long varint": {[]byte{0x38, 255, 255, 255, 255, 255, 255, 255, 255, 255, 127},
			"google.protobuf.Api: syntax: malformed protobuf: a varint of more than 64 bits at " +
				"offset 0", rt.Malformed},
		"cut fixed": {[]byte{0xa5, 0x06, 0}, "google.protobuf.Api: malformed protobuf: truncated " +
			"at offset 0", rt.Malformed},
		"endless group": {[]byte{0xa3, 0x06, 0x08, 0}, "google.protobuf.Api: malformed protobuf: a " +
			"group without an end at offset 0", rt.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			var r wkt.ApiReader
			rErr := r.Unmarshal(c.in)
			if rErr == nil {
				rErr = r.CheckEncoding()
			}
			for _, err := range []error{new(wkt.Api).Unmarshal(c.in), rErr} {
				var e *rt.Error
				if !errors.As(err, &e) || !errors.Is(err, c.code) ||
					!strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("got %v, want %s", err, c.want)
				}
			}
		})
	}
}

// TestNestedErr: a malformed nested message reads as empty and says so.
func TestNestedErr(t *testing.T) {
	var r wkt.ApiReader
	if err := r.Unmarshal([]byte{0x2a, 2, 0x0a, 9}); err != nil {
		t.Fatal(err)
	}
	c := r.GetSourceContext()
	if c.GetFileName() != "" || c.Err() == nil || c.Raw() != nil {
		t.Errorf("file name %q, error %v, raw %x", c.GetFileName(), c.Err(), c.Raw())
	}
	if m := r.ToMessage(); m.SourceContext == nil || m.SourceContext.FileName != "" {
		t.Errorf("ToMessage gives %v", m)
	}
}

// TestDeepErrorPath: the path of an error is bounded, and so is the time to build it.
func TestDeepErrorPath(t *testing.T) {
	v := &wkt.Value{}
	for range 6000 {
		list := &wkt.ListValue{Values: []wkt.Value{*v}}
		v = &wkt.Value{Kind: &wkt.Value_ListValue{ListValue: list}}
	}
	err := new(wkt.Value).Unmarshal(v.Marshal())
	var e *rt.Error
	if !errors.As(err, &e) || e.Code != rt.TooDeep {
		t.Fatalf("got %v", err)
	}
	if len(e.Path) > 300 {
		t.Errorf("a path of %d bytes", len(e.Path))
	}
}

func TestNilIsEmpty(t *testing.T) {
	var r *wkt.ApiReader
	var m *wkt.Api
	if r.GetName() != "" || r.GetSourceContext().GetFileName() != "" || r.LenMethods() != 0 ||
		r.HasSourceContext() ||
		len(r.Raw()) != 0 || r.Err() != nil || r.CheckEncoding() != nil ||
		!r.ToMessage().Equal(&wkt.Api{}) {
		t.Error("a nil Reader is not empty")
	}
	for range r.Methods() {
		t.Error("a nil Reader has methods")
	}
	if m.GetName() != "" || m.Size() != 0 || len(m.Marshal()) != 0 ||
		rt.CheckInitialized(m) != nil || m.Clone() != nil {
		t.Error("a nil Message is not empty")
	}
}
