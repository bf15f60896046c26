// Package options reads the options of declarations the way protoc does: their values are what
// their text says, to the bit, and what protoc refuses is refused.
//
// An option is set in two languages. Its name and simple values belong to the language of .proto
// files: a bool is true or false there, an enum has names only. What stands in braces is text
// format, cut into the tokens of .proto files: a bool may be 1, an enum a number, and "#" takes
// away all that follows up to the brace, since protoc keeps no lines.
//
// What is read goes into the descriptors as bytes, in protoc's order: options of the language into
// their fields, custom ones into what is unknown to descriptorpb, each statement on its own.
package options

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// Options says how to read options.
type Options struct {
	// Parallel is the number of files worked on at a time; 0 means one per CPU.
	Parallel int
	// Paths asks for the paths of what is set, see describe.Statement.
	Paths bool
	// Asked tells which files are not merely imported: protoc looks only in those for fields that
	// are not meant for what they are set on, and for required ones that are missing. With nil all
	// are asked for.
	Asked func(path string) bool
}

// Read reads the options of files and writes them into their descriptors. Each file has to come
// behind those that it imports, as link.Pool.Link returns them; what else is in the pool has been
// read already. What a file imports only for its options counts as used.
func Read(pool *link.Pool, files []*link.File, o Options) report.List {
	s := &session{Options: o, pool: pool, types: newTypes(pool), files: files,
		order: make(map[*link.File]int, len(files)),
		done:  make(map[*link.File]chan struct{}, len(files)),
		found: make([]report.List, len(files)),
	}
	for i, f := range files {
		s.order[f], s.done[f] = i, make(chan struct{})
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	var wait sync.WaitGroup
	for range min(o.Parallel, len(files)) {
		wait.Go(s.work)
	}
	wait.Wait()
	return slices.Concat(s.found...)
}

// session is one call of Read.
type session struct {
	Options
	pool  *link.Pool
	types *types
	files []*link.File
	order map[*link.File]int
	done  map[*link.File]chan struct{} // closed when a file has been read
	found []report.List                // diagnostics by file
	next  atomic.Int64                 // the file to begin with
}

// work reads files, in their order: those that one waits for are being read by somebody.
func (s *session) work() {
	view := s.pool.View()
	for {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.files) {
			return
		}
		s.found[i] = s.file(s.files[i], view)
	}
}

// file reads the options of a file.
func (s *session) file(f *link.File, view *link.View) (found report.List) {
	defer close(s.done[f])
	defer func() {
		if p := recover(); p != nil {
			found = append(found, report.Panic(f.Path, p))
		}
	}()
	s.await(f)
	if len(f.Statements) == 0 {
		return nil
	}
	view.Enter(f)
	r := &reader{session: s, view: view, file: f, tree: f.Tree,
		asked: s.Asked == nil || s.Asked(f.Path)}
	return r.read()
}

// await waits until the types of options of a file can be known: those of its imports. Who imports
// them has waited for what they import in turn.
func (s *session) await(f *link.File) {
	for _, i := range f.Imports {
		if i.File == nil {
			continue
		}
		if done := s.done[i.File]; done != nil && s.order[i.File] < s.order[f] {
			<-done
		}
	}
}

// said is a problem that was told.
type said struct {
	at      syntax.Range
	message string
}

// reader reads the options of one file.
type reader struct {
	*session
	view  *link.View
	file  *link.File
	tree  *syntax.File
	asked bool
	found report.List
	said  map[said]bool
	// compared counts the names that hints have looked at.
	compared int

	statement *describe.Statement
	options   [len(optionTypes)]*message // those of descriptor.proto, by targets
	// memory that is used for one option after the other
	fields  []*field
	encoded []byte
}

// read reads all options of the file. Those that are extensions may depend on features of this
// file, which are read first.
func (r *reader) read() report.List {
	for _, extensions := range []bool{false, true} {
		for i := range r.file.Statements {
			r.declaration(&r.file.Statements[i], extensions)
		}
	}
	return r.found
}

// problem is what is wrong with an option. One without message is known already.
type problem struct {
	at      syntax.Range
	message string
	hint    string
	notes   []report.Note
}

func (r *reader) wrong(at syntax.Range, format string, args ...any) *problem {
	return &problem{at: at, message: fmt.Sprintf(format, args...)}
}

// unknownType is the problem of a field whose type is not known, which was said where it is.
func (r *reader) unknownType(*field) *problem { return &problem{} }

// declared returns a note that shows a declaration.
func (r *reader) declared(s link.Symbol) []report.Note {
	at := s.File.Span(s.Element, describe.Name)
	return []report.Note{s.File.Tree.Note(at, fmt.Sprintf("%q is declared here", s.FullName()))}
}

// report adds a problem, once: an option of a map is one of its entry's fields, too.
func (r *reader) report(p *problem) {
	key := said{p.at, p.message}
	if p.message == "" || r.said[key] {
		return
	}
	if r.said == nil {
		r.said = map[said]bool{}
	}
	r.said[key] = true
	d := r.tree.Diagnostic(r.tree.Span(p.at), p.message)
	d.Hint, d.Notes = p.hint, p.notes
	r.found = append(r.found, d)
}

