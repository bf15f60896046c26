package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

const (
	grpcPath        = "google.golang.org/grpc"
	gremlingrpcPath = runtimePath + "/gremlingrpc"
	grpcRTPath      = gremlingrpcPath + "/rt"
	// grpcContractPath is to gremlingrpc what contractPath is to the runtime.
	grpcContractPath = gremlingrpcPath + "/contract1"
)

// beginGRPC readies a printer for gRPC code.
func (p *printer) beginGRPC() {
	p.contract(grpcContractPath)
	p.reserve("ctx", "in", "opts", "cc", "srv", "dec", "stream", "interceptor", "t")
	p.use(grpcPath)
	p.use(grpcRTPath)
}

// grpcServices prints the gRPC code of a file.
func (p *printer) grpcServices(o Options) {
	for _, s := range p.source.Services {
		t := &grpcService{serviceType{printer: p, service: s, names: p.names.services[s],
			messages: o.GRPCMessages}}
		t.print()
	}
	p.descriptors(o.Descriptors[p.source.Path])
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
	p.p("var ", p.names.descriptors[p.source], " = ", p.use(grpcRTPath), ".Descriptors{")
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

// grpcService prints the gRPC code of one service.
type grpcService struct{ serviceType }

func (t *grpcService) print() {
	t.paths("The methods of "+t.service.FullName+" as they are called on the wire.",
		t.names.fullMethod)
	t.client()
	t.server()
	t.unimplemented()
	t.handlers()
	t.descriptor()
}

// grpc and helper return a name of package grpc, and of gremlingrpc.
func (t *grpcService) grpc(name string) string   { return t.use(grpcPath) + "." + name }
func (t *grpcService) helper(name string) string { return t.use(grpcRTPath) + "." + name }

// clientStream and serverStream are the types of a method's stream.
func (t *grpcService) clientStream(m *schema.Method) string {
	if shape(m) == "ServerStreaming" {
		return t.grpc("ServerStreamingClient") + "[" + t.received(m.Output) + "]"
	}
	return t.grpc(shape(m)+"Client") + "[" + t.clientTypes(m) + "]"
}

func (t *grpcService) serverStream(m *schema.Method) string {
	if shape(m) == "ServerStreaming" {
		return t.grpc("ServerStreamingServer") + "[" + t.sent(m.Output) + "]"
	}
	return t.grpc(shape(m)+"Server") + "[" + t.serverTypes(m) + "]"
}

// clientSignature is a method of the client without "func".
func (t *grpcService) clientSignature(m *schema.Method) string {
	return t.clientCall(m, "in", t.clientStream, func() string {
		return ", opts ..." + t.grpc("CallOption")
	})
}

func (t *grpcService) client() {
	name := t.clientInterface(t.clientSignature)
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
func (t *grpcService) alias(m *schema.Method, side, typ string) {
	name := t.names.service + "_" + t.names.methods[m] + side
	t.p()
	t.p("// ", name, " is the stream of ", t.names.methods[m],
		" under the name that it has with protoc-gen-go-grpc, too.")
	t.p("type ", name, " = ", typ)
}

func (t *grpcService) streamDesc(i int) string {
	return "&" + t.names.service + "_ServiceDesc.Streams[" + strconv.Itoa(i) + "]"
}

// serverSignature is a method of the server without "func".
func (t *grpcService) serverSignature(m *schema.Method) string {
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

func (t *grpcService) server() {
	name := t.names.service + "Server"
	t.p()
	t.p("// ", name, " is what a server of ", t.service.FullName, " implements, with Unimplemented",
		name, " embedded by value, so")
	t.p("// that methods which the service gets later do not break it.")
	t.methods(name, t.serverSignature)
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

func (t *grpcService) unimplemented() {
	name := t.names.service + "Server"
	t.serviceType.unimplemented(name,
		"answers every method with codes.Unimplemented. Embed it by value.", t.serverSignature,
		func(m *schema.Method) string {
			return t.helper("Unimplemented") + "(" + t.names.fullMethod(m) + ")"
		},
		func(m *schema.Method) bool { return shape(m) != "" })
	t.short(nil, "(Unimplemented"+name+") mustEmbedUnimplemented"+name+"()", "")
	t.short(nil, "(Unimplemented"+name+") testEmbeddedByValue()", "")
	t.p()
	t.p("// Unsafe", name,
		" may be embedded instead, by those who want the compiler to complain about methods to come.")
	t.p("type Unsafe", name, " interface{ mustEmbedUnimplemented", name, "() }")
}

// handlers prints the functions that grpc calls, and the other names of streams.
func (t *grpcService) handlers() {
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
func (t *grpcService) descriptor() {
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

func (t *grpcService) methodDescs(field, typ, key string, wanted func(*schema.Method) bool) {
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
