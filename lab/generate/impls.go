package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/lab/schema"
)

// impl is one implementation. In its texts, T stands in braces for a message: {T}.
type impl struct {
	name   string
	folder string // of its loops
	module string
	pb     string // the copy of the messages that it uses
	legacy bool
	wide   bool   // has the messages of the sweeps
	unreal bool   // has no messages of real data
	walk   walker // how messages are read

	imports []string
	helpers string // text at the top of the package
	setup   string // statements before every loop

	target string // declares the target m of a decoder, for ops that read
	fresh  string // declares m anew where target reuses; "" is target
	reused string // expression of a target that is used again
	reset  string // statement before it is
	decode string // expression of type error: b into m
	free   string // statement behind it
	build  string // expression of type error: b into an m that is to be written; "" is decode

	encode  string // statements: out from m
	append  string // statements: buf from m
	writeM  string // type of the m that is written; "" if it does not write
	pass    string // statements: out from b; "" is decode and encode
	minimal string // statements of a small program: b to out; "" is none
}

func (i impl) root() string { return root(i.legacy) }
func (i impl) dir() string  { return filepath.Join(i.root(), "internal", "impl", i.folder) }

// ofStructs is what generators of structs with pointers have in common.
func ofStructs(name, folder, pb, module string) impl {
	return impl{name: name, folder: folder, pb: pb, module: module, walk: structs{getters: true}, target: "m := new(pb.{T})",
		reused: "new(pb.{T})", reset: "m.Reset()", writeM: "*pb.{T}"}
}

