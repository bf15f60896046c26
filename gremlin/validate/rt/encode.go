package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// AppendViolations appends the violations to b, encoded as a buf.validate.Violations.
func (e *Error) AppendViolations(b []byte) []byte {
	for i := range e.Violations {
		b = appendMessage(b, 1, func(b []byte) []byte { return e.Violations[i].AppendTo(b) })
	}
	return b
}

// AppendTo appends v to b, encoded as a buf.validate.Violation.
func (v *Violation) AppendTo(b []byte) []byte {
	b = appendText(b, 2, v.RuleID)
	b = appendText(b, 3, v.Message)
	if v.ForKey {
		b = appendNumber(b, 4, 1)
	}
	for i, p := range [...]Path{v.Field, v.Rule} {
		if len(p) != 0 {
			b = appendMessage(b, 5+i, p.appendEncoded)
		}
	}
	return b
}

func (p Path) appendEncoded(b []byte) []byte {
	for i := range p {
		b = appendMessage(b, 1, p[i].appendEncoded)
	}
	return b
}

func (e *Element) appendEncoded(b []byte) []byte {
	if e.Number != 0 {
		b = appendNumber(b, 1, uint64(e.Number))
	}
	b = appendText(b, 2, e.Name)
	for i, t := range [...]int32{e.Type, e.KeyType, e.ValueType} {
		if t != 0 {
			b = appendNumber(b, 3+i, uint64(t))
		}
	}
	switch e.Subscript {
	case NoSubscript:
	case StringKey: // also when it is empty: it says that there is one
		b = append(appendLength(b, 10, len(e.Key)), e.Key...)
	default:
		b = appendNumber(b, 5+int(e.Subscript), e.Value)
	}
	return b
}

func appendNumber(b []byte, field int, v uint64) []byte {
	return rt.AppendVarintAlways(b, uint32(field)<<3, v)
}

func appendText(b []byte, field int, s string) []byte {
	if s == "" {
		return b
	}
	return append(appendLength(b, field, len(s)), s...)
}

func appendMessage(b []byte, field int, body func([]byte) []byte) []byte {
	inner := body(nil)
	return append(appendLength(b, field, len(inner)), inner...)
}

// appendLength appends what comes before n bytes of a field.
func appendLength(b []byte, field, n int) []byte {
	return rt.AppendVarintAlways(b, uint32(field)<<3|2, uint64(n))
}
