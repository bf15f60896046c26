// Package syntax reads the text of a .proto file into tokens and a tree of declarations.
//
// The tree has no text and no meaning: its nodes are runs of tokens. What a name stands for, which
// number a literal is and whether a declaration makes sense are questions for later steps. Comments
// are not kept: they are what lies between two tokens.
//
// The grammar is protoc's parser's, and so is the line between what is refused here and what later.
// After an error the parser goes on behind the declaration, so that one run finds all; a tree with
// errors is for finding more of them only, and parts of its nodes may be missing.
package syntax

// File is a file that was parsed. It is not changed after that and may be read by many goroutines.
type File struct {
	Path    string  // import path
	Text    string  // text without a byte order mark
	Indent  int     // length of the byte order mark, which protoc counts as columns of line 1
	Edition Edition // what the first statement says, else Proto2
	Tokens  []Token // the last one is EOF
	Decls   []Decl  // declarations in the order of the text
	// Incomplete tells that a part could not be read that may have declared types.
	Incomplete bool

	places lazyPlaces
}

// Edition is the number that descriptor.proto gives to an edition or syntax.
type Edition int32

// The editions that are known. Proto2 and Proto3 are those of files with a syntax.
const (
	Proto2      Edition = 998
	Proto3      Edition = 999
	Edition2023 Edition = 1000
	Edition2024 Edition = 1001
)

// Decl is a declaration or statement: a pointer to one of the types below.
type Decl interface {
	// Tokens returns the whole of it, from its first keyword to its semicolon or brace.
	Tokens() Range
}

// Tokens returns the range itself: nodes embed it.
func (r Range) Tokens() Range { return r }

// Syntax is `syntax = "proto3";` or `edition = "2023";`.
type Syntax struct {
	Range
	Keyword TokenID // syntax or edition
	Value   Range   // string literals
}

// Package is `package a.b;`.
type Package struct {
	Range
	Name Range
}

// Import is `import public "a.proto";`.
type Import struct {
	Range
	Modifier TokenID // public, weak or option, or NoToken
	Path     Range   // string literals
}

// Option is `option name = value;` or an entry of a list in brackets, whose range is then from name
// to value.
type Option struct {
	Range
	Name  []OptionPart
	Value Value
}

// OptionPart is one part of an option's name between points: `a`, or `(a.b)` for an extension.
type OptionPart struct {
	Range           // the tokens of the part, the parentheses included
	Name      Range // name without the parentheses; several tokens only in parentheses
	Extension bool
}

// ValueKind is the form of an option's value.
type ValueKind uint8

// The forms of values.
const (
	NoValue    ValueKind = iota // it could not be read
	IdentValue                  // a word, true, inf and nan among them
	IntegerValue
	FloatValue
	StringValue    // one or more literals
	AggregateValue // a message in braces
)

// Value is what an option is set to. Its range is all of it, with sign or braces.
type Value struct {
	Range
	Kind     ValueKind
	Negative TokenID // the minus in front of a number or word, or NoToken
	Literal  Range   // the word, number or literals; what is between the braces, maybe None
}

// Options is a list of options in brackets.
type Options struct {
	Range // the tokens of the value, the brackets included
	List  []*Option
}

// Body is what is between braces.
type Body struct {
	Open, Close TokenID
	Decls       []Decl
}

// Message is `message Name { ... }`.
type Message struct {
	Range
	Visibility TokenID // export or local, or NoToken
	Name       TokenID
	Body       Body
}

// Field is a field of a message, oneof or extend block. A group and a map are fields, too.
type Field struct {
	Range
	Label   TokenID  // optional, required or repeated, or NoToken
	Type    Range    // a name, with its leading point, or None in a map; the word group in a group
	Map     *Map     // nil unless it is a map
	Name    TokenID  // name of the field; in a group the name of its message
	Number  Range    // one token unless a sign stands in front of it
	Options *Options // nil when there are none
	Group   *Body    // nil unless it is a group
}

// Map is `map<key, value>`.
type Map struct {
	Range
	Key, Value Range
}

// Oneof is `oneof name { ... }`.
type Oneof struct {
	Range
	Name TokenID
	Body Body
}

// Enum is `enum Name { ... }`.
type Enum struct {
	Range
	Visibility TokenID // export or local, or NoToken
	Name       TokenID
	Body       Body
}

// EnumValue is `NAME = 1;`.
type EnumValue struct {
	Range
	Name    TokenID
	Number  Range // number with its sign
	Options *Options
}

// Extend is `extend Name { ... }`.
type Extend struct {
	Range
	Extendee Range
	Body     Body
}

// Extensions is `extensions 1, 5 to max;`.
type Extensions struct {
	Range
	Ranges  []NumberRange
	Options *Options
}

// Reserved is `reserved 1, 5 to 7;` or `reserved "a", "b";`, in editions `reserved a, b;`.
type Reserved struct {
	Range
	Ranges []NumberRange
	Names  []Range // string literals or a single word
}

// NumberRange is one part of a list of ranges.
type NumberRange struct {
	Range
	Start Range // first number with its sign
	End   Range // last number with its sign, the word max, or None where only a number stands
}

// Service is `service Name { ... }`.
type Service struct {
	Range
	Name TokenID
	Body Body
}

// Method is `rpc Name (stream In) returns (stream Out);`, maybe with options in braces.
type Method struct {
	Range
	Name          TokenID
	ClientStreams TokenID // the word stream, or NoToken
	Input         Range
	ServerStreams TokenID
	Output        Range
	Body          *Body // nil when it ends in a semicolon
}

// Empty is a semicolon on its own.
type Empty struct{ Range }
