package golang

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// httpRule is the number of the extension google.api.http of MethodOptions.
const httpRule = 72295728

// httpNote tells once that code of services does nothing about google.api.http: who moves here from
// a gateway for REST should not find that out at run time.
func httpNote(r *backend.Request, o Options) report.List {
	if !o.services() {
		return nil
	}
	files := map[string]*schema.File{}
	for _, f := range r.Schema.Files {
		if f.Generate && r.IsMine(f) {
			files[f.Path] = f
		}
	}
	var first report.Diagnostic
	n := 0
	for _, fd := range r.Descriptors.File {
		f := files[fd.GetName()]
		if f == nil {
			continue
		}
		for i, s := range fd.Service {
			for j, m := range s.Method {
				if !hasField(m.GetOptions().ProtoReflect().GetUnknown(), httpRule) {
					continue
				}
				if n++; n == 1 {
					at := f.Services[i].Methods[j]
					first = report.Diagnostic{Severity: report.Warning, File: f.Path,
						Line: at.Pos.Line, Column: at.Pos.Column,
						Message: fmt.Sprintf("method %q: no code is generated for google.api.http",
							f.Services[i].FullName+"."+at.Name),
						Hint: "there is no gateway for REST; Connect takes JSON by POST at the method's own path"}
				}
			}
		}
	}
	if n == 0 {
		return nil
	}
	if n > 1 {
		first.Message += fmt.Sprintf(", which %d methods have", n)
	}
	return report.List{first}
}

// hasField tells whether an encoding has a field.
func hasField(b []byte, number protowire.Number) bool {
	for len(b) > 0 {
		num, _, n := protowire.ConsumeField(b)
		if n < 0 {
			return false
		}
		if num == number {
			return true
		}
		b = b[n:]
	}
	return false
}
