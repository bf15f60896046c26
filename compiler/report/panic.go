package report

import "fmt"

// Panic returns the diagnostic for a panic with the value v while a file was worked on: a run tells
// of it and goes on with other files. An empty file means the run as a whole.
func Panic(file string, v any) Diagnostic {
	return Diagnostic{
		File:    file,
		Message: fmt.Sprintf("internal compiler error: %v", v),
		Hint:    "this is a bug in gremlin: report it with the file",
	}
}