// implementations is all of them. The forms are as the documentation of each advises.
func implementations() []impl {
	google := ofStructs("protobuf-go", "google", "google", "google.golang.org/protobuf")
	google.wide = true
	google.imports = []string{"google.golang.org/protobuf/proto"}
	google.reset, google.decode = "", "proto.Unmarshal(b, m)"
	google.encode = "out, err := proto.Marshal(m); worker.Must(err)"
	google.append = "var err error; buf, err = proto.MarshalOptions{}.MarshalAppend(buf[:0], m); worker.Must(err)"
	google.minimal = "m := new(pb.Submit); worker.Must(proto.Unmarshal(b, m)); os.Stdout.WriteString(m.GetText()); " + google.encode

	lazy := google
	lazy.name, lazy.folder, lazy.pb, lazy.wide = "protobuf-go-lazy", "opaque", "opaque", false
	lazy.build = "proto.UnmarshalOptions{NoLazyDecoding: true}.Unmarshal(b, m)" // else writing copies the bytes it came from

	vt := ofStructs("vtprotobuf", "vt", "vt", "github.com/planetscale/vtprotobuf")
	vt.wide = true
	vt.decode = "m.UnmarshalVT(b)"
	vt.encode = "out, err := m.MarshalVT(); worker.Must(err)"
	vt.append = "buf = worker.Sized(buf, m.SizeVT()); _, err := m.MarshalToSizedBufferVT(buf); worker.Must(err)"
	vt.minimal = "m := new(pb.Submit); worker.Must(m.UnmarshalVT(b)); os.Stdout.WriteString(m.GetText()); " + vt.encode

	unsafe := vt
	unsafe.name, unsafe.folder, unsafe.decode, unsafe.minimal = "vtprotobuf-unsafe", "vtunsafe", "m.UnmarshalVTUnsafe(b)", ""
	unsafe.writeM = "" // as vtprotobuf

	pool := vt
	pool.name, pool.folder, pool.pb, pool.wide, pool.minimal, pool.writeM = "vtprotobuf-pool", "vtpool", "vtpool", false, "", ""
	pool.unreal = true
	pool.target, pool.fresh, pool.free, pool.reset = "m := pb.{T}FromVTPool()", "m := new(pb.{T})", "m.ReturnToVTPool()", "m.ResetVT()"

	message := ofStructs("gremlin-message", "gremlinmessage", "gremlin", "")
	message.wide, message.walk = true, structs{values: true}
	message.reset, message.decode = "", "m.Unmarshal(b)"
	message.encode, message.append = "out := m.Marshal()", "buf = m.MarshalAppend(buf[:0])"
	message.minimal = "m := new(pb.Submit); worker.Must(m.Unmarshal(b)); os.Stdout.WriteString(m.GetText()); " + message.encode

	// The modes of UnmarshalWith. They write what gremlin-message writes.
	var modes []impl
	for _, mode := range []struct{ name, how string }{{"borrow", "gremlin.Borrow"}, {"reuse", "gremlin.Reuse"},
		{"both", "gremlin.Borrow+gremlin.Reuse"}} {
		i := message
		i.name, i.folder, i.minimal, i.writeM = "gremlin-"+mode.name, "gremlin"+mode.name, "", ""
		i.imports = []string{"github.com/octopus-framework/octopus/gremlin"}
		i.decode = "m.UnmarshalWith(b, " + mode.how + ")"
		modes = append(modes, i)
	}

	numbered := `
func numbered[T any](list iter.Seq[T]) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for x := range list {
			if !yield(i, x) { return }
			i++
		}
	}
}
`
	reader := impl{name: "gremlin-reader", helpers: numbered, imports: []string{"iter"}, folder: "gremlinreader", wide: true, pb: "gremlin", walk: readers{}, decode: "m.Unmarshal(b)",
		target: "var r pb.{T}Reader; m := &r", pass: "worker.Must(m.Unmarshal(b)); out := append([]byte(nil), m.Raw()...)"}
	reader.minimal = "var m pb.SubmitReader; worker.Must(m.Unmarshal(b)); os.Stdout.WriteString(m.GetText()); out := m.Raw()"
	checked := reader
	checked.name, checked.folder, checked.minimal = "gremlin-reader-validate", "gremlinvalidate", ""
	checked.helpers += `
func decode[R interface { Unmarshal([]byte) error; CheckEncoding() error }](m R, b []byte) error {
	if err := m.Unmarshal(b); err != nil { return err }
	return m.CheckEncoding()
}`
	checked.decode = "decode(m, b)"
	checked.pass = "worker.Must(decode(m, b)); out := append([]byte(nil), m.Raw()...)"

	old := ofStructs("golang-protobuf-1.3.5", "golang", "golang", "github.com/golang/protobuf")
	old.legacy, old.imports = true, []string{"github.com/golang/protobuf/proto"}
	old.reset, old.decode = "", "proto.Unmarshal(b, m)"
	old.encode = google.encode
	old.setup = "w := proto.NewBuffer(nil); _ = w"
	old.append = "w.Reset(); worker.Must(w.Marshal(m)); buf = w.Bytes()"
	old.minimal = google.minimal

	all := []impl{google, lazy, vt, unsafe, pool, hyperpb(false), hyperpb(true), easyproto(), molecule(), reader, checked, message, old}
	all = append(all, modes...)
	for _, g := range []string{"gofast", "gogofaster", "gogoslick"} {
		i := ofStructs("gogo-"+strings.TrimPrefix(g, "gogo"), g, g, "github.com/gogo/protobuf")
		i.legacy, i.unreal, i.decode = true, g != "gogoslick", "m.Unmarshal(b)"
		i.encode = "out, err := m.Marshal(); worker.Must(err)"
		i.append = "buf = worker.Sized(buf, m.Size()); _, err := m.MarshalToSizedBuffer(buf); worker.Must(err)"
		i.minimal = "m := new(pb.Submit); worker.Must(m.Unmarshal(b)); os.Stdout.WriteString(m.GetText()); " + i.encode
		all = append(all, i)
	}
	return all
}

