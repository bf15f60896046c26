package golang

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/golang/stubs"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

const (
	connectV2Path      = "connectrpc.com/connect/v2"
	gremlinconnectPath = runtimePath + "/gremlinconnect"
	connectRTPath      = gremlinconnectPath + "/rt"
	// connectContractPath is to gremlinconnect what contractPath is to the runtime.
	connectContractPath = gremlinconnectPath + "/contract1"

	connectSuffix = "connect" // of a package's name
)

// connectPath returns where the Connect code of a .proto file goes, below the output root, given
// its Place and Go package: as with protoc-gen-connect-go into a package of its own, whose names
// may be those of gRPC code.
func connectPath(place, packageName string) string {
	dir, base := path.Split(OutputPath(place))
	return path.Join(dir, packageName+connectSuffix,
		strings.TrimSuffix(base, suffix)+".connect"+suffix)
}

// connectPackage returns the package for the Connect code of files of pkg.
func connectPackage(pkg goPackage) goPackage {
	name := pkg.name + connectSuffix
	return goPackage{path.Join(pkg.path, name), name}
}

// procedure and spec are the names for a method, of protoc-gen-connect-go.
func (n *serviceNames) procedure(m *schema.Method) string {
	return n.service + n.methods[m] + "Procedure"
}
func (n *serviceNames) spec(m *schema.Method) string {
	return stubs.LowerFirst(n.service) + n.methods[m] + "Spec"
}

// connectNames claims the names that a service has in its Connect package.
func (r *resolver) connectNames(s *schema.Service, n *serviceNames) {
	scope := r.scopeOf(connectPackage(r.files[s.File]).path)
	for _, name := range []string{n.service + "Name", n.service + "Client", n.client,
		"New" + n.service + "Client",
		n.service + "Handler", "Register" + n.service + "Handler",
		"Unimplemented" + n.service + "Handler"} {
		r.claimIn(scope, declaration{s.File, s.Pos, fmt.Sprintf("service %q", s.FullName),
			s.FullName, n.service}, name)
	}
	for _, m := range s.Methods {
		full := s.FullName + "." + m.Name
		names := []string{n.procedure(m), n.spec(m)}
		if stubs.Kind(m) != "" {
			names = append(names, n.service+n.methods[m]+"ClientStream",
				n.service+n.methods[m]+"ServerStream")
		}
		for _, name := range names {
			r.claimIn(scope, declaration{s.File, m.Pos, fmt.Sprintf("method %q", full), full,
				n.methods[m]}, name)
		}
	}
}

// beginConnect readies a printer for Connect code.
func (p *printer) beginConnect() {
	p.pkg = connectPackage(p.pkg)
	p.contract(connectContractPath)
	p.reserve("ctx", "req", "client", "server", "svc", "stream")
	p.reserve("connect") // the last element of the path is v2
	p.imports[connectV2Path] = "connect"
}

// connectServices prints the Connect code of a file.
func (p *printer) connectServices(o Options) {
	for _, s := range p.source.Services {
		t := &connectService{serviceType{p, p.names.services[s]}, p.stubsOf(s, o.ConnectMessages)}
		t.print()
	}
}

// connectService prints the Connect code of one service.
type connectService struct {
	serviceType
	stubs.Service
}

// connect and helper return a name of package connect, and of gremlinconnect.
func (t *connectService) connect(name string) string { return t.use(connectV2Path) + "." + name }
func (t *connectService) helper(name string) string {
	return t.use(connectRTPath) + "." + name
}

// clientStream and serverStream are the names of a method's stream.
func (t *connectService) clientStream(m *schema.Method) string {
	return t.names.service + t.names.methods[m] + "ClientStream"
}

func (t *connectService) serverStream(m *schema.Method) string {
	return t.names.service + t.names.methods[m] + "ServerStream"
}

func (t *connectService) print() {
	t.constants()
	t.Paths("The procedures of "+t.FullName+
		": what Spec.Procedure has, and where HTTP requests go.", t.names.procedure)
	t.specs()
	t.client()
	t.handler()
	t.unimplemented()
}

func (t *connectService) constants() {
	t.p()
	t.p("// ", t.names.service, "Name is the full name of the service.")
	t.p("const ", t.names.service, "Name = ", strconv.Quote(t.FullName))
}

// specs prints what connect knows about the methods.
func (t *connectService) specs() {
	if len(t.Methods) == 0 {
		return
	}
	kinds := map[string]string{"": "Unary", "ServerStreaming": "Server",
		"ClientStreaming": "Client", "BidiStreaming": "Bidi"}
	t.p()
	t.p("var (")
	for _, m := range t.Methods {
		line := "{Procedure: " + t.names.procedure(m) + ", StreamType: " +
			t.connect("StreamType"+kinds[stubs.Kind(m)])
		switch m.Idempotency {
		case schema.NoSideEffects:
			line += ", IdempotencyLevel: " + t.connect("IdempotencyNoSideEffects")
		case schema.Idempotent:
			line += ", IdempotencyLevel: " + t.connect("IdempotencyIdempotent")
		}
		t.p(t.names.spec(m), "\t= ", t.connect("Spec"), line, "}")
	}
	t.p(")")
}

