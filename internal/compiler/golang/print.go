package golang

import "github.com/octopus-framework/octopus/internal/compiler/schema"

const slogPath = "log/slog"

// forLogs prints LogValue of the value type name, a Message or Reader, if there is something to
// hide: otherwise the handlers of package slog do well with String and MarshalJSON, and the program
// need not have the package.
func (t *messageType) forLogs(receiver, name string) {
	if !redacts(t.msg, map[*schema.Message]bool{}) {
		return
	}
	t.functions(replacements{"NAME", name, "RECV", receiver, "SLOG", t.use(slogPath)}, []string{
		"LogValue returns RECV.String(), for package slog: fields with the option debug_redact are hidden, as MarshalJSON does not.",
		"func (RECV NAME) LogValue() SLOG.Value { return SLOG.StringValue(RECV.String()) }",
	})
}

// redacts tells whether a field of the message, or of one that it may hold, has the option
// debug_redact.
func redacts(m *schema.Message, seen map[*schema.Message]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	for _, f := range m.Fields {
		if f.Redact || f.Kind == schema.MessageKind && redacts(f.Message, seen) {
			return true
		}
	}
	return false
}

// withoutJSON prints the method that keeps encoding/json from writing the Go fields of the value
// type name.
func (t *messageType) withoutJSON(name string) {
	t.functions(replacements{"NAME", name, "RT", t.use(rtPath), "TABLE", t.names.table}, []string{
		"MarshalJSON returns an error: the code was generated without JSON.",
		"func (NAME) MarshalJSON() ([]byte, error) { return nil, RT.WithoutJSON(&TABLE) }",
	})
}