// header is the beginning of a file of package pkg.
func (i impl) header(pkg, doc string, text string, imports ...string) string {
	known := map[string]string{"math.": "math", "os.": "os"}
	for use, path := range known {
		if strings.Contains(text, use) {
			imports = append(imports, path)
		}
	}
	if strings.Contains(text, "worker.") {
		imports = append(imports, module+"/worker")
	}
	if strings.Contains(text, "pb.") && i.pb != "" {
		imports = append(imports, "pb "+importPath(i.legacy, "internal/pb/"+i.pb))
	}
	imports = slices.DeleteFunc(slices.Clone(imports), func(path string) bool {
		return !strings.Contains(text, path[strings.LastIndexAny(path, "/ ")+1:]+".") && !strings.HasPrefix(path, "pb ")
	})
	slices.Sort(imports)
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated by lab/generate. DO NOT EDIT.\n\n%s\npackage %s\n\nimport (\n", doc, pkg)
	for _, path := range imports {
		name, path, named := strings.Cut(path, " ")
		if !named {
			name, path = "", name
		}
		fmt.Fprintf(&b, "%s %q\n", name, path)
	}
	return b.String() + ")\n" + text
}

// smallProgram reads a Submit and writes it again: what the implementation adds to a binary.
func (i impl) smallProgram() string {
	text := "\nfunc main() {\nb, err := os.ReadFile(os.Args[1]); worker.Must(err)\n" +
		i.minimal + "\nos.Stdout.Write(out)\n}\n\nfunc must(err error) { if err != nil { panic(err) } }\n"
	text = strings.ReplaceAll(text, "worker.Must", "must")
	return i.header("main", "// Command "+i.folder+" reads a Submit and writes it again. Its size is measured.", text, i.imports...)
}

// worker is the program that serves the loops of i. It is linked with nothing of another implementation, because what that has
// in the heap and the collector has to visit, such as a registry of descriptors, would be paid for here.
func (i impl) worker() string {
	text := "\nfunc main() { worker.Main(" + i.folder + ".Impl) }\n"
	i.pb = "" // it is the loops that use the messages
	return i.header("main", "// Command "+i.folder+" is the worker of "+i.name+". See package worker for what it is told.", text, importPath(i.legacy, "internal/impl/"+i.folder))
}

// loops is the text of the package with all loops of i.
func (i impl) loops(types []protoreflect.MessageDescriptor) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n// Impl is %s.\nvar Impl = worker.Impl{Name: %q, Module: %q, Types: map[string]map[string]worker.Op{\n", i.name, i.name, i.module)
	left := map[string]bool{} // types that i does not have
	for _, t := range types {
		left[string(t.Name())] = isWide(string(t.Name())) && !i.wide || i.unreal && t.ParentFile().Path() == realData
	}
	for _, t := range schema.Types {
		if left[t] {
			continue
		}
		fmt.Fprintf(&b, "%q: {\n", t)
		_, two := schema.TwoFields[t]
		for _, op := range i.ops(two, slices.Contains(schema.Paths, t)) {
			loop := op.name
			if op.body == "" {
				loop = "unmarshal"
			}
			fmt.Fprintf(&b, "%q: %s%s,\n", op.name, loop, t)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}}\n" + i.helpers)
	for _, t := range types {
		if left[string(t.Name())] {
			continue
		}
		isRoot := slices.Contains(schema.Types, string(t.Name()))
		two, hasTwo := schema.TwoFields[string(t.Name())]
		b.WriteString(i.walk.text(t, isRoot && hasTwo, two))
		if !isRoot {
			continue
		}
		for _, op := range i.ops(hasTwo, slices.Contains(schema.Paths, string(t.Name()))) {
			if op.body == "" {
				continue
			}
			b.WriteString(strings.ReplaceAll(op.text(i.setup), "{T}", string(t.Name())))
		}
	}
	return i.header(i.folder, "// Package "+i.folder+" has the loops of "+i.name+".", b.String(), i.imports...)
}

// op is the text of one loop, in parts. Index without a body is unmarshal: there is nothing less.
type op struct {
	name, setup, body, probe string
}

func (o op) text(setup string) string {
	return fmt.Sprintf(`
func %s{T}(in worker.Input) worker.Loop {
	data := in.Data
	%s
	return func(n int, p *worker.Probe) (sum uint64) {
		%s
		for k := 0; n > 0; n-- {
			%s
			if p != nil {
				%s
			}
			%s
			if k++; k == len(data) { k = 0 }
		}
		%s
		return sum
	}
}
`, o.name, join(setup, part(o.setup, 0)), part(o.setup, 1), part(o.body, 0), o.probe, part(o.body, 1), part(o.setup, 2))
}

