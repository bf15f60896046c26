package shape

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/golang/stubs"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

const grpcPath = "google.golang.org/grpc"

// service is a service while its stubs are printed.
type service struct {
	*printer
	stubs.GRPC
}

// services prints the gRPC stubs of a file, as plugins=grpc of gogo's generator does.
func (p *printer) services() {
	for _, s := range p.file.schema.Services {
		p.service(s).print()
	}
}

// service returns a service to print the stubs of.
func (p *printer) service(s *schema.Service) *service {
	x := &service{printer: p}
	name, grpc := golang.CamelCase(s.Name), p.use(grpcPath)
	typ := func(m *schema.Message) string { return p.qualify(p.names.messages[m].goName) }
	x.GRPC = stubs.GRPC{
		Service: stubs.Service{Service: s, Name: name, Client: stubs.LowerFirst(name) + "Client",
			Method: func(m *schema.Method) string { return golang.CamelCase(m.Name) },
			Print:  p.p, Use: p.use, Sent: typ, Received: typ,
			MethodComment: func(m *schema.Method) { p.comment(m.Comment.Leading) },
			Comment: func() {
				if s.Deprecated {
					p.p("//")
					p.p(deprecated)
				}
			}},
		Package: grpc, Any: "interface{}", Conn: "*" + grpc + ".ClientConn",
		Registrar: "*" + grpc + ".Server", Description: "_" + name + "_serviceDesc",
		Metadata: strconv.Quote(p.file.schema.Path), Long: true, Func: x.function,
		Stream: x.stream,
	}
	x.ClientStream = func(m *schema.Method) string { return x.streamName(m, "Client") }
	x.ServerStream = func(m *schema.Method) string { return x.streamName(m, "Server") }
	if p.file.opts.Registry == RegistryCosmos { // it has interfaces of its own
		cosmos := p.use("github.com/cosmos/gogoproto/grpc")
		x.Conn, x.Registrar = cosmos+".ClientConn", cosmos+".Server"
	}
	return x
}

func (x *service) print() {
	server := x.Name + "Server"
	x.PrintClient([]string{x.Name + "Client is the client API for " + x.Name + " service."},
		x.doc("New"+x.Name+"Client returns a client on a connection."),
		func(m *schema.Method) {
			if m.Deprecated {
				x.p(deprecated)
			}
		}, x.clientMethod)
	x.Interface(server, []string{server + " is the server API for " + x.Name + " service."},
		func(m *schema.Method) string { return x.ServerMethod(m, false) })
	x.Unimplemented(stubs.Unimplemented{Of: server, Star: "*",
		Doc: x.doc("Unimplemented" + server +
			" can be embedded to have forward compatible implementations."),
		Signature: func(m *schema.Method) string { return x.ServerMethod(m, true) },
		Err: func(m *schema.Method) string {
			return x.use(grpcPath+"/status") + ".Errorf(" + x.use(grpcPath+"/codes") +
				".Unimplemented, \"method " + x.Method(m) + " not implemented\")"
		},
		Alone: streams})
	x.PrintRegister(x.doc("Register"+server+" registers an implementation with a server."),
		"s.RegisterService(&"+x.Description+", srv)")
	x.PrintHandlers(x.handler)
	if x.file.opts.Registry == RegistryCosmos {
		name := x.Description[1:]
		x.p()
		x.p("// ", name, " describes the service to a server.")
		x.p("var ", name, " = ", x.Description)
	}
	x.PrintDescription()
}

// doc is a comment, with what it says of a deprecated service.
func (x *service) doc(line string) []string {
	if x.Deprecated {
		return []string{line, deprecated[len("// "):]}
	}
	return []string{line}
}

// function prints a function with a comment.
func (x *service) function(doc []string, signature, body string) {
	x.p()
	for _, line := range doc {
		x.p("// ", line)
	}
	x.p("func ", signature, " {")
	x.p(body)
	x.p("}")
}

func streams(m *schema.Method) bool { return stubs.Kind(m) != "" }

// streamName is the interface of a method's stream, streamType the type behind it.
func (x *service) streamName(m *schema.Method, side string) string {
	return x.Name + "_" + x.Method(m) + side
}

func (x *service) streamType(m *schema.Method, side string) string {
	return stubs.LowerFirst(x.Name) + x.Method(m) + side
}

