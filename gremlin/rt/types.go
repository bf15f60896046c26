package rt

// Types is what text may name beyond the fields of a message: the types of what an Any holds, and
// extensions. There is no registry; whoever wants them says which. Nil has none, and the zero value
// is ready to be filled:
//
//	gremlin.Types{
//		Messages:   []gremlin.Type{(*shopv1.Deposit)(nil)},
//		Extensions: []gremlin.ExtensionType{&shopv1.E_Region},
//	}
//
// It may be shared when it does not change any more.
type Types struct {
	Messages   []Type
	Extensions []ExtensionType
}

// ExtensionType is an extension as Types lists it: a pointer to a generated E_ variable.
type ExtensionType interface {
	// GremlinExtension returns the table of the extended message and the field.
	GremlinExtension() (extended *Table, field *FieldInfo)
}

// MessageNamed returns the table of the message with this full name, or nil.
func (ts *Types) MessageNamed(name string) *Table {
	if ts != nil {
		for _, m := range ts.Messages {
			if t := m.GremlinTable(); t.Name == name {
				return t
			}
		}
	}
	return nil
}

// ExtensionNamed returns the extension of a message with this full name, or nil.
func (ts *Types) ExtensionNamed(extended *Table, name string) *FieldInfo {
	return ts.extension(extended, func(f *FieldInfo) bool { return f.Name == name })
}

// ExtensionNumbered returns the extension of a message with this number, or nil.
func (ts *Types) ExtensionNumbered(extended *Table, number uint) *FieldInfo {
	return ts.extension(extended, func(f *FieldInfo) bool { return uint(f.Number) == number })
}

func (ts *Types) extension(extended *Table, is func(*FieldInfo) bool) *FieldInfo {
	if ts != nil {
		for _, x := range ts.Extensions {
			if t, f := x.GremlinExtension(); t == extended && is(f) {
				return f
			}
		}
	}
	return nil
}
