package describe

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// SourceInfo tells where the declarations and their parts are, with their comments, as protoc does:
// same locations, same order. Options have the paths that their statements got when they were read;
// those without are left out. The file must be without errors, and not released.
func (f *File) SourceInfo() *descriptorpb.SourceCodeInfo { return f.sourceInfo(true) }

// Places returns the part of the source info that is about whole declarations: where they are, with
// their comments. The file must be without errors.
func (f *File) Places() *descriptorpb.SourceCodeInfo { return f.sourceInfo(false) }

func (f *File) sourceInfo(all bool) *descriptorpb.SourceCodeInfo {
	r := recorders.Get().(*recorder)
	defer r.done()
	r.all = all
	r.record(f)
	return r.message()
}

// recorder collects locations. It is kept for the next file.
type recorder struct {
	all    bool // parts of declarations and options are recorded, too
	tree   *syntax.File
	text   string
	tokens []syntax.Token
	places []position // places of the tokens

	locations []location
	numbers   []int32   // the paths of all locations
	comment   []comment // those of locations that have any
	option    []uint32  // number in interpreted, plus 1, by the first token of an option
	result    [][]int32 // paths that options have when they are read

	path     []int32 // path of what is being recorded
	upcoming comment // what was in front of the current declaration
	buffer   []byte
	sizes    []int32 // sizes of the encodings of locations
}

var recorders = sync.Pool{New: func() any { return new(recorder) }}

// done keeps the memory of the recorder, but nothing of the file.
func (r *recorder) done() {
	r.tree, r.text, r.tokens = nil, "", nil
	clear(r.comment)
	clear(r.result)
	recorders.Put(r)
}

// location is a location of source info.
type location struct {
	syntax.Range
	path    uint32 // where its numbers begin
	length  uint32
	comment uint32 // number of its comments, plus 1
}

func (r *recorder) record(f *File) {
	r.tree = f.tree()
	r.text, r.tokens = r.tree.Text, r.tree.Tokens
	r.places = positions(r.places[:0], r.tree)
	r.locations, r.numbers, r.path = r.locations[:0], r.numbers[:0], r.path[:0]
	r.comment, r.result = r.comment[:0], r.result[:0]
	r.option = slices.Grow(r.option[:0], len(r.tokens))[:len(r.tokens)]
	clear(r.option)
	for _, s := range f.Statements {
		for i, o := range s.Options {
			if i < len(s.Paths) && s.Paths[i] != nil {
				r.result = append(r.result, s.Paths[i])
				r.option[o.First] = uint32(len(r.result))
			}
		}
	}
	r.upcoming = r.comments(syntax.NoToken)
	r.upcoming.trailing = ""
	r.file()
}

// add adds a location at the current path and the numbers behind it, and returns its number.
func (r *recorder) add(at syntax.Range, more ...int32) int {
	start := len(r.numbers)
	r.numbers = append(append(r.numbers, r.path...), more...)
	r.locations = append(r.locations, location{Range: at, path: uint32(start),
		length: uint32(len(r.numbers) - start)})
	return len(r.locations) - 1
}

// part adds the location of a part of a declaration.
func (r *recorder) part(at syntax.Range, more ...int32) {
	if r.all {
		r.add(at, more...)
	}
}

// within records with numbers added to the current path.
func (r *recorder) within(record func(), more ...int32) {
	n := len(r.path)
	r.path = append(r.path, more...)
	record()
	r.path = r.path[:n]
}

// end passes over the token that ends the head of a declaration or all of it, which is where
// comments are given to its location.
func (r *recorder) end(token syntax.TokenID, owner int) {
	c := r.comments(token)
	mine := comment{r.upcoming.leading, c.trailing, r.upcoming.detached}
	r.upcoming = comment{leading: c.leading, detached: c.detached}
	if owner < 0 {
		return
	}
	if mine.leading != "" || mine.trailing != "" || len(mine.detached) > 0 {
		r.comment = append(r.comment, mine)
		r.locations[owner].comment = uint32(len(r.comment))
	}
}

// endBlock passes over a brace that ends a block: comments in front of it are nobody's.
func (r *recorder) endBlock(token syntax.TokenID) {
	c := r.comments(token)
	r.upcoming = comment{leading: c.leading, detached: c.detached}
}

// empty passes over a semicolon on its own.
func (r *recorder) empty(token syntax.TokenID) {
	c := r.comments(token)
	r.upcoming.leading = c.leading
	r.upcoming.detached = append(r.upcoming.detached, c.detached...)
}

// message makes the message of what was recorded.
func (r *recorder) message() *descriptorpb.SourceCodeInfo {
	out := make([]descriptorpb.SourceCodeInfo_Location, len(r.locations))
	list := make([]*descriptorpb.SourceCodeInfo_Location, len(out))
	numbers := slices.Clone(r.numbers)
	spans := make([]int32, 0, 4*len(out))
	comments := slices.Clone(r.comment)
	for i := range r.locations {
		l, o := &r.locations[i], &out[i]
		list[i] = o
		o.Path = numbers[l.path : l.path+l.length : l.path+l.length]
		start := len(spans)
		spans = r.appendSpan(spans, l.Range)
		o.Span = spans[start:len(spans):len(spans)]
		if l.comment == 0 {
			continue
		}
		c := &comments[l.comment-1]
		if c.leading != "" {
			o.LeadingComments = &c.leading
		}
		if c.trailing != "" {
			o.TrailingComments = &c.trailing
		}
		o.LeadingDetachedComments = c.detached
	}
	return &descriptorpb.SourceCodeInfo{Location: list}
}

// appendSpan appends three or four numbers.
func (r *recorder) appendSpan(spans []int32, at syntax.Range) []int32 {
	start := r.places[at.First]
	end := position{}
	if at.Last >= 0 { // it is not in an empty file
		end = r.places[at.Last]
	}
	spans = append(spans, start.line, start.column)
	if end.line != start.line {
		spans = append(spans, end.line)
	}
	return append(spans, end.end)
}
