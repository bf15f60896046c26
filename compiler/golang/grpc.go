package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

const (
	grpcPath        = "google.golang.org/grpc"
	gremlingrpcPath = runtimePath + "/gremlingrpc"
	// grpcContractPath is to gremlingrpc what contractPath is to the runtime.
	grpcContractPath = gremlingrpcPath + "/contract1"
)

// GRPCPath returns where the gRPC code of a .proto file goes, below the output root: beside that of
// OutputPath.
func GRPCPath(protoPath string) string {
	return strings.TrimSuffix(OutputPath(protoPath), suffix) + ".grpc" + suffix
}

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

// generateGRPC returns the formatted text of the gRPC code of f.
func (g *Generator) generateGRPC(f *schema.File) []byte {
	p := g.newPrinter(f)
	delete(p.imports, contractPath)
	p.imports[grpcContractPath] = "_"
	for _, name := range []string{"ctx", "in", "opts", "cc", "srv", "dec", "stream", "interceptor",
		"t"} {
		p.taken[name] = true
	}
	for _, path := range []string{grpcPath, gremlingrpcPath} {
		p.use(path)
	}
	for _, s := range f.Services {
		t := &serviceType{printer: p, service: s, names: p.names.services[s],
			messages: g.opts.GRPCMessages}
		t.print()
	}
	p.descriptors(g.opts.Descriptors[f.Path])
	return g.finish(p)
}

// identifier returns s with underscores in the place of what identifiers cannot have.
func identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, s)
}

// descriptors prints what the services of the file tell by reflection.
func (p *printer) descriptors(set []byte) {
	if set == nil {
		return
	}
	const line = 32 // bytes
	p.p()
	p.p("// ", p.names.descriptors[p.source],
		" is what server reflection tells: an encoded FileDescriptorSet, in pieces.")
	p.p("var ", p.names.descriptors[p.source], " = ", p.use(gremlingrpcPath), ".Descriptors{")
	p.p("Path:\t", strconv.Quote(p.source.Path), ",")
	p.p("Set: []string{")
	for piece := range slices.Chunk(set, line) {
		p.p(quoteASCII(piece), ",")
	}
	p.p("},")
	p.p("}")
}

// quoteASCII returns b as a string literal. What is not printable ASCII is escaped, byte by byte.
func quoteASCII(b []byte) string {
	out := []byte{'"'}
	for _, c := range b {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ' && c < 0x7f:
			out = append(out, c)
		default:
			out = fmt.Appendf(out, `\x%02x`, c)
		}
	}
	return string(append(out, '"'))
}

// serviceType prints the code of one service.
type serviceType struct {
	*printer
	service  *schema.Service
	names    *serviceNames
	messages bool // what comes in is a Message, not a Reader
}

func (t *serviceType) print() {
	t.constants()
	t.client()
	t.server()
	t.unimplemented()
	t.handlers()
	t.descriptor()
}

// grpc and helper return a name of package grpc, and of gremlingrpc.
func (t *serviceType) grpc(name string) string   { return t.use(grpcPath) + "." + name }
func (t *serviceType) helper(name string) string { return t.use(gremlingrpcPath) + "." + name }

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

// clientStream and serverStream are the types of a method's stream.
func (t *serviceType) clientStream(m *schema.Method) string {
	if shape(m) == "ServerStreaming" {
		return t.grpc("ServerStreamingClient") + "[" + t.received(m.Output) + "]"
	}
	return t.grpc(shape(m)+"Client") + "[" + t.clientTypes(m) + "]"
}

func (t *serviceType) serverStream(m *schema.Method) string {
	if shape(m) == "ServerStreaming" {
		return t.grpc("ServerStreamingServer") + "[" + t.sent(m.Output) + "]"
	}
	return t.grpc(shape(m)+"Server") + "[" + t.serverTypes(m) + "]"
}

func (t *serviceType) constants() {
	if len(t.service.Methods) == 0 {
		return
	}
	t.p()
	t.p("// The methods of ", t.service.FullName, " as they are called on the wire.")
	t.p("const (")
	for _, m := range t.service.Methods {
		t.p(t.names.fullMethod(m), "\t= ", strconv.Quote("/"+t.service.FullName+"/"+m.Name))
	}
	t.p(")")
}

// comment prints what stands before a method of an interface.
func (t *serviceType) methodComment(m *schema.Method) {
	t.comment(m.Comment, "", deprecation(m.Deprecated, t.service.FullName+"."+m.Name))
}

