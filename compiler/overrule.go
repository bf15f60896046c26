package compiler

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile/experimental/ast"
	"github.com/bufbuild/protocompile/experimental/ast/syntax"
	"github.com/bufbuild/protocompile/experimental/ir"
	pcreport "github.com/bufbuild/protocompile/experimental/report"
	"github.com/bufbuild/protocompile/experimental/seq"
)

// overrule takes out of a report the errors that protoc does not have, all of them about things
// that protocompile has compiled well in spite of them:
//
//   - A group may not hold ranges of extensions or reserved numbers.
//   - A name is not visible, which is found in a file that comes by public imports: what a file
//     imports publicly and by way of a plain import as well counts as plain for those who import
//     that file.
//   - Fields have the same name in JSON, which may be right; what is wrong is found by
//     checkConventions.
//   - A name is not of the style that features ask for: protocompile does not look at all of them.
//     checkNames does.
//   - A method is about messages that are local to another file. protoc looks at fields and
//     extensions only.
//   - A declaration of an extension lacks something: they are read with the options, and checked
//     then.
//   - A reserved name could not be one of a field, a message set has no room for extensions: protoc
//     says at most that this is odd.
//   - A string should be UTF-8 where it is the value of an option, or a default. For options see
//     package options.
//   - The option jstype is on a field that has no 64 bits, but says nothing. checkConventions looks
//     at it.
//   - The option ctype is on a field that is no string or bytes, or an extension: protoc never says
//     a word.
//   - The default of a field with a point is written as a hexadecimal integer.
//   - In a copy of descriptor.proto, an option does not say by which editions it may be used.
//     protocompile reads that with descriptor.proto, protoc with the copy.
//   - A number that no field can have is reserved.
//   - A name is reserved twice, in a file of which protocompile has not seen the text. protodesc
//     looks at the names that there are.
//   - An extension has the number of one in another file. protoc wants all such files repaired
//     before it may be an error.
func overrule(src *Sources, rep *pcreport.Report, linked []*ir.File) {
	files := map[string]*ir.File{} // by import path, made when it is needed
	file := func(path string) *ir.File {
		if len(files) == 0 {
			for f := range ir.TopoSort(linked) {
				files[f.Path()] = f
			}
		}
		return files[path]
	}
	// by import path, filled when they are needed
	methods, reserved := map[string]map[int]bool{}, map[string]map[int]bool{}
	isOne := func(of map[string]map[int]bool, places func(*ir.File) map[int]bool,
		d *pcreport.Diagnostic) bool {
		path := src.importPath(d.File())
		if f := file(path); f != nil && of[path] == nil {
			of[path] = places(f)
		}
		return of[path][d.Primary().Start]
	}
	rep.Diagnostics = slices.DeleteFunc(rep.Diagnostics, func(d pcreport.Diagnostic) bool {
		switch message := d.Message(); {
		case message == "unexpected extension range within group definition",
			message == "unexpected reserved range within group definition":
			return goodRange.MatchString(d.Primary().Text())
		case aboutDeclarations.MatchString(message):
			return true
		case aboutEditions.MatchString(message):
			return hasOwnOptions(file(src.importPath(d.File())))
		case d.Level() != pcreport.Error:
			return false
		case oddities.MatchString(message):
			return true
		case strings.HasPrefix(message, "expected 64-bit integer type, found "):
			return slices.ContainsFunc(snippets(src, &d), func(s snippet) bool {
				return s.label == "`jstype` set here"
			})
		case strings.HasPrefix(message, "expected `string` or `bytes`, found "):
			return slices.ContainsFunc(snippets(src, &d), func(s snippet) bool {
				return s.label == "`ctype` set here"
			})
		case strings.HasPrefix(message, "field number `") &&
			strings.HasSuffix(message, "` used more than once"):
			return slices.ContainsFunc(snippets(src, &d), func(s snippet) bool {
				return s.span.Path() != d.Primary().Path()
			})
		case strings.HasPrefix(message, "found unexported message type `"):
			return isOne(methods, inMethods, &d)
		case message == "field number out of range":
			return isOne(reserved, reservable, &d)
		case strings.HasSuffix(message, "` reserved more than once"):
			return src.isTamed(src.importPath(d.File()))
		case strings.HasPrefix(message, "cannot find `"):
			return slices.ContainsFunc(snippets(src, &d), func(s snippet) bool {
				return s.label == "found in unimported file" &&
					visible(file(src.importPath(d.File())), file(src.importPath(s.span.Path())))
			})
		}
		return false
	})
}

