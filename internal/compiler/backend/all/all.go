// Package all lists the backends that the commands have. Another language, or another shape of
// code, is one more entry here.
package all

import (
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/gogo"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/typescript"
)

// Backends returns all backends. The first makes code where nobody asks for another.
func Backends() backend.List {
	return backend.List{golang.Backend{Marks: gogo.Marks}, gogo.Backend{},
		typescript.Backend{}}
}