// declaration reads those options of a declaration that are extensions, or all others.
func (r *reader) declaration(s *describe.Statement, extensions bool) {
	r.statement, r.encoded = s, r.encoded[:0]
	if r.Paths && s.Paths == nil {
		s.Paths = make([][]int32, len(s.Options))
	}
	var set *node                // what is set, nil while that is of no interest
	var partial []*syntax.Option // set one of several fields that are required
	for i, o := range s.Options {
		if len(o.Name) == 0 || o.Name[0].Extension != extensions {
			continue
		}
		path, err := r.path(s, o)
		var value element
		if err == nil {
			if set == nil && (len(s.Options) > 1 || len(path) > 1) {
				set = &node{}
			}
			value, err = r.option(set, path, o)
		}
		if err != nil {
			r.report(err)
			continue
		}
		index := int32(0)
		if set != nil {
			index = set.put(path, value.content)
		}
		if r.Paths {
			s.Paths[i] = numbers(path, index)
		}
		last := len(path) - 1
		if r.asked && slices.ContainsFunc(path[:last], func(f *field) bool {
			return len(f.message.required) > 0
		}) {
			partial = append(partial, o)
		}
		for _, around := range slices.Backward(path[:last]) {
			value.encoded = around.appendMessage(nil, value.encoded)
		}
		r.encoded = append(r.encoded, value.encoded...)
	}
	for _, o := range partial {
		if path, err := r.path(s, o); err == nil {
			r.required(set, path, o)
		}
	}
	if len(r.encoded) > 0 {
		if err := store(s.Owner, r.encoded); err != nil {
			r.report(r.wrong(nameOf(s.Options[0]), "options cannot be read: %v", err))
		}
	}
}

// option reads the value of an option whose name has been read.
func (r *reader) option(set *node, path []*field, o *syntax.Option) (element, *problem) {
	f := path[len(path)-1]
	if !f.repeated && set != nil && set.find(path) != nil {
		return element{}, r.wrong(nameOf(o), "option %q is set twice, and is not repeated",
			f.proto.GetName())
	}
	return r.value(f, o.Value, len(path))
}

// nameOf returns the name of an option.
func nameOf(o *syntax.Option) syntax.Range {
	return syntax.Range{First: o.Name[0].First, Last: o.Name[len(o.Name)-1].Last}
}

// numbers returns the path to what an option sets.
func numbers(path []*field, index int32) []int32 {
	all := make([]int32, len(path), len(path)+1)
	for i, f := range path {
		all[i] = f.number
	}
	if path[len(path)-1].repeated {
		all = append(all, index)
	}
	return all
}

// required refuses an option that sets a field of a message which lacks a required one in the end.
func (r *reader) required(set *node, path []*field, o *syntax.Option) {
	for _, f := range path[:len(path)-1] {
		if f.item {
			set.items()
		} else {
			set.open()
		}
		if f.wireNumber() != f.number || set.in[f.number] == nil {
			return // protoc loses it
		}
		if set = set.in[f.number]; set.checked {
			continue
		}
		set.checked = true
		set.open()
		for _, field := range f.message.required {
			if set.in[field.number] == nil {
				r.report(r.wrong(nameOf(o), "required field %q of message %q is missing",
					field.proto.GetName(), f.message.name))
			}
		}
	}
}

// optionTypes are the messages of descriptor.proto that options are fields of, by targets.
var optionTypes = [...]string{
	descriptorpb.FieldOptions_TARGET_TYPE_FILE:            "google.protobuf.FileOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_EXTENSION_RANGE: "google.protobuf.ExtensionRangeOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_MESSAGE:         "google.protobuf.MessageOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_FIELD:           "google.protobuf.FieldOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_ONEOF:           "google.protobuf.OneofOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_ENUM:            "google.protobuf.EnumOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_ENUM_ENTRY:      "google.protobuf.EnumValueOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_SERVICE:         "google.protobuf.ServiceOptions",
	descriptorpb.FieldOptions_TARGET_TYPE_METHOD:          "google.protobuf.MethodOptions",
}

// optionsOf returns the message of descriptor.proto that has the options of a declaration: that of
// the files that protoc reads up to this one, or the one that comes with the compiler.
func (r *reader) optionsOf(target descriptorpb.FieldOptions_OptionTargetType) *message {
	if m := r.options[target]; m != nil {
		return m
	}
	name := optionTypes[target]
	var m *message
	if s := r.pool.Find(name); s.Kind == link.Message && r.knows(s.File) {
		m = r.types.message(s)
		r.view.Use(s.File)
	} else {
		m = builtIn().named(name)
	}
	r.options[target] = m
	return m
}

// knows tells whether protoc has read a file by the time that it reads this one. Those of earlier
// calls and those that have errors do not count, unless they are imported.
func (r *reader) knows(f *link.File) bool {
	if at, ok := r.order[f]; ok {
		if f != r.file && at < r.order[r.file] {
			<-r.done[f]
		}
		return at <= r.order[r.file]
	}
	seen := map[*link.File]bool{r.file: true}
	for queue := []*link.File{r.file}; len(queue) > 0; queue = queue[1:] {
		for _, i := range queue[0].Imports {
			if i.File == f {
				return true
			}
			if i.File != nil && !seen[i.File] {
				seen[i.File] = true
				queue = append(queue, i.File)
			}
		}
	}
	return false
}
