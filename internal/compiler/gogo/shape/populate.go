package shape

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// populate prints the function that makes a message with random fields, for tests.
func (p *printer) populate(m *message) {
	name, local := m.goName.name, p.file.local
	p.p()
	p.p("// NewPopulated", name,
		" returns a message with random fields. Unless easy, there are fields that it does not know.")
	p.p("func NewPopulated", name, "(r randy", local, ", easy bool) *", name, " {")
	p.p("this := &", name, "{}")
	last := int32(0)
	for _, f := range m.fields {
		last = max(last, f.Number)
	}
	if m.facts.OnlyOne && len(m.fields) > 0 {
		p.populateOne(m)
		p.p("return this")
		p.p("}")
		return
	}
	for _, x := range m.order {
		switch x := x.(type) {
		case *field:
			always := x.Required || !x.facts.Nullable && !x.Repeated && !x.IsMap() || x.proto3 &&
				x.Kind != schema.MessageKind
			if !always {
				condition := "!="
				if p.loops(x) {
					condition = "=="
				}
				p.p("if r.Intn(5) ", condition, " 0 {")
			}
			p.populateField(x)
			if !always {
				p.p("}")
			}
		case *oneof:
			p.p("switch r.Intn(", len(x.fields), ") {")
			for i, f := range x.fields {
				p.p("case ", i, ":")
				p.p("this.", x.goName, " = NewPopulated", f.wrapper, "(r, easy)")
			}
			p.p("}")
		}
	}
	for _, r := range m.ExtensionRanges {
		last = max(last, r.Last)
	}
	if len(m.ExtensionRanges) > 0 && p.file.opts.hasGogo() {
		p.p("if !easy && r.Intn(10) != 0 {")
		p.p("for range r.Intn(5) {")
		p.p("number := 0")
		p.p("switch r.Intn(", len(m.ExtensionRanges), ") {")
		for i, r := range m.ExtensionRanges {
			p.p("case ", i, ":")
			p.p("number = ", r.First, " + r.Intn(", int64(r.Last)-int64(r.First)+1, ")")
		}
		p.p("}")
		p.p("this.gremlinSetRaw(int32(number), randField", local,
			"(nil, r, number, []int{0, 1, 2, 5}[r.Intn(4)]))")
		p.p("}")
		p.p("}")
	}
	if m.facts.Unrecognized && last < 1<<10 {
		p.p("if !easy && r.Intn(10) != 0 {")
		p.p("this.XXX_unrecognized = randUnrecognized", local, "(r, ", last+1, ")")
		p.p("}")
	}
	p.p("return this")
	p.p("}")
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.p()
			p.p("// NewPopulated", f.wrapper, " returns a member with a random value.")
			p.p("func NewPopulated", f.wrapper, "(r randy", local, ", easy bool) *", f.wrapper,
				" {")
			p.p("this := &", f.wrapper, "{}")
			p.populateField(f.member())
			p.p("return this")
			p.p("}")
		}
	}
}

// populateOne prints the setting of one field of a message that may hold only one.
func (p *printer) populateOne(m *message) {
	p.p("switch r.Intn(", len(m.fields)*10, ") {")
	for i, f := range m.fields {
		// A field that leads back to its message is seldom set, so that there is an end.
		cases := []string{}
		for j := range 10 {
			if j == 0 || !p.loops(f) {
				cases = append(cases, strconv.Itoa(i*10+j))
			}
		}
		p.p("case ", strings.Join(cases, ", "), ":")
		p.populateField(f)
	}
	plain := -1
	for i, f := range m.fields {
		if !p.loops(f) {
			plain = i
		}
	}
	if plain >= 0 {
		p.p("default:")
		p.populateField(m.fields[plain])
	}
	p.p("}")
}

// loops tells whether a field's message can contain itself or the field's own message.
func (p *printer) loops(f *field) bool {
	start := f.Message
	if f.IsMap() {
		start = f.MapValue.Message
	}
	if start == nil {
		return false
	}
	seen := map[*schema.Message]bool{}
	var walk func(m *schema.Message) bool
	walk = func(m *schema.Message) bool {
		for _, f := range m.Fields {
			next := f.Message
			if f.IsMap() {
				next = f.MapValue.Message
			}
			if next == nil {
				continue
			}
			if next == start || next == m {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if walk(next) {
					return true
				}
			}
		}
		return false
	}
	return start == f.msg.Message || walk(start)
}

