package stubs

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// GRPC is a service whose stubs for google.golang.org/grpc are printed.
type GRPC struct {
	Service
	Package         string // the name of package grpc
	Any             string // any or interface{}
	Conn, Registrar string // types of what clients call over, and what servers are registered with
	Description     string // the variable that describes the service to grpc
	Metadata        string // its field Metadata
	// Long lays things out as the generator of golang/protobuf 1.3 did: each field of a literal on
	// a line, lists also where they are empty, metadata last.
	Long bool

	ClientStream, ServerStream Text // types of a method's stream
	// Func prints a function with a comment and one statement.
	Func func(doc []string, signature, body string)
	// Stream prints what declares a method's stream, for Client or Server.
	Stream func(m *schema.Method, side string)
}

// HandlerName is the function that grpc calls for a method.
func (g *GRPC) HandlerName(m *schema.Method) string {
	return "_" + g.Name + "_" + g.Method(m) + "_Handler"
}

// ClientMethod returns a method of the client without "func".
func (g *GRPC) ClientMethod(m *schema.Method) string {
	return g.ClientSignature(m, "in", ", opts ..."+g.Package+".CallOption", g.ClientStream)
}

// ServerMethod returns a method of the server without "func", with names of its parameters or
// without.
func (g *GRPC) ServerMethod(m *schema.Method, named bool) string {
	request := [2]string{"req", "*" + g.Received(m.Input)}
	stream := [2]string{"srv", ""}
	if Kind(m) != "" {
		stream[1] = g.ServerStream(m)
	}
	name := g.Method(m)
	switch {
	case Kind(m) == "":
		return name + "(" + list(named, [2]string{"ctx", g.Use("context") + ".Context"}, request) +
			") (*" + g.Sent(m.Output) + ", error)"
	case m.ClientStreaming:
		return name + "(" + list(named, stream) + ") error"
	}
	return name + "(" + list(named, request, stream) + ") error"
}

// PrintClient prints a client: an interface, the type behind it, and what makes one. doc and made
// are comments of the interface and of what makes one; body prints what a method does, given an
// expression for the description of its stream, after note has printed its comment.
func (g *GRPC) PrintClient(doc, made []string, note func(*schema.Method),
	body func(m *schema.Method, desc string)) {
	name := g.Name + "Client"
	g.Interface(name, doc, g.ClientMethod)
	g.Print()
	if g.Long {
		g.Print("type ", g.Client, " struct {")
		g.Print("cc ", g.Conn)
		g.Print("}")
	} else {
		g.Print("type ", g.Client, " struct{ cc ", g.Conn, " }")
	}
	g.Func(made, "New"+name+"(cc "+g.Conn+") "+name, "return &"+g.Client+"{cc}")
	stream := 0
	for _, m := range g.Methods {
		g.Print()
		note(m)
		g.Print("func (c *", g.Client, ") ", g.ClientMethod(m), " {")
		body(m, "&"+g.Description+".Streams["+strconv.Itoa(stream)+"]")
		g.Print("}")
		if Kind(m) != "" {
			stream++
			g.Stream(m, "Client")
		}
	}
}

// PrintRegister prints the function that registers a server; body is its lines.
func (g *GRPC) PrintRegister(doc []string, body ...string) {
	server := g.Name + "Server"
	g.Print()
	g.doc(doc)
	g.Print("func Register", server, "(s ", g.Registrar, ", srv ", server, ") {")
	for _, line := range body {
		g.Print(line)
	}
	g.Print("}")
}

// PrintHandlers prints the functions that grpc calls. body prints what one does; call is an
// expression for the method of the server.
func (g *GRPC) PrintHandlers(body func(m *schema.Method, call string)) {
	for _, m := range g.Methods {
		g.Print()
		if Kind(m) == "" {
			g.Print("func ", g.HandlerName(m), "(srv ", g.Any, ", ctx ", g.Use("context"),
				".Context, dec func(", g.Any, ") error, interceptor ", g.Package,
				".UnaryServerInterceptor) (", g.Any, ", error) {")
		} else {
			g.Print("func ", g.HandlerName(m), "(srv ", g.Any, ", stream ", g.Package,
				".ServerStream) error {")
		}
		body(m, "srv.("+g.Name+"Server)."+g.Method(m))
		g.Print("}")
		if Kind(m) != "" {
			g.Stream(m, "Server")
		}
	}
}

// PrintDescription prints what grpc knows about the service.
func (g *GRPC) PrintDescription(doc ...string) {
	g.Print()
	g.doc(doc)
	g.Print("var ", g.Description, " = ", g.Package, ".ServiceDesc{")
	g.Print("ServiceName:\t", strconv.Quote(g.FullName), ",")
	g.Print("HandlerType:\t(*", g.Name, "Server)(nil),")
	if !g.Long {
		g.Print("Metadata:\t", g.Metadata, ",")
	}
	g.methods("Method", false)
	g.methods("Stream", true)
	if g.Long {
		g.Print("Metadata:\t", g.Metadata, ",")
	}
	g.Print("}")
}

// methods prints the list of the methods that stream, or of the others.
func (g *GRPC) methods(what string, stream bool) {
	open := false
	begin := func() {
		if !open {
			g.Print(what, "s: []", g.Package, ".", what, "Desc{")
		}
		open = true
	}
	if g.Long {
		begin()
	}
	for _, m := range g.Methods {
		if Kind(m) != "" != stream {
			continue
		}
		begin()
		fields := []string{what + "Name: " + strconv.Quote(m.Name), "Handler: " + g.HandlerName(m)}
		if m.ServerStreaming {
			fields = append(fields, "ServerStreams: true")
		}
		if m.ClientStreaming {
			fields = append(fields, "ClientStreams: true")
		}
		if g.Long {
			g.Print("{\n" + strings.Join(fields, ",\n") + ",\n},")
		} else {
			g.Print("{" + strings.Join(fields, ", ") + "},")
		}
	}
	if open {
		g.Print("},")
	}
}
