// Package stubs prints what the stubs of services have in common, whatever library they are for and
// whatever the code of messages looks like: stubs for gRPC and Connect in the native shape, and for
// gRPC in that of gogo/protobuf. What differs is fields of the types here.
package stubs

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Service is a service whose stubs are printed.
type Service struct {
	*schema.Service
	Name   string // the name in Go: "Shop"
	Client string // the type behind ShopClient: "shopClient"
	Method Text   // the name of a method in Go

	Print func(args ...any)              // prints a line of the file
	Use   func(importPath string) string // the name by which the file knows a package
	// Sent and Received return the type of a message that goes out, and of one that comes in.
	Sent, Received func(*schema.Message) string

	Comment       func()               // adds to a comment what the source says about the service
	MethodComment func(*schema.Method) // prints the comment of a method of an interface
}

// Text returns a part of the stub of a method: its signature, the name of a constant, a type.
type Text func(*schema.Method) string

// LowerFirst returns s with its first letter in lower case.
func LowerFirst(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[n:]
}

// Kind is the kind of a method as grpc's stream types have it in their names; empty for a unary
// one.
func Kind(m *schema.Method) string {
	switch {
	case m.ClientStreaming && m.ServerStreaming:
		return "BidiStreaming"
	case m.ClientStreaming:
		return "ClientStreaming"
	case m.ServerStreaming:
		return "ServerStreaming"
	}
	return ""
}

// ClientTypes are the type arguments of a method's streams, request before answer.
func (s *Service) ClientTypes(m *schema.Method) string {
	return s.Sent(m.Input) + ", " + s.Received(m.Output)
}

// ServerTypes are those of the streams of a server.
func (s *Service) ServerTypes(m *schema.Method) string {
	return s.Received(m.Input) + ", " + s.Sent(m.Output)
}

// Path returns a string literal with a method as it is called on the wire.
func (s *Service) Path(m *schema.Method) string {
	return strconv.Quote("/" + s.FullName + "/" + m.Name)
}

// Paths prints constants with the methods as they are called on the wire.
func (s *Service) Paths(doc string, name Text) {
	if len(s.Methods) == 0 {
		return
	}
	s.Print()
	s.Print("// ", doc)
	s.Print("const (")
	for _, m := range s.Methods {
		s.Print(name(m), "\t= ", s.Path(m))
	}
	s.Print(")")
}

// ClientSignature returns a method of a client without "func". in is what the request is called,
// rest what follows it; stream is the type of what is returned where something streams.
func (s *Service) ClientSignature(m *schema.Method, in, rest string, stream Text) string {
	request, out := ", "+in+" *"+s.Sent(m.Input), "*"+s.Received(m.Output)
	if m.ClientStreaming {
		request = ""
	}
	if Kind(m) != "" {
		out = stream(m)
	}
	return s.Method(m) + "(ctx " + s.Use("context") + ".Context" + request + rest + ") (" + out +
		", error)"
}

// Interface prints an interface with the methods, and more lines behind them.
func (s *Service) Interface(name string, doc []string, signature Text, more ...string) {
	s.Print()
	s.doc(doc)
	s.Comment()
	s.Print("type ", name, " interface {")
	for _, m := range s.Methods {
		s.MethodComment(m)
		s.Print(signature(m))
	}
	for _, line := range more {
		s.Print(line)
	}
	s.Print("}")
}

func (s *Service) doc(lines []string) {
	for _, line := range lines {
		s.Print("// ", line)
	}
}

// Unimplemented is a type whose methods all answer that they are not implemented.
type Unimplemented struct {
	Of        string // the interface that it implements
	Doc       []string
	Star      string // "*" where a pointer has the methods
	Commented bool   // each method has a comment
	Signature Text
	Err       Text                      // the error that is returned
	Alone     func(*schema.Method) bool // tells of methods that return nothing else
}

// Unimplemented prints such a type.
func (s *Service) Unimplemented(u Unimplemented) {
	s.Print()
	s.doc(u.Doc)
	s.Print("type Unimplemented", u.Of, " struct{}")
	for _, m := range s.Methods {
		s.Print()
		if u.Commented {
			s.Print("// ", s.Method(m), " is not implemented.")
		}
		s.Print("func (", u.Star, "Unimplemented", u.Of, ") ", u.Signature(m), " {")
		result := u.Err(m)
		if !u.Alone(m) {
			result = "nil, " + result
		}
		s.Print("return ", result)
		s.Print("}")
	}
}

// list joins parameters of a function; each is a name and a type.
func list(named bool, parameters ...[2]string) string {
	var all []string
	for _, p := range parameters {
		if named {
			p[1] = p[0] + " " + p[1]
		}
		all = append(all, p[1])
	}
	return strings.Join(all, ", ")
}
