package report

import (
	"encoding/json"
	"io"
)

// jsonPlace and jsonDiagnostic are the published form; their field names are an interface of the
// command.
type jsonPlace struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
	Message   string `json:"message"`
}

type jsonDiagnostic struct {
	Severity string `json:"severity"`
	jsonPlace
	Hint  string      `json:"hint,omitempty"`
	Notes []jsonPlace `json:"notes,omitempty"`
}

// WriteJSON writes one JSON object per line and diagnostic, in the order given: a form that can be
// read while the run goes on, joined with other runs', and taken apart by line tools. Paths are
// those of the diagnostics, unchanged.
func WriteJSON(w io.Writer, l List) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, d := range l {
		out := jsonDiagnostic{
			Severity:  d.Severity.String(),
			jsonPlace: jsonPlace{d.File, d.Line, d.Column, d.EndLine, d.EndColumn, d.Message},
			Hint:      d.Hint,
		}
		for _, n := range d.Notes {
			out.Notes = append(out.Notes, jsonPlace(n))
		}
		if err := enc.Encode(out); err != nil {
			return err
		}
	}
	return nil
}