// clientSignature is a method of the client without "func".
func (t *serviceType) clientSignature(m *schema.Method) string {
	in := "in *" + t.sent(m.Input) + ", "
	out := "*" + t.received(m.Output)
	if m.ClientStreaming {
		in = ""
	}
	if shape(m) != "" {
		out = t.clientStream(m)
	}
	return t.names.methods[m] + "(ctx " + t.use("context") + ".Context, " + in + "opts ..." +
		t.grpc("CallOption") + ") (" + out + ", error)"
}

func (t *serviceType) client() {
	name := t.names.service + "Client"
	t.p()
	t.p("// ", name, " calls ", t.service.FullName,
		". Any number of goroutines may use one; its streams are for one sender and one")
	t.p("// receiver each.")
	t.serviceComment()
	t.p("type ", name, " interface {")
	for _, m := range t.service.Methods {
		t.methodComment(m)
		t.p(t.clientSignature(m))
	}
	t.p("}")
	t.p()
	t.p("type ", t.names.client, " struct{ cc ", t.grpc("ClientConnInterface"), " }")
	t.short([]string{"New" + name + " returns a client that calls over cc."},
		"New"+name+"(cc "+t.grpc("ClientConnInterface")+") "+name, "return &"+t.names.client+"{cc}")
	stream := 0
	for _, m := range t.service.Methods {
		t.p()
		t.p("func (c *", t.names.client, ") ", t.clientSignature(m), " {")
		method := t.names.fullMethod(m)
		switch shape(m) {
		case "":
			t.p("return ", t.helper("Invoke"), "[", t.received(m.Output), "](ctx, c.cc, ", method,
				", in, opts)")
		case "ServerStreaming":
			t.p("return ", t.helper("OpenServerStream"), "[", t.clientTypes(m), "](ctx, c.cc, ",
				t.streamDesc(stream), ", ", method, ", in, opts)")
		default:
			t.p("return ", t.helper("OpenStream"), "[", t.clientTypes(m), "](ctx, c.cc, ",
				t.streamDesc(stream), ", ", method, ", opts)")
		}
		t.p("}")
		if shape(m) != "" {
			stream++
			t.alias(m, "Client", t.clientStream(m))
		}
	}
}

// alias prints the name that protoc-gen-go-grpc has for the type of a stream.
func (t *serviceType) alias(m *schema.Method, side, typ string) {
	name := t.names.service + "_" + t.names.methods[m] + side
	t.p()
	t.p("// ", name, " is the stream of ", t.names.methods[m],
		" under the name that it has with protoc-gen-go-grpc, too.")
	t.p("type ", name, " = ", typ)
}