// part returns one of the parts between bars. A setup has one outside the function, one before the loop and one behind it; a
// body has one before the probe and one behind it.
func part(text string, i int) string {
	parts := strings.Split(text, "|")
	if i >= len(parts) {
		return ""
	}
	return parts[i]
}

func (i impl) ops(two, path bool) []op {
	if o, ok := i.walk.(scanner); ok {
		return o.ops(two, path)
	}
	const show = "p.Begin(); list{T}(m, p)"
	_, isReader := i.walk.(readers)
	use := "b := data[k]; worker.Must(" + i.decode + ")"
	var ops []op
	if isReader {
		ops = append(ops, op{"index", "|" + i.target, use, show})
	} else {
		fresh := i.fresh
		if fresh == "" {
			fresh = i.target
		}
		_, expr, _ := strings.Cut(fresh, ":= ")
		// The last one is kept, so that all have to put it on the heap.
		setup := "var keep " + i.typeOfM() + "; _ = keep"
		body := "m := " + expr + "; " + use + "; keep = m|"
		ops = append(ops, op{name: "index"}, op{"unmarshal", setup, body, show})
		if i.isHyperpb() {
			ops = append(ops, op{"reuse", "", i.target + "; " + use + "|" + i.free, show})
		} else {
			ops = append(ops, op{"reuse", "m := " + i.reused, join(i.reset, use), show})
		}
	}
	setup, each := "", i.target+"; "
	if isReader || i.folder == "easyproto" { // both are used again, as their documentation advises
		setup, each = "|"+i.target, ""
	}
	if two && i.folder != "easyproto" {
		ops = append(ops, op{"read2", setup, each + use + "; sum += two{T}(m)|" + i.free, show})
	}
	if two && i.folder == "easyproto" {
		ops = append(ops, op{"read2", "", "v, err := two{T}(data[k]); worker.Must(err); sum += v", "_ = v"})
	}
	if path && i.folder != "easyproto" {
		ops = append(ops, op{"readpath", setup, each + use + "; sum += path{T}(m)|" + i.free, show})
	}
	if path && i.folder == "easyproto" {
		ops = append(ops, op{"readpath", "", "v, err := path{T}(data[k]); worker.Must(err); sum += v", "_ = v"})
	}
	ops = append(ops, op{"readall", setup, each + use + "; sum += sum{T}(m)|" + i.free, show})
	if i.writeM != "" {
		build := i.build
		if build == "" {
			build = i.decode
		}
		messages := "ms := make([]" + i.writeM + ", len(data)); for k, b := range data { m := " + i.reused + "; worker.Must(" + build + "); ms[k] = m }"
		ops = append(ops,
			// In the loop the buffer is a variable of its own: one of the closure is on the heap, beside that of another goroutine.
			op{"append", messages + "; var kept []byte|buf := kept|kept = buf", "m := ms[k]; " + i.append + "; sum += uint64(len(buf))", "p.Bytes(buf)"},
			op{"marshal", messages, "m := ms[k]; " + i.encode + "; sum += uint64(len(out))", "p.Bytes(out)"},
			op{"passthrough", "", "m := " + i.reused + "; " + use + "; " + i.encode + "; sum += uint64(len(out))", "p.Bytes(out)"})
	}
	if i.pass != "" {
		ops = append(ops, op{"passthrough", "|" + i.target, "b := data[k]; " + i.pass + "; sum += uint64(len(out))", "p.Bytes(out)"})
	}
	return ops
}

// isHyperpb tells that a new target and one that is used again are made in different ways.
func (i impl) isHyperpb() bool { return strings.HasPrefix(i.folder, "hyperpb") }

func (i impl) typeOfM() string {
	if i.isHyperpb() {
		return "*hyperpb.Message"
	}
	if i.folder == "easyproto" {
		return "*{T}"
	}
	return "*pb.{T}"
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
