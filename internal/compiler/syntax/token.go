package syntax

// Kind is what a token is.
type Kind uint8

// The kinds of tokens, which are those of protoc's tokenizer.
const (
	EOF     Kind = iota // the last token of every file, empty, at the end of the text
	Ident               // letters, digits and underscores, keywords included
	Integer             // decimal, octal or hexadecimal, without a sign
	Float               // with a point or an exponent, without a sign
	String              // one literal with its quotes; neighbours are joined by who reads them
	Symbol              // one character
)

// Token is a piece of the text. White space and comments are what lies between tokens.
type Token struct {
	Start, End int32 // offsets in bytes, the end exclusive
	Kind       Kind
}

// TokenID is an index in the tokens of a file.
type TokenID int32

// NoToken stands for a token that is not there.
const NoToken TokenID = -1

// Span is a piece of the text: offsets in bytes, the end exclusive.
type Span struct{ Start, End int32 }

// Range is a run of tokens, both ends inclusive. Its zero value is not empty: what may be missing
// is set to None.
type Range struct{ First, Last TokenID }

// None is the Range of what is not there.
var None = Range{NoToken, NoToken}

// Present tells whether there is any token.
func (r Range) Present() bool { return r.First >= 0 }
