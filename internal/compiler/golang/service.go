package golang

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/golang/stubs"
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
		n.client = stubs.LowerFirst(n.service) + "Client"
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

// serviceType is what prints the stubs of a service, for gRPC or Connect.
type serviceType struct {
	*printer
	names *serviceNames
}

// stubsOf returns a service to print stubs of; messages says that what comes in is a Message and
// not a Reader.
func (p *printer) stubsOf(s *schema.Service, messages bool) stubs.Service {
	n := p.names.services[s]
	t := stubs.Service{Service: s, Name: n.service, Client: n.client, Print: p.p, Use: p.use,
		Method: func(m *schema.Method) string { return n.methods[m] },
		Sent: func(m *schema.Message) string {
			return p.qualify(p.names.messages[m].message)
		},
		MethodComment: func(m *schema.Method) {
			p.comment(m.Comment, "", deprecation(m.Deprecated, s.FullName+"."+m.Name))
		},
		Comment: func() {
			if c := s.Comment; c.Leading != "" || c.Trailing != "" || s.Deprecated {
				p.p("//")
				p.comment(c, "", deprecation(s.Deprecated, s.FullName))
			}
		}}
	if t.Received = t.Sent; !messages {
		t.Received = func(m *schema.Message) string {
			return p.qualify(p.names.messages[m].reader)
		}
	}
	return t
}

// clientDoc is the comment of the interface of a client.
func clientDoc(s *stubs.Service) []string {
	return []string{s.Name + "Client calls " + s.FullName +
		". Any number of goroutines may use one; its streams are for one sender and one",
		"receiver each."}
}