// oddities fits the errors that are dropped whatever they are about.
var oddities = regexp.MustCompile("^(?:message fields have the same (?:\\(default\\) )?JSON name|" +
	"reserved (?:message field|enum value) name is not a valid identifier|message set type `.*` declares no extension ranges|" +
	"unsupported base for floating-point literal|non-UTF-8 string literal|" +
	".* name should be (?:(?:lower_|SCREAMING_)?(?i:snake_case)|PascalCase)|cannot use `.*` on an extension field)$")

// aboutDeclarations fits what is said of declarations of extensions, all of which protocompile sees
// without what is in their braces.
var aboutDeclarations = regexp.MustCompile(
	"^(?:extension declaration must specify `number`|missing declaration for extension number `.*`|" +
		"multi-range `extensions` with extension declarations|extension range requires declarations, but does not define any|unverified extension range defines declarations)$")

// aboutEditions fits what is said of editions that a feature or an option is for.
var aboutEditions = regexp.MustCompile(
	"^(?:expected feature field to set `edition_defaults`|`edition_defaults` does not cover all editions|" +
		"missing `EditionDefault\\..*`|expected `FeatureSupport\\..*` to be set|unexpected `EDITION_.*` in `(?:EditionDefault|FeatureSupport)\\..*`)$")

// hasOwnOptions tells whether a file declares options of the language, but is not descriptor.proto.
func hasOwnOptions(f *ir.File) bool {
	if f == nil || f.Package() != "google.protobuf" || f.Path() == descriptorPath {
		return false
	}
	for ty := range seq.Values(f.AllTypes()) {
		if ty.FullName() == "google.protobuf.FieldOptions" {
			return true
		}
	}
	return false
}

// goodRange fits the statements that are right in a message: nothing has looked at one in a group.
var goodRange = func() *regexp.Regexp {
	const number = `(?:0[xX][0-9a-fA-F]+|[0-9]+)`
	const span = number + `(?: to (?:` + number + `|max))?`
	const name = `"[a-zA-Z_][a-zA-Z_0-9]*"`
	statement := `^(?:extensions ` + span + `(?: , ` + span + `)* (?:\[.*\])? ;|reserved ` + span +
		`(?: , ` + span + `)* ;|reserved ` + name + `(?: , ` + name + `)* ;)$`
	return regexp.MustCompile(`(?s)` + strings.ReplaceAll(statement, " ",
		`(?:\s|//[^\n]*\n|/\*.*?\*/)*`))
}()

// inMethods returns where the types of methods are written.
func inMethods(f *ir.File) map[int]bool {
	at := map[int]bool{}
	for s := range seq.Values(f.Services()) {
		for m := range seq.Values(s.Methods()) {
			for _, list := range []ast.TypeList{m.AST().Signature().Inputs(),
				m.AST().Signature().Outputs()} {
				for t := range seq.Values(list) {
					at[t.RemovePrefixes().Span().Start] = true
				}
			}
		}
	}
	return at
}

// reservable returns where numbers are written that are reserved, whether a field can have them or
// not.
func reservable(f *ir.File) map[int]bool {
	at := map[int]bool{}
	for ty := range seq.Values(f.AllTypes()) {
		for r := range seq.Values(ty.ReservedRanges()) {
			if _, last := bounds(r.AST()); last == 0 {
				continue
			}
			at[r.AST().Span().Start] = true
			if r := r.AST().AsRange(); !r.IsZero() {
				_, end := r.Bounds()
				at[end.Span().Start] = true
			}
		}
	}
	return at
}

// visible tells whether names of a file may be used in another one: it is imported, or what is
// imported has it by public imports. Files of editions that have types which are local are left to
// protocompile.
func visible(in, of *ir.File) bool {
	if in == nil || of == nil || of.Syntax() > syntax.Edition2023 {
		return false
	}
	seen := map[*ir.File]bool{}
	var public func(f *ir.File) bool
	public = func(f *ir.File) bool {
		if f == of || seen[f] {
			return f == of
		}
		seen[f] = true
		for imp := range seq.Values(f.Imports()) {
			if imp.Public && public(imp.File) {
				return true
			}
		}
		return false
	}
	for imp := range seq.Values(in.Imports()) {
		if !imp.Option && public(imp.File) {
			return true
		}
	}
	return false
}
