package shape

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

const grpcPath = "google.golang.org/grpc"

// service is a service while its stubs are printed.
type service struct {
	*printer
	s    *schema.Service
	name string
	grpc string // the name of package grpc
	// The types of connections and of what services are registered with: interfaces of its own in
	// Cosmos' fork.
	conn, registrar string
}

// services prints the gRPC stubs of a file, as plugins=grpc of gogo's generator does.
func (p *printer) services() {
	for _, s := range p.file.schema.Services {
		x := &service{printer: p, s: s, name: golang.CamelCase(s.Name), grpc: p.use(grpcPath)}
		x.conn, x.registrar = "*"+x.grpc+".ClientConn", "*"+x.grpc+".Server"
		if p.file.opts.Registry == RegistryCosmos {
			cosmos := p.use("github.com/cosmos/gogoproto/grpc")
			x.conn, x.registrar = cosmos+".ClientConn", cosmos+".Server"
		}
		x.client()
		x.server()
		x.description()
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func (x *service) typ(m *schema.Message) string {
	return "*" + x.qualify(x.names.messages[m].goName)
}

func streams(m *schema.Method) bool { return m.ClientStreaming || m.ServerStreaming }

func (x *service) path(m *schema.Method) string {
	return strconv.Quote("/" + x.s.FullName + "/" + m.Name)
}

func (x *service) deprecated() {
	if x.s.Deprecated {
		x.p(deprecated)
	}
}

// clientSignature returns a method of the client.
func (x *service) clientSignature(m *schema.Method) string {
	name := golang.CamelCase(m.Name)
	in, out := ", in "+x.typ(m.Input), x.typ(m.Output)
	if m.ClientStreaming {
		in = ""
	}
	if streams(m) {
		out = x.name + "_" + name + "Client"
	}
	return name + "(ctx " + x.use("context") + ".Context" + in + ", opts ..." + x.grpc +
		".CallOption) (" + out + ", error)"
}

func (x *service) client() {
	x.p()
	x.p("// ", x.name, "Client is the client API for ", x.name, " service.")
	if x.s.Deprecated {
		x.p("//")
		x.deprecated()
	}
	x.p("type ", x.name, "Client interface {")
	for _, m := range x.s.Methods {
		x.comment(m.Comment.Leading)
		x.p(x.clientSignature(m))
	}
	x.p("}")
	impl := lowerFirst(x.name) + "Client"
	x.p()
	x.p("type ", impl, " struct {")
	x.p("cc ", x.conn)
	x.p("}")
	x.p()
	x.p("// New", x.name, "Client returns a client on a connection.")
	x.deprecated()
	x.p("func New", x.name, "Client(cc ", x.conn, ") ", x.name, "Client {")
	x.p("return &", impl, "{cc}")
	x.p("}")
	stream := 0
	for _, m := range x.s.Methods {
		x.p()
		if m.Deprecated {
			x.p(deprecated)
		}
		x.p("func (c *", impl, ") ", x.clientSignature(m), " {")
		if !streams(m) {
			x.p("out := new(", x.typ(m.Output)[1:], ")")
			x.p("if err := c.cc.Invoke(ctx, ", x.path(m), ", in, out, opts...); err != nil {")
			x.p("return nil, err")
			x.p("}")
			x.p("return out, nil")
			x.p("}")
			continue
		}
		x.p("stream, err := c.cc.NewStream(ctx, &_", x.name, "_serviceDesc.Streams[", stream, "], ",
			x.path(m), ", opts...)")
		x.returnError("nil, err")
		stream++
		x.clientStream(m, lowerFirst(x.name)+golang.CamelCase(m.Name)+"Client")
	}
}

// clientStream prints the rest of a method that streams, and the stream that it returns.
func (x *service) clientStream(m *schema.Method, impl string) {
	in, out := x.typ(m.Input), x.typ(m.Output)
	x.p("x := &", impl, "{stream}")
	if !m.ClientStreaming {
		x.p("if err := x.ClientStream.SendMsg(in); err != nil {")
		x.p("return nil, err")
		x.p("}")
		x.p("if err := x.ClientStream.CloseSend(); err != nil {")
		x.p("return nil, err")
		x.p("}")
	}
	x.p("return x, nil")
	x.p("}")
	x.p()
	name := x.name + "_" + golang.CamelCase(m.Name) + "Client"
	x.p("// ", name, " is the stream of the client.")
	x.p("type ", name, " interface {")
	if m.ClientStreaming {
		x.p("Send(", in, ") error")
	}
	if m.ServerStreaming {
		x.p("Recv() (", out, ", error)")
	} else {
		x.p("CloseAndRecv() (", out, ", error)")
	}
	x.p(x.grpc, ".ClientStream")
	x.p("}")
	x.p()
	x.p("type ", impl, " struct {")
	x.p(x.grpc, ".ClientStream")
	x.p("}")
	if m.ClientStreaming {
		x.send(impl, "Client", in)
	}
	if m.ServerStreaming {
		x.receive(impl, "Client", "Recv", out, "")
	} else {
		x.receive(impl, "Client", "CloseAndRecv", out, "CloseSend")
	}
}

func (x *service) send(impl, side, typ string) {
	x.p()
	x.p("func (x *", impl, ") Send(m ", typ, ") error {")
	x.p("return x.", side, "Stream.SendMsg(m)")
	x.p("}")
}

func (x *service) receive(impl, side, method, typ, before string) {
	x.p()
	x.p("func (x *", impl, ") ", method, "() (", typ, ", error) {")
	if before != "" {
		x.p("if err := x.", side, "Stream.", before, "(); err != nil {")
		x.p("return nil, err")
		x.p("}")
	}
	x.p("m := new(", typ[1:], ")")
	x.p("if err := x.", side, "Stream.RecvMsg(m); err != nil {")
	x.p("return nil, err")
	x.p("}")
	x.p("return m, nil")
	x.p("}")
}

// serverSignature returns a method of the server, with names of parameters or without.
func (x *service) serverSignature(m *schema.Method, named bool) string {
	name := golang.CamelCase(m.Name)
	var args []string
	arg := func(name, typ string) {
		if named {
			typ = name + " " + typ
		}
		args = append(args, typ)
	}
	result := "error"
	if !streams(m) {
		arg("ctx", x.use("context")+".Context")
		result = "(" + x.typ(m.Output) + ", error)"
	}
	if !m.ClientStreaming {
		arg("req", x.typ(m.Input))
	}
	if streams(m) {
		arg("srv", x.name+"_"+name+"Server")
	}
	return name + "(" + strings.Join(args, ", ") + ") " + result
}

func (x *service) server() {
	server := x.name + "Server"
	x.p()
	x.p("// ", server, " is the server API for ", x.name, " service.")
	if x.s.Deprecated {
		x.p("//")
		x.deprecated()
	}
	x.p("type ", server, " interface {")
	for _, m := range x.s.Methods {
		x.comment(m.Comment.Leading)
		x.p(x.serverSignature(m, false))
	}
	x.p("}")
	x.p()
	x.p("// Unimplemented", server, " can be embedded to have forward compatible implementations.")
	x.deprecated()
	x.p("type Unimplemented", server, " struct{}")
	for _, m := range x.s.Methods {
		none := ""
		if !streams(m) {
			none = "nil, "
		}
		x.p()
		x.p("func (*Unimplemented", server, ") ", x.serverSignature(m, true), " {")
		x.p("return ", none, x.use(grpcPath+"/status"), ".Errorf(", x.use(grpcPath+"/codes"),
			".Unimplemented, \"method ", golang.CamelCase(m.Name), " not implemented\")")
		x.p("}")
	}
	x.p()
	x.p("// Register", server, " registers an implementation with a server.")
	x.deprecated()
	x.p("func Register", server, "(s ", x.registrar, ", srv ", server, ") {")
	x.p("s.RegisterService(&_", x.name, "_serviceDesc, srv)")
	x.p("}")
	for _, m := range x.s.Methods {
		x.handler(m, server)
	}
}

func (x *service) handlerName(m *schema.Method) string {
	return "_" + x.name + "_" + golang.CamelCase(m.Name) + "_Handler"
}

func (x *service) handler(m *schema.Method, server string) {
	name, in := golang.CamelCase(m.Name), x.typ(m.Input)
	x.p()
	if !streams(m) {
		ctx := x.use("context") + ".Context"
		x.p("func ", x.handlerName(m), "(srv interface{}, ctx ",
			ctx, ", dec func(interface{}) error, interceptor ", x.grpc,
			".UnaryServerInterceptor) (interface{}, error) {")
		x.p("in := new(", in[1:], ")")
		x.p("if err := dec(in); err != nil {")
		x.p("return nil, err")
		x.p("}")
		x.p("if interceptor == nil {")
		x.p("return srv.(", server, ").", name, "(ctx, in)")
		x.p("}")
		x.p("info := &", x.grpc, ".UnaryServerInfo{")
		x.p("Server: srv,")
		x.p("FullMethod: ", strconv.Quote("/"+x.s.FullName+"/"+name), ",")
		x.p("}")
		x.p("handler := func(ctx ", ctx, ", req interface{}) (interface{}, error) {")
		x.p("return srv.(", server, ").", name, "(ctx, req.(", in, "))")
		x.p("}")
		x.p("return interceptor(ctx, in, info, handler)")
		x.p("}")
		return
	}
	impl := lowerFirst(x.name) + name + "Server"
	x.p("func ", x.handlerName(m), "(srv interface{}, stream ", x.grpc, ".ServerStream) error {")
	if m.ClientStreaming {
		x.p("return srv.(", server, ").", name, "(&", impl, "{stream})")
	} else {
		x.p("m := new(", in[1:], ")")
		x.p("if err := stream.RecvMsg(m); err != nil {")
		x.p("return err")
		x.p("}")
		x.p("return srv.(", server, ").", name, "(m, &", impl, "{stream})")
	}
	x.p("}")
	x.p()
	x.p("// ", x.name, "_", name, "Server is the stream of the server.")
	x.p("type ", x.name, "_", name, "Server interface {")
	out := x.typ(m.Output)
	if m.ServerStreaming {
		x.p("Send(", out, ") error")
	} else {
		x.p("SendAndClose(", out, ") error")
	}
	if m.ClientStreaming {
		x.p("Recv() (", in, ", error)")
	}
	x.p(x.grpc, ".ServerStream")
	x.p("}")
	x.p()
	x.p("type ", impl, " struct {")
	x.p(x.grpc, ".ServerStream")
	x.p("}")
	if m.ServerStreaming {
		x.send(impl, "Server", out)
	} else {
		x.p()
		x.p("func (x *", impl, ") SendAndClose(m ", out, ") error {")
		x.p("return x.ServerStream.SendMsg(m)")
		x.p("}")
	}
	if m.ClientStreaming {
		x.receive(impl, "Server", "Recv", in, "")
	}
}

// description prints what the server is told of the service.
func (x *service) description() {
	if x.file.opts.Registry == RegistryCosmos {
		x.p()
		x.p("// ", x.name, "_serviceDesc describes the service to a server.")
		x.p("var ", x.name, "_serviceDesc = _", x.name, "_serviceDesc")
	}
	x.p()
	x.p("var _", x.name, "_serviceDesc = ", x.grpc, ".ServiceDesc{")
	x.p("ServiceName: ", strconv.Quote(x.s.FullName), ",")
	x.p("HandlerType: (*", x.name, "Server)(nil),")
	x.p("Methods: []", x.grpc, ".MethodDesc{")
	for _, m := range x.s.Methods {
		if !streams(m) {
			x.p("{")
			x.p("MethodName: ", strconv.Quote(m.Name), ",")
			x.p("Handler: ", x.handlerName(m), ",")
			x.p("},")
		}
	}
	x.p("},")
	x.p("Streams: []", x.grpc, ".StreamDesc{")
	for _, m := range x.s.Methods {
		if streams(m) {
			x.p("{")
			x.p("StreamName: ", strconv.Quote(m.Name), ",")
			x.p("Handler: ", x.handlerName(m), ",")
			if m.ServerStreaming {
				x.p("ServerStreams: true,")
			}
			if m.ClientStreaming {
				x.p("ClientStreams: true,")
			}
			x.p("},")
		}
	}
	x.p("},")
	x.p("Metadata: ", strconv.Quote(x.file.schema.Path), ",")
	x.p("}")
}