// clientMethod prints what a method of the client does; desc describes its stream.
func (x *service) clientMethod(m *schema.Method, desc string) {
	if !streams(m) {
		x.p("out := new(", x.Received(m.Output), ")")
		x.p("if err := c.cc.Invoke(ctx, ", x.Path(m), ", in, out, opts...); err != nil {")
		x.p("return nil, err")
		x.p("}")
		x.p("return out, nil")
		return
	}
	x.p("stream, err := c.cc.NewStream(ctx, ", desc, ", ", x.Path(m), ", opts...)")
	x.returnError("nil, err")
	x.p("x := &", x.streamType(m, "Client"), "{stream}")
	if !m.ClientStreaming {
		x.p("if err := x.ClientStream.SendMsg(in); err != nil {")
		x.p("return nil, err")
		x.p("}")
		x.p("if err := x.ClientStream.CloseSend(); err != nil {")
		x.p("return nil, err")
		x.p("}")
	}
	x.p("return x, nil")
}

// handler prints what the function does that grpc calls; call is the method of the server.
func (x *service) handler(m *schema.Method, call string) {
	in := x.Received(m.Input)
	switch {
	case !streams(m):
		x.p("in := new(", in, ")")
		x.p("if err := dec(in); err != nil {")
		x.p("return nil, err")
		x.p("}")
		x.p("if interceptor == nil {")
		x.p("return ", call, "(ctx, in)")
		x.p("}")
		x.p("info := &", x.Package, ".UnaryServerInfo{")
		x.p("Server: srv,")
		x.p("FullMethod: ", strconv.Quote("/"+x.FullName+"/"+x.Method(m)), ",")
		x.p("}")
		x.p("handler := func(ctx ", x.use("context"),
			".Context, req interface{}) (interface{}, error) {")
		x.p("return ", call, "(ctx, req.(*", in, "))")
		x.p("}")
		x.p("return interceptor(ctx, in, info, handler)")
	case m.ClientStreaming:
		x.p("return ", call, "(&", x.streamType(m, "Server"), "{stream})")
	default:
		x.p("m := new(", in, ")")
		x.p("if err := stream.RecvMsg(m); err != nil {")
		x.p("return err")
		x.p("}")
		x.p("return ", call, "(m, &", x.streamType(m, "Server"), "{stream})")
	}
}

// stream prints the interface of a method's stream and the type behind it.
func (x *service) stream(m *schema.Method, side string) {
	// One that does not stream is closed with its only message.
	send, sent, sends := "Send", x.Sent(m.Input), m.ClientStreaming
	receive, received, receives := "Recv", x.Received(m.Output), true
	before := ""
	if !m.ServerStreaming {
		receive, before = "CloseAndRecv", "CloseSend"
	}
	if side == "Server" {
		sent, sends = x.Sent(m.Output), true
		receive, received, receives = "Recv", x.Received(m.Input), m.ClientStreaming
		before = ""
		if !m.ServerStreaming {
			send = "SendAndClose"
		}
	}
	name, impl := x.streamName(m, side), x.streamType(m, side)
	x.p()
	x.p("// ", name, " is the stream of the ", stubs.LowerFirst(side), ".")
	x.p("type ", name, " interface {")
	if sends {
		x.p(send, "(*", sent, ") error")
	}
	if receives {
		x.p(receive, "() (*", received, ", error)")
	}
	x.p(x.Package, ".", side, "Stream")
	x.p("}")
	x.p()
	x.p("type ", impl, " struct {")
	x.p(x.Package, ".", side, "Stream")
	x.p("}")
	if sends {
		x.p()
		x.p("func (x *", impl, ") ", send, "(m *", sent, ") error {")
		x.p("return x.", side, "Stream.SendMsg(m)")
		x.p("}")
	}
	if receives {
		x.receive(impl, side, receive, received, before)
	}
}

// receive prints a method that receives a message, after another one was called.
func (x *service) receive(impl, side, method, typ, before string) {
	x.p()
	x.p("func (x *", impl, ") ", method, "() (*", typ, ", error) {")
	if before != "" {
		x.p("if err := x.", side, "Stream.", before, "(); err != nil {")
		x.p("return nil, err")
		x.p("}")
	}
	x.p("m := new(", typ, ")")
	x.p("if err := x.", side, "Stream.RecvMsg(m); err != nil {")
	x.p("return nil, err")
	x.p("}")
	x.p("return m, nil")
	x.p("}")
}
