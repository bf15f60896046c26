package golang

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// serviceNames are the names that come with a service, those of protoc-gen-go-grpc.
type serviceNames struct {
	service string // "Shop"
	client  string // "shopClient", the type behind ShopClient
	methods map[*schema.Method]string
}

// fullMethod is the constant with the name of a method as requests have it.
func (n *serviceNames) fullMethod(m *schema.Method) string {
	return n.service + "_" + n.methods[m] + "_FullMethodName"
}

// services decides the names that services have.
func (r *resolver) services(f *schema.File) {
	if !r.opts.services() {
		return
	}
	for _, s := range f.Services {
		n := &serviceNames{service: r.renamed(s.FullName, camelCase(s.Name)),
			methods: map[*schema.Method]string{}}
		n.client = lowerFirst(n.service) + "Client"
		r.names.services[s] = n
		for _, m := range s.Methods {
			n.methods[m] = r.renamed(s.FullName+"."+m.Name, camelCase(m.Name))
		}
		if r.opts.Connect {
			r.connectNames(s, n)
		}
		if !r.opts.GRPC {
			continue
		}
		owner := fmt.Sprintf("service %q", s.FullName)
		for _, name := range []string{n.service + "Client", n.client, "New" + n.service + "Client",
			n.service + "Server", "Unimplemented" + n.service + "Server",
			"Unsafe" + n.service + "Server",
			"Register" + n.service + "Server", n.service + "_ServiceDesc"} {
			r.claim(declaration{f, s.Pos, owner, s.FullName, n.service}, name)
		}
		for _, m := range s.Methods {
			full := s.FullName + "." + m.Name
			name := n.methods[m]
			owner := fmt.Sprintf("method %q", full)
			claim := []string{n.fullMethod(m), "_" + n.service + "_" + name + "_Handler"}
			if m.ClientStreaming || m.ServerStreaming {
				claim = append(claim, n.service+"_"+name+"Server", n.service+"_"+name+"Client")
			}
			for _, c := range claim {
				r.claim(declaration{f, m.Pos, owner, full, name}, c)
			}
		}
	}
}

// serviceNote tells once that services get no code.
func (g *Generator) serviceNote() []report.Diagnostic {
	if g.opts.services() || g.opts.NoServices {
		return nil
	}
	var first *schema.Service
	n := 0
	for _, f := range g.files {
		if n += len(f.Services); first == nil && n > 0 {
			first = f.Services[0]
		}
	}
	if first == nil {
		return nil
	}
	d := report.Diagnostic{Severity: report.Warning, File: first.File.Path, Line: first.Pos.Line,
		Column:  first.Pos.Column,
		Message: fmt.Sprintf("service %q: no code is generated for services", first.FullName),
		Hint:    "in gremlin.yaml: options: {grpc: true} or {connect: true}; {grpc: false} if none is meant"}
	if n > 1 {
		d.Message += fmt.Sprintf(", of which there are %d", n)
	}
	if g.opts.Parameters {
		d.Hint = "write grpc or connect; grpc=false if none is meant"
	}
	return []report.Diagnostic{d}
}

// lowerFirst returns s with its first letter in lower case.
func lowerFirst(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[n:]
}

// serviceType prints what the stubs of a service for gRPC and for Connect have in common;
// grpcService and connectService print the rest.
type serviceType struct {
	*printer
	service  *schema.Service
	names    *serviceNames
	messages bool // what comes in is a Message, not a Reader
}

// sent and received return the type of a message that goes out, and of one that comes in.
func (t *serviceType) sent(m *schema.Message) string {
	return t.qualify(t.printer.names.messages[m].message)
}

func (t *serviceType) received(m *schema.Message) string {
	if t.messages {
		return t.sent(m)
	}
	return t.qualify(t.printer.names.messages[m].reader)
}

// shape is the kind of a method as grpc's stream types have it in their names; empty for a unary
// one.
func shape(m *schema.Method) string {
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

// clientTypes and serverTypes are the type arguments of a method's streams, request before answer.
func (t *serviceType) clientTypes(m *schema.Method) string {
	return t.sent(m.Input) + ", " + t.received(m.Output)
}

func (t *serviceType) serverTypes(m *schema.Method) string {
	return t.received(m.Input) + ", " + t.sent(m.Output)
}

// stub returns a function of a method's stub: its signature, the name of a constant, a type.
type stub func(*schema.Method) string

// paths prints constants with the methods as they are called on the wire.
func (t *serviceType) paths(doc string, name stub) {
	if len(t.service.Methods) == 0 {
		return
	}
	t.p()
	t.p("// ", doc)
	t.p("const (")
	for _, m := range t.service.Methods {
		t.p(name(m), "\t= ", strconv.Quote("/"+t.service.FullName+"/"+m.Name))
	}
	t.p(")")
}

// clientCall returns a method of a client without "func". in is what the request is called, rest
// what follows it; stream is the type of what is returned where something streams.
func (t *serviceType) clientCall(m *schema.Method, in string, stream stub,
	rest func() string) string {
	request, out := ", "+in+" *"+t.sent(m.Input), "*"+t.received(m.Output)
	if m.ClientStreaming {
		request = ""
	}
	if shape(m) != "" {
		out = stream(m)
	}
	return t.names.methods[m] + "(ctx " + t.use("context") + ".Context" + request + rest() + ") (" +
		out + ", error)"
}

// clientInterface prints the interface of a client and returns its name.
func (t *serviceType) clientInterface(signature stub) (name string) {
	name = t.names.service + "Client"
	t.p()
	t.p("// ", name, " calls ", t.service.FullName,
		". Any number of goroutines may use one; its streams are for one sender and one")
	t.p("// receiver each.")
	t.methods(name, signature)
	t.p("}")
	return name
}

// methods adds what the source says to a comment that has begun, and prints an interface, up to its
// end.
func (t *serviceType) methods(name string, signature stub) {
	t.serviceComment()
	t.p("type ", name, " interface {")
	for _, m := range t.service.Methods {
		t.methodComment(m)
		t.p(signature(m))
	}
}

// unimplemented prints a type whose methods all answer with err that they are not implemented;
// alone tells of methods that return nothing but an error.
func (t *serviceType) unimplemented(name, doc string, signature, err stub,
	alone func(*schema.Method) bool) {
	t.p()
	t.p("// Unimplemented", name, " ", doc)
	t.p("type Unimplemented", name, " struct{}")
	for _, m := range t.service.Methods {
		t.p()
		t.p("// ", t.names.methods[m], " is not implemented.")
		t.p("func (Unimplemented", name, ") ", signature(m), " {")
		result := err(m)
		if !alone(m) {
			result = "nil, " + result
		}
		t.p("return ", result)
		t.p("}")
	}
}

// methodComment prints what stands before a method of an interface.
func (t *serviceType) methodComment(m *schema.Method) {
	t.comment(m.Comment, "", deprecation(m.Deprecated, t.service.FullName+"."+m.Name))
}

// serviceComment adds what the source says about the service to a comment that has begun.
func (t *serviceType) serviceComment() {
	c := t.service.Comment
	if c.Leading == "" && c.Trailing == "" && !t.service.Deprecated {
		return
	}
	t.p("//")
	t.comment(c, "", deprecation(t.service.Deprecated, t.service.FullName))
}