// clientSignature is a method of the client without "func".
func (t *connectService) clientSignature(m *schema.Method) string {
	return t.ClientSignature(m, "req", "", t.clientStream)
}

func (t *connectService) client() {
	name := t.Name + "Client"
	t.Interface(name, clientDoc(&t.Service), t.clientSignature)
	t.p()
	t.p("type ", t.names.client, " struct{ client *", t.connect("Client"), " }")
	t.p()
	t.p("// New", name,
		" returns a client that calls over client, whose transport has gremlinconnect.WithCodecs().")
	t.p("func New", name, "(client *", t.connect("Client"), ") ", name, " {")
	t.p("return &", t.names.client, "{client}")
	t.p("}")
	for _, m := range t.Methods {
		args := "](ctx, c.client, " + t.names.spec(m)
		if !m.ClientStreaming {
			args += ", req"
		}
		t.p()
		t.p("func (c *", t.names.client, ") ", t.clientSignature(m), " {")
		switch stubs.Kind(m) {
		case "":
			t.p("return ", t.helper("CallUnary"), "[", t.Received(m.Output), args, ")")
		case "ServerStreaming":
			t.p("return ", t.helper("CallServerStream"), "[", t.Received(m.Output), args, ")")
		case "ClientStreaming":
			t.p("return ", t.helper("CallClientStream"), "[", t.ClientTypes(m), args, ")")
		default:
			t.p("return ", t.helper("CallBidiStream"), "[", t.ClientTypes(m), args, ")")
		}
		t.p("}")
		switch stubs.Kind(m) {
		case "":
			continue
		case "ServerStreaming":
			t.stream(m, t.clientStream(m), "Client", t.Received(m.Output))
		default:
			t.stream(m, t.clientStream(m), "Client", t.ClientTypes(m))
		}
	}
}

// stream prints the name of a stream's type.
func (t *connectService) stream(m *schema.Method, name, side, types string) {
	t.p()
	t.p("// ", name, " is the stream of ", t.names.methods[m], " as the ", strings.ToLower(side),
		" has it.")
	t.p("type ", name, " = ", t.use(gremlinconnectPath), ".", stubs.Kind(m), side, "[", types, "]")
}

// handlerSignature is a method of the handler without "func", with names for its parameters or
// without.
func (t *connectService) handlerSignature(m *schema.Method) string {
	context := t.use("context") + ".Context"
	req, res := "*"+t.Received(m.Input), "*"+t.Sent(m.Output)
	in, out := context+", "+req, "("+res+", error)"
	switch stubs.Kind(m) {
	case "ServerStreaming":
		in, out = in+", "+t.serverStream(m), "error"
	case "ClientStreaming":
		in = context + ", " + t.serverStream(m)
	case "BidiStreaming":
		in, out = context+", "+t.serverStream(m), "error"
	}
	return t.names.methods[m] + "(" + in + ") " + out
}

func (t *connectService) handler() {
	name := t.names.service + "Handler"
	t.Interface(name, []string{name + " is what a server of " + t.FullName +
		" implements. Embed Unimplemented" + name + " so that methods",
		"which the service gets later do not break it."}, t.handlerSignature)
	for _, m := range t.Methods {
		switch stubs.Kind(m) {
		case "":
		case "ServerStreaming":
			t.stream(m, t.serverStream(m), "Server", t.Sent(m.Output))
		case "ClientStreaming":
			t.stream(m, t.serverStream(m), "Server", t.Received(m.Input))
		default:
			t.stream(m, t.serverStream(m), "Server", t.ServerTypes(m))
		}
	}
	t.p()
	t.p("// Register", name,
		" adds svc to the services of server, which is mounted with gremlinconnect.WithCodecs().")
	t.p("func Register", name, "(server *", t.connect("Server"), ", svc ", name, ") {")
	if len(t.Methods) == 0 {
		t.p("server.Register()")
		t.p("}")
		return
	}
	t.p("server.Register(")
	for _, m := range t.Methods {
		kind := strings.TrimSuffix(stubs.Kind(m), "ing")
		if kind == "" {
			kind = "Unary"
		}
		t.p(t.connect("Method"), "{Spec: ", t.names.spec(m), ", Handler: ", t.helper(kind), "(svc.",
			t.names.methods[m], ")},")
	}
	t.p(")")
	t.p("}")
}

func (t *connectService) unimplemented() {
	handler := t.names.service + "Handler"
	t.Unimplemented(stubs.Unimplemented{Of: handler, Commented: true,
		Doc: []string{"Unimplemented" + handler +
			" answers every method with connect.CodeUnimplemented."},
		Signature: t.handlerSignature,
		Err: func(m *schema.Method) string {
			return t.helper("Unimplemented") + "(" + t.names.procedure(m) + ")"
		},
		Alone: func(m *schema.Method) bool { return m.ServerStreaming }})
}
