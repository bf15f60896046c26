package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/octopus-framework/octopus/internal/compiler/golang/stubs"
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
		p.newGRPCService(s, o.GRPCMessages).print()
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
type grpcService struct {
	serviceType
	stubs.GRPC
}

// newGRPCService returns a service to print the code of.
func (p *printer) newGRPCService(s *schema.Service, messages bool) *grpcService {
	t := &grpcService{serviceType: serviceType{p, p.names.services[s]}}
	t.GRPC = stubs.GRPC{Service: p.stubsOf(s, messages), Package: p.use(grpcPath), Any: "any",
		Conn: t.grpc("ClientConnInterface"), Registrar: t.grpc("ServiceRegistrar"),
		Description: t.names.service + "_ServiceDesc", Metadata: strconv.Quote(s.File.Path),
		ClientStream: t.clientStream, ServerStream: t.serverStream, Func: p.short,
		Stream: t.alias}
	if set := p.names.descriptors[p.source]; set != "" {
		t.Metadata = "&" + set
	}
	return t
}

func (t *grpcService) print() {
	service := t.FullName
	server := t.names.service + "Server"
	t.Paths("The methods of "+service+" as they are called on the wire.", t.names.fullMethod)
	t.PrintClient(clientDoc(&t.Service),
		[]string{"New" + t.names.service + "Client returns a client that calls over cc."},
		func(*schema.Method) {}, t.clientMethod)
	t.Interface(server, []string{
		server + " is what a server of " + service + " implements, with Unimplemented" + server +
			" embedded by value, so",
		"that methods which the service gets later do not break it."},
		t.serverMethod, "mustEmbedUnimplemented"+server+"()")
	t.PrintRegister([]string{"Register" + server +
		" adds srv to the services of a server, before it serves."},
		"if t, ok := srv.(interface{ testEmbeddedByValue() }); ok {",
		"t.testEmbeddedByValue()\t// panics where a nil pointer is embedded",
		"}",
		t.helper("RegisterService")+"(s, &"+t.Description+", srv)")
	t.unimplemented(server)
	t.PrintHandlers(t.handler)
	t.PrintDescription(t.Description + " describes the service to grpc. It is for Register" +
		server + " and not to be changed.")
}

// grpc and helper return a name of package grpc, and of gremlingrpc.
func (t *grpcService) grpc(name string) string   { return t.use(grpcPath) + "." + name }
func (t *grpcService) helper(name string) string { return t.use(grpcRTPath) + "." + name }

// clientStream and serverStream are the types of a method's stream.
func (t *grpcService) clientStream(m *schema.Method) string {
	if stubs.Kind(m) == "ServerStreaming" {
		return t.grpc("ServerStreamingClient") + "[" + t.Received(m.Output) + "]"
	}
	return t.grpc(stubs.Kind(m)+"Client") + "[" + t.ClientTypes(m) + "]"
}

func (t *grpcService) serverStream(m *schema.Method) string {
	if stubs.Kind(m) == "ServerStreaming" {
		return t.grpc("ServerStreamingServer") + "[" + t.Sent(m.Output) + "]"
	}
	return t.grpc(stubs.Kind(m)+"Server") + "[" + t.ServerTypes(m) + "]"
}

// clientMethod prints what a method of the client does.
func (t *grpcService) clientMethod(m *schema.Method, desc string) {
	method := t.names.fullMethod(m)
	switch stubs.Kind(m) {
	case "":
		t.p("return ", t.helper("Invoke"), "[", t.Received(m.Output), "](ctx, c.cc, ", method,
			", in, opts)")
	case "ServerStreaming":
		t.p("return ", t.helper("OpenServerStream"), "[", t.ClientTypes(m), "](ctx, c.cc, ", desc,
			", ", method, ", in, opts)")
	default:
		t.p("return ", t.helper("OpenStream"), "[", t.ClientTypes(m), "](ctx, c.cc, ", desc, ", ",
			method, ", opts)")
	}
}

// alias prints the name that protoc-gen-go-grpc has for the type of a stream.
func (t *grpcService) alias(m *schema.Method, side string) {
	typ := t.clientStream
	if side == "Server" {
		typ = t.serverStream
	}
	name := t.names.service + "_" + t.names.methods[m] + side
	t.p()
	t.p("// ", name, " is the stream of ", t.names.methods[m],
		" under the name that it has with protoc-gen-go-grpc, too.")
	t.p("type ", name, " = ", typ(m))
}

// serverMethod is a method of the server without "func".
func (t *grpcService) serverMethod(m *schema.Method) string { return t.ServerMethod(m, false) }

func (t *grpcService) unimplemented(server string) {
	t.Unimplemented(stubs.Unimplemented{Of: server, Commented: true,
		Doc: []string{"Unimplemented" + server +
			" answers every method with codes.Unimplemented. Embed it by value."},
		Signature: t.serverMethod,
		Err: func(m *schema.Method) string {
			return t.helper("Unimplemented") + "(" + t.names.fullMethod(m) + ")"
		},
		Alone: func(m *schema.Method) bool { return stubs.Kind(m) != "" }})
	t.short(nil, "(Unimplemented"+server+") mustEmbedUnimplemented"+server+"()", "")
	t.short(nil, "(Unimplemented"+server+") testEmbeddedByValue()", "")
	t.p()
	t.p("// Unsafe", server,
		" may be embedded instead, by those who want the compiler to complain about methods to come.")
	t.p("type Unsafe", server, " interface{ mustEmbedUnimplemented", server, "() }")
}

// handler prints what the function does that grpc calls; call is the method of the server.
func (t *grpcService) handler(m *schema.Method, call string) {
	switch stubs.Kind(m) {
	case "":
		t.p("return ", t.helper("Unary"), "(srv, ", t.names.service, "Server.", t.names.methods[m],
			", ", t.names.fullMethod(m), ", ctx, dec, interceptor)")
	case "ServerStreaming":
		t.p("in, out, err := ", t.helper("ServeServerStream"), "[", t.ServerTypes(m), "](stream)")
		t.p("if err != nil {")
		t.p("return err")
		t.p("}")
		t.p("return ", call, "(in, out)")
	default:
		t.p("return ", call, "(", t.helper("ServeStream"), "[", t.ServerTypes(m), "](stream))")
	}
}
