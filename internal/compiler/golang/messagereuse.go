package golang

import (
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// How a message keeps its memory when it is decoded with rt.Reuse. At the start keep makes it empty
// except for lists without elements, maps without entries, and pointers; those that decoding meets
// are noted in the bits of seen, and at the end drop sets the others to nil.

// seenBits numbers the oneofs (by their first field) and fields of which it is noted that they were
// met: pointers, and singular messages, which are merged when they come twice.
func (t *messageType) seenBits() map[*schema.Field]int {
	bits := map[*schema.Field]int{}
	for _, f := range t.fields {
		switch {
		case f.Repeated, f.IsMap():
		case f.Oneof != nil:
			if _, ok := bits[f.Oneof.Fields[0]]; !ok {
				bits[f.Oneof.Fields[0]] = len(bits)
			}
		case f.Kind == schema.MessageKind, t.isPointer(f):
			bits[f] = len(bits)
		}
	}
	return bits
}

// seenType returns the type of what has the bits.
func seenType(bits int) string {
	if bits <= 64 {
		return "uint64"
	}
	return fmt.Sprintf("[%d]uint64", (bits+63)/64)
}

// seen returns the word that has f's bit, and the bit.
func (t *messageType) seen(f *schema.Field) (word, bit string) {
	if f.Oneof != nil {
		f = f.Oneof.Fields[0]
	}
	i, word := t.bits[f], "seen"
	if len(t.bits) > 64 {
		word = fmt.Sprintf("seen[%d]", i/64)
	}
	return word, fmt.Sprintf("%#x", uint64(1)<<(i%64))
}

// note prints that f was met. Before a value that is merged with one before it looks whether there
// was one; in the straight line, where each field comes once, there was none.
func (t *messageType) note(f *schema.Field, merged, straight bool) {
	word, bit := t.seen(f)
	if merged && !straight {
		t.p("if ", word, "&", bit, " != 0 {")
		t.p("off = d.Twice(off)")
		t.p("}")
	}
	t.p(word, " |= ", bit)
}

// reuses tells whether a message has more to keep than its struct.
func (t *messageType) reuses() bool { return len(t.keptFields()) != 0 }

// keptFields returns the fields that refer to memory which is kept; of a oneof the first.
func (t *messageType) keptFields() (kept []*schema.Field) {
	for _, f := range t.msg.Fields {
		switch {
		case f.Oneof != nil && f.Oneof.Fields[0] != f, t.isStdValue(f):
		case f.Oneof != nil, f.Repeated, f.IsMap(), f.Kind == schema.MessageKind, t.isPointer(f):
			kept = append(kept, f)
		}
	}
	return kept
}

// keepAtStart prints the start of GremlinDecode.
func (t *messageType) keepAtStart() {
	if len(t.bits) != 0 {
		t.p("var seen ", seenType(len(t.bits)))
	}
	t.p("if d.Reuses() {")
	if t.reuses() {
		t.p("m.keep()")
	} else {
		t.p("m.Reset()")
	}
	t.p("}")
}

// dropAtEnd prints what GremlinDecode does before it returns.
func (t *messageType) dropAtEnd() {
	for _, f := range t.keptFields() {
		if !f.Repeated && !f.IsMap() {
			t.p("if d.Reuses() {")
			t.p("m.drop(seen)")
			t.p("}")
			return
		}
	}
}

// keepAndDrop prints both methods.
func (t *messageType) keepAndDrop() {
	kept := t.keptFields()
	if len(kept) == 0 {
		return
	}
	name := t.names.message.name
	t.p()
	t.p("// keep makes m empty and keeps its memory.")
	t.p("func (m *", name, ") keep() {")
	var values, pointers []string
	for _, f := range kept {
		field := t.names.fields[f].field
		if f.Oneof != nil {
			field = t.names.oneofs[f.Oneof].field
		}
		value := field + ": m." + field
		switch {
		case f.IsMap():
			t.p("clear(m.", field, ")")
		case f.Repeated:
			value += "[:0]"
		default:
			word, bit := t.seen(f)
			pointers = append(pointers, word+"&"+bit+" == 0 {\nm."+field+" = nil\n}")
		}
		values = append(values, value)
	}
	t.p("*m = ", name, "{", strings.Join(values, ", "), "}")
	t.p("}")
	if len(pointers) == 0 {
		return
	}
	t.p()
	t.p("// drop removes what keep has left and decoding has not met.")
	t.p("func (m *", name, ") drop(seen ", seenType(len(t.bits)), ") {")
	for _, p := range pointers {
		for line := range strings.Lines("if " + p) {
			t.p(strings.TrimSuffix(line, "\n"))
		}
	}
	t.p("}")
}

// renewed returns x, a pointer to a value of the message field f that is decoded, as something that
// decoding may use again. The types of this file know how, and those of the runtime.
func (t *messageType) renewed(f *schema.Field, x string) string {
	if f.Message.File == t.msg.File || t.std(f) != nil || strings.HasPrefix(
		t.printer.names.messages[f.Message].message.importPath, runtimePath+"/") {
		return x
	}
	return t.runtime("Foreign") + "(d, " + x + ")"
}

// unmarshalWith prints UnmarshalWith.
func (t *messageType) unmarshalWith() {
	name, rt := t.names.message.name, t.use(rtPath)
	t.p()
	t.p("// UnmarshalWith is Unmarshal in the modes of how. With gremlin.Borrow strings and bytes of m are memory of b;")
	t.p("// with gremlin.Reuse all that m refers to is overwritten, by the next call, too. See gremlin.How.")
	t.p("func (m *", name, ") UnmarshalWith(b []byte, how ", rt, ".How) error {")
	t.p("if how&", rt, ".Reuse == 0 || ", rt, ".Guarded(m) {")
	t.p("m.Reset()")
	t.p("}")
	t.p("d, n, off := ", rt, ".StartDecoder(b, &", t.names.table, ")")
	t.p("d.Share(how)")
	t.p("next := m.GremlinDecode(d, n, off)")
	t.p("if d.Again() {")
	t.p("return m.UnmarshalWith(b, how&^", rt, ".Reuse)")
	t.p("}")
	t.returnDecoded(rt + ".Decoded(next, b, &" + t.names.table + ")")
	t.p("}")
}

// returnDecoded prints the return of an error, or of what is said of required fields.
func (t *messageType) returnDecoded(decoded string) {
	if !t.needsInit() {
		t.p("return ", decoded)
		return
	}
	t.p("if err := ", decoded, "; err != nil {")
	t.p("return err")
	t.p("}")
	t.p("return m.CheckInitialized()")
}