// populateFunc returns the call that makes a pointer to a random message, custom type or type of
// the standard library.
func (p *printer) populateFunc(f *field) string {
	if f.class == stdtype {
		return p.std("Random"+f.std) + "(r)"
	}
	t := p.typ(f)
	switch {
	case f.class == nested && f.facts.CastType != "":
		return "(*" + t + ")(NewPopulated" + p.plainType(f.Field) + "(r, easy))"
	}
	if dot := strings.LastIndexByte(t, '.'); dot >= 0 {
		t = t[:dot+1] + "NewPopulated" + t[dot+1:]
	} else {
		t = "NewPopulated" + t
	}
	if f.isCustom() {
		return t + "(r)"
	}
	return t + "(r, easy)"
}

// randomValue returns an expression: a random scalar other than bytes.
func (p *printer) randomValue(f *field) string {
	t := p.typ(f)
	switch f.Kind {
	case schema.String:
		return t + "(randString" + p.file.local + "(r))"
	case schema.Bool:
		return t + "(r.Intn(2) == 0)"
	case schema.EnumKind:
		numbers := make([]string, len(f.Enum.Values))
		for i, v := range f.Enum.Values {
			numbers[i] = strconv.Itoa(int(v.Number))
		}
		return t + "([]int32{" + strings.Join(numbers, ", ") + "}[r.Intn(" +
			strconv.Itoa(len(numbers)) + ")])"
	case schema.Double:
		return t + "(r.Float64() * float64(1-2*r.Intn(2)))"
	case schema.Float:
		return t + "(r.Float32() * float32(1-2*r.Intn(2)))"
	case schema.Int64, schema.Sint64, schema.Sfixed64:
		return t + "(r.Int63() * int64(1-2*r.Intn(2)))"
	case schema.Int32, schema.Sint32, schema.Sfixed32:
		return t + "(r.Int31() * int32(1-2*r.Intn(2)))"
	}
	return t + "(r.Uint32())"
}

func (p *printer) populateField(f *field) {
	x := "this." + f.goName
	p.p("{")
	defer p.p("}")
	switch {
	case f.IsMap():
		p.p("n := r.Intn(10)")
		p.p(x, " = make(", p.mapType(f), ")")
		p.p("for range n {")
		p.p("k := ", p.randomValue(f.key))
		p.populateTo(f.value, x+"[k]")
		p.p("}")
	case f.Repeated:
		limit := 10
		if f.class == nested {
			limit = 5
		}
		p.p("n := r.Intn(", limit, ")")
		p.p(x, " = make(", p.fieldType(f), ", n)")
		p.p("for i := range ", x, " {")
		p.populateTo(f, x+"[i]")
		p.p("}")
	default:
		p.populateTo(f, x)
	}
}

// populateTo prints the setting of one value.
func (p *printer) populateTo(f *field, x string) {
	switch {
	case f.class != scalar || f.isCustom():
		call := p.populateFunc(f)
		if !f.star {
			call = "*" + call
		}
		p.p(x, " = ", call)
	case f.Kind == schema.Bytes:
		p.p("v := make(", p.typ(f), ", r.Intn(100))")
		p.p("for j := range v {")
		p.p("v[j] = byte(r.Intn(256))")
		p.p("}")
		p.p(x, " = v")
	case f.star:
		p.p("v := ", p.randomValue(f))
		p.p(x, " = &v")
	default:
		p.p(x, " = ", p.randomValue(f))
	}
}

// populateHelpers prints the functions that random messages are made with.
func (p *printer) populateHelpers() {
	any := false
	for m := range p.file.schema.AllMessages() {
		any = any || p.names.messages[m].facts.Populate
	}
	if !any {
		return
	}
	local := p.file.local
	p.p()
	p.p("type randy", local, " interface {")
	p.p("Float32() float32")
	p.p("Float64() float64")
	p.p("Int63() int64")
	p.p("Int31() int32")
	p.p("Uint32() uint32")
	p.p("Intn(n int) int")
	p.p("}")
	p.p()
	p.p("func randUTF8Rune", local, "(r randy", local, ") rune { return ", p.rt("RandomRune"),
		"(r) }")
	p.p("func randString", local, "(r randy", local, ") string { return ", p.rt("RandomString"),
		"(r) }")
	p.p("func randUnrecognized", local, "(r randy", local, ", maxFieldNumber int) []byte {")
	p.p("return ", p.rt("RandomFields"), "(r, maxFieldNumber)")
	p.p("}")
	p.p("func randField", local, "(b []byte, r randy", local, ", number, wire int) []byte {")
	p.p("return ", p.rt("RandomField"), "(b, r, number, wire)")
	p.p("}")
	p.p("func encodeVarintPopulate", local, "(b []byte, v uint64) []byte { return ",
		p.rt("AppendVarint"), "(b, v) }")
}