func (t *serviceType) streamDesc(i int) string {
	return "&" + t.names.service + "_ServiceDesc.Streams[" + strconv.Itoa(i) + "]"
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

// serverSignature is a method of the server without "func".
func (t *serviceType) serverSignature(m *schema.Method) string {
	name := t.names.methods[m]
	switch shape(m) {
	case "":
		return name + "(" + t.use("context") + ".Context, *" + t.received(m.Input) + ") (*" +
			t.sent(m.Output) + ", error)"
	case "ServerStreaming":
		return name + "(*" + t.received(m.Input) + ", " + t.serverStream(m) + ") error"
	}
	return name + "(" + t.serverStream(m) + ") error"
}

func (t *serviceType) server() {
	name := t.names.service + "Server"
	t.p()
	t.p("// ", name, " is what a server of ", t.service.FullName, " implements, with Unimplemented",
		name, " embedded by value, so")
	t.p("// that methods which the service gets later do not break it.")
	t.serviceComment()
	t.p("type ", name, " interface {")
	for _, m := range t.service.Methods {
		t.methodComment(m)
		t.p(t.serverSignature(m))
	}
	t.p("mustEmbedUnimplemented", name, "()")
	t.p("}")
	t.p()
	t.p("// Register", name, " adds srv to the services of a server, before it serves.")
	t.p("func Register", name, "(s ", t.grpc("ServiceRegistrar"), ", srv ", name, ") {")
	t.p("if t, ok := srv.(interface{ testEmbeddedByValue() }); ok {")
	t.p("t.testEmbeddedByValue()\t// panics where a nil pointer is embedded")
	t.p("}")
	t.p(t.helper("RegisterService"), "(s, &", t.names.service, "_ServiceDesc, srv)")
	t.p("}")
}

func (t *serviceType) unimplemented() {
	name := t.names.service + "Server"
	t.p()
	t.p("// Unimplemented", name,
		" answers every method with codes.Unimplemented. Embed it by value.")
	t.p("type Unimplemented", name, " struct{}")
	for _, m := range t.service.Methods {
		t.p()
		t.p("// ", t.names.methods[m], " is not implemented.")
		t.p("func (Unimplemented", name, ") ", t.serverSignature(m), " {")
		result := t.helper("Unimplemented") + "(" + t.names.fullMethod(m) + ")"
		if shape(m) == "" {
			result = "nil, " + result
		}
		t.p("return ", result)
		t.p("}")
	}
	t.short(nil, "(Unimplemented"+name+") mustEmbedUnimplemented"+name+"()", "")
	t.short(nil, "(Unimplemented"+name+") testEmbeddedByValue()", "")
	t.p()
	t.p("// Unsafe", name,
		" may be embedded instead, by those who want the compiler to complain about methods to come.")
	t.p("type Unsafe", name, " interface{ mustEmbedUnimplemented", name, "() }")
}

// handlers prints the functions that grpc calls, and the other names of streams.
func (t *serviceType) handlers() {
	server := t.names.service + "Server"
	for _, m := range t.service.Methods {
		name := t.names.methods[m]
		handler, call := "_"+t.names.service+"_"+name+"_Handler", "srv.("+server+")."+name
		t.p()
		switch shape(m) {
		case "":
			t.p("func ", handler, "(srv any, ctx ", t.use("context"),
				".Context, dec func(any) error, interceptor ",
				t.grpc("UnaryServerInterceptor"), ") (any, error) {")
			t.p("return ", t.helper("Unary"), "(srv, ", server, ".", name, ", ",
				t.names.fullMethod(m), ", ctx, dec, interceptor)")
		case "ServerStreaming":
			t.p("func ", handler, "(srv any, stream ", t.grpc("ServerStream"), ") error {")
			t.p("in, out, err := ", t.helper("ServeServerStream"), "[", t.serverTypes(m),
				"](stream)")
			t.p("if err != nil {")
			t.p("return err")
			t.p("}")
			t.p("return ", call, "(in, out)")
		default:
			t.p("func ", handler, "(srv any, stream ", t.grpc("ServerStream"), ") error {")
			t.p("return ", call, "(", t.helper("ServeStream"), "[", t.serverTypes(m), "](stream))")
		}
		t.p("}")
		if shape(m) != "" {
			t.alias(m, "Server", t.serverStream(m))
		}
	}
}

// descriptor prints what grpc knows about the service.
func (t *serviceType) descriptor() {
	name := t.names.service
	t.p()
	t.p("// ", name, "_ServiceDesc describes the service to grpc. It is for Register", name,
		"Server and not to be changed.")
	t.p("var ", name, "_ServiceDesc = ", t.grpc("ServiceDesc"), "{")
	t.p("ServiceName:\t", strconv.Quote(t.service.FullName), ",")
	t.p("HandlerType:\t(*", name, "Server)(nil),")
	if set := t.printer.names.descriptors[t.source]; set != "" {
		t.p("Metadata:\t&", set, ",")
	} else {
		t.p("Metadata:\t", strconv.Quote(t.service.File.Path), ",")
	}
	t.methodDescs("Methods", "MethodDesc", "MethodName", func(m *schema.Method) bool {
		return shape(m) == ""
	})
	t.methodDescs("Streams", "StreamDesc", "StreamName", func(m *schema.Method) bool {
		return shape(m) != ""
	})
	t.p("}")
}

func (t *serviceType) methodDescs(field, typ, key string, wanted func(*schema.Method) bool) {
	open := false
	for _, m := range t.service.Methods {
		if !wanted(m) {
			continue
		}
		if !open {
			t.p(field, ": []", t.grpc(typ), "{")
			open = true
		}
		line := "{" + key + ": " + strconv.Quote(m.Name) + ", Handler: _" + t.names.service + "_" +
			t.names.methods[m] + "_Handler"
		if m.ServerStreaming {
			line += ", ServerStreams: true"
		}
		if m.ClientStreaming {
			line += ", ClientStreams: true"
		}
		t.p(line, "},")
	}
	if open {
		t.p("},")
	}
}
