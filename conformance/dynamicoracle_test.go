package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/anatomy"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	jsonpb "github.com/octopus-framework/octopus/gremlin/json"
)

// runtimeSchema is a schema in both implementations.
type runtimeSchema struct {
	types *dynamic.Schema
	files interface {
		FindDescriptorByName(protoreflect.FullName) (protoreflect.Descriptor, error)
	}
	resolver *dynamicpb.Types
}

// compileDynamic compiles files below a root.
func compileDynamic(t *testing.T, root string, files ...string) *runtimeSchema {
	t.Helper()
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(root), Files: files})
	set, err := res.DescriptorSet()
	if err != nil || res.Descriptors == nil {
		t.Fatalf("%s: %v, %v", root, err, res.Diagnostics)
	}
	s := &runtimeSchema{}
	if s.types, err = dynamic.Load(set); err != nil {
		t.Fatal(err)
	}
	registry, err := protodesc.NewFiles(res.Descriptors)
	if err != nil {
		t.Fatal(err)
	}
	s.files, s.resolver = registry, dynamicpb.NewTypes(registry)
	return s
}

// message returns a type of the schema in both implementations.
func (s *runtimeSchema) message(t *testing.T, name string) (*dynamic.Type,
	protoreflect.MessageDescriptor) {
	t.Helper()
	found, err := s.files.FindDescriptorByName(protoreflect.FullName(name))
	if d := s.types.Message(name); err == nil && d != nil {
		return d, found.(protoreflect.MessageDescriptor)
	}
	t.Fatalf("there is no type %s: %v", name, err)
	return nil, nil
}

// unmarshalOracle reads b with dynamicpb. It may panic on entries of maps.
func (s *runtimeSchema) unmarshalOracle(md protoreflect.MessageDescriptor,
	b []byte) (m *dynamicpb.Message, panicked bool, err error) {
	defer func() { panicked = recover() != nil }()
	m = dynamicpb.NewMessage(md)
	err = proto.UnmarshalOptions{Resolver: s.resolver}.Unmarshal(b, m)
	return m, false, err
}

// check compares what gremlin and protobuf-go make of an input.
func (s *runtimeSchema) check(d *dynamic.Type, md protoreflect.MessageDescriptor,
	b []byte) error {
	m, panicked, werr := s.unmarshalOracle(md, b)
	if panicked {
		return nil
	}
	ours := dynamic.New(d)
	err := ours.Unmarshal(b)
	if (err == nil) != (werr == nil) {
		if errors.Is(err, gremlin.TooMuchMemory) {
			return nil // protobuf-go has no such limit
		}
		return fmt.Errorf("Unmarshal: %w, of protobuf-go %w", err, werr)
	}
	tree := anatomy.Of(b, d, anatomy.Options{MaxNodes: 10_000_000, MaxDepth: 1000})
	if (tree.Error == "") != (err == nil) || tree.Fault == nil && tree.Error != "" &&
		!tree.Cut && !errors.Is(err, gremlin.MissingRequired) ||
		tree.Fault != nil && tree.Error == "" {
		return fmt.Errorf("anatomy: fault %v, error %s, of Unmarshal %w", tree.Fault, tree.Error,
			err)
	}
	if err != nil {
		return nil
	}
	again, _, err := s.unmarshalOracle(md, ours.Marshal())
	if err != nil || !proto.Equal(again, m) {
		return fmt.Errorf("Marshal gives another message, %w:\n%v\nfor\n%v", err, again, m)
	}
	if err := s.checkJSON(ours, m); err != nil {
		return err
	}
	return s.checkText(ours, m)
}

// sameWithoutUnknown compares the messages that one text means to both.
func (s *runtimeSchema) sameWithoutUnknown(what string, x, m *dynamicpb.Message) error {
	drop := proto.UnmarshalOptions{DiscardUnknown: true, Resolver: s.resolver, AllowPartial: true}
	a, b := dynamicpb.NewMessage(m.Descriptor()), dynamicpb.NewMessage(m.Descriptor())
	for _, pair := range [][2]*dynamicpb.Message{{x, a}, {m, b}} {
		encoded, err := proto.Marshal(pair[0])
		if err != nil {
			return err
		}
		if err := drop.Unmarshal(encoded, pair[1]); err != nil {
			return err
		}
	}
	if !proto.Equal(a, b) {
		return fmt.Errorf("%s gives another message:\n%v\nfor\n%v", what, a, b)
	}
	return nil
}

// namesNull tells whether a field of google.protobuf.NullValue, in m or a message in it, has
// another number than its value has: JSON is null then, of which the number does not come back.
func namesNull(m protoreflect.Message) (found bool) {
	one := func(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch {
		case fd.Enum() != nil:
			found = found || fd.Enum().FullName() == "google.protobuf.NullValue" && v.Enum() != 0
		case fd.Message() != nil:
			found = found || namesNull(v.Message())
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, x protoreflect.Value) bool {
				one(fd.MapValue(), x)
				return true
			})
		case fd.IsList():
			for i := range v.List().Len() {
				one(fd, v.List().Get(i))
			}
		default:
			one(fd, v)
		}
		return !found
	})
	return found
}

func (s *runtimeSchema) checkJSON(ours *dynamic.Message, m *dynamicpb.Message) error {
	if namesNull(m) {
		return nil
	}
	text, err := ours.AppendJSON(nil, jsonpb.Options{})
	want, werr := protojson.MarshalOptions{Resolver: s.resolver}.Marshal(m)
	if (err == nil) != (werr == nil) {
		return fmt.Errorf("JSON: %w, of protojson %w", err, werr)
	}
	if err != nil {
		return nil
	}
	read := dynamicpb.NewMessage(m.Descriptor())
	if err := (protojson.UnmarshalOptions{Resolver: s.resolver}).Unmarshal(text, read); err != nil {
		return fmt.Errorf("protojson cannot read %s: %w", text[:min(len(text), 500)], err)
	}
	if err := s.sameWithoutUnknown("JSON", read, m); err != nil {
		return err
	}
	encoded, err := ours.Type().JSONToWire(nil, want, jsonpb.Options{})
	if err != nil {
		return fmt.Errorf("JSON of protojson: %w", err)
	}
	read = dynamicpb.NewMessage(m.Descriptor())
	if err := (proto.UnmarshalOptions{Resolver: s.resolver}).Unmarshal(encoded, read); err != nil {
		return err
	}
	return s.sameWithoutUnknown("JSONToWire", read, m)
}

func (s *runtimeSchema) checkText(ours *dynamic.Message, m *dynamicpb.Message) error {
	text, err := ours.AppendText(nil, gremlin.TextOptions{})
	if err != nil {
		return err
	}
	read := dynamicpb.NewMessage(m.Descriptor())
	if err := (prototext.UnmarshalOptions{Resolver: s.resolver}).Unmarshal(text, read); err != nil {
		return fmt.Errorf("prototext cannot read %s: %w", text[:min(len(text), 500)], err)
	}
	if err := s.sameWithoutUnknown("text", read, m); err != nil {
		return err
	}
	want, err := prototext.MarshalOptions{Resolver: s.resolver}.Marshal(m)
	if err != nil {
		return nil // text that is not UTF-8
	}
	encoded, err := ours.Type().TextToWire(nil, string(want), gremlin.TextOptions{})
	if err != nil {
		return fmt.Errorf("text of prototext: %w", err)
	}
	read = dynamicpb.NewMessage(m.Descriptor())
	if err := (proto.UnmarshalOptions{Resolver: s.resolver}).Unmarshal(encoded, read); err != nil {
		return err
	}
	return s.sameWithoutUnknown("TextToWire", read, m)
}

// TestDynamicOracle compares values of all types with dynamicpb, protojson and prototext.
func TestDynamicOracle(t *testing.T) {
	s := &runtimeSchema{dynamicTypes, dynamicFiles, dynamicpb.NewTypes(dynamicFiles)}
	values, _ := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		if typ.Desc.FullName() == "octopus.test.p3.Box" {
			t.Skip("what an Any holds is encoded anew, so that its bytes differ")
		}
		d, md := s.message(t, string(typ.Desc.FullName()))
		for range values / 3 {
			b := textValue(rng, typ)
			if rng.IntN(3) == 0 && len(b) < 20000 {
				b = check.Mutate(rng, b, typ.Desc)
			}
			if !bytes.Equal(check.Demote(b, typ.Desc, nil), b) {
				continue // dynamicpb takes every number for a value of a closed enum
			}
			if err := s.check(d, md, b); err != nil {
				t.Fatalf("%v\ninput %x", err, b[:min(len(b), 1000)])
			}
		}
	})
}

// TestDynamicNasties reads the recorded hostile inputs, of which one in ten goes through text.
func TestDynamicNasties(t *testing.T) {
	need(t, "runner", officialSchemas, "run conformance/runner.sh install")
	need(t, "shared", shared, "it holds the recorded inputs")
	s := compileDynamic(t, officialSchemas, "google/protobuf/test_messages_proto3.proto")
	f, err := os.Open(filepath.Join(shared, "nasties/proto3.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	count, failed := 0, 0
	lines := bufio.NewReader(z)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		var n struct {
			ID, Type string
			Hex      *string
			Accept   bool
		}
		if json.Unmarshal(line, &n) != nil || n.Hex == nil {
			continue
		}
		b, err := hex.DecodeString(*n.Hex)
		if err != nil {
			t.Fatal(err)
		}
		d, md := s.message(t, n.Type)
		err = d.Check(b)
		if (err == nil) != n.Accept && !errors.Is(err, gremlin.TooMuchMemory) {
			err = fmt.Errorf("accepted: %t, %w", n.Accept, err)
		} else if err = nil; count%10 == 0 {
			err = s.check(d, md, b)
		}
		if count++; err != nil {
			if failed++; failed < 10 {
				t.Errorf("%s: %v\ninput %x", n.ID, err, b[:min(len(b), 500)])
			}
		}
	}
	t.Logf("%d inputs, %d differ", count, failed)
	if count == 0 {
		t.Error("there are none")
	}
}

// TestDynamicCorpora reads real messages with their real schemas.
func TestDynamicCorpora(t *testing.T) {
	corpora := filepath.Join(shared, "corpora")
	need(t, "shared", corpora, "it holds the schemas and messages")
	text, err := os.ReadFile(filepath.Join(corpora, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		File, Type, Framing, Proto_root, Proto string
		OK                                     bool
	}
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	protos := func(root string) (files []string) {
		for _, e := range entries {
			found, _ := filepath.Glob(filepath.Join(corpora, e.Proto_root, e.Proto))
			for _, f := range found {
				f, _ = filepath.Rel(root, f)
				if filepath.Join(corpora, e.Proto_root) == root && !slices.Contains(files, f) {
					files = append(files, f)
				}
			}
		}
		return files
	}
	schemas := map[string]*runtimeSchema{}
	files, messages := 0, 0
	for _, e := range entries {
		if e.Framing == "osmpbf" { // two types in turn; TestCorpora reads them
			continue
		}
		if strings.Contains(e.Proto_root, "k8s") && !*allCorpora {
			continue
		}
		if schemas[e.Proto_root] == nil {
			root := filepath.Join(corpora, e.Proto_root)
			schemas[e.Proto_root] = compileDynamic(t, root, protos(root)...)
		}
		s := schemas[e.Proto_root]
		d, md := s.message(t, e.Type)
		b, err := os.ReadFile(filepath.Join(corpora, e.File))
		if err != nil {
			t.Fatal(err)
		}
		files++
		for _, b := range unframe(t, e.Framing, b) {
			if messages++; len(b) > 20_000 && !*allCorpora {
				if _, _, err := s.unmarshalOracle(md, b); (d.Check(b) == nil) != (err == nil) {
					t.Errorf("%s: %v of protobuf-go", e.File, err)
				}
				continue
			}
			if e.Framing == "raw" && (dynamic.New(d).Unmarshal(b) == nil) != e.OK {
				t.Errorf("%s: accepted %t", e.File, e.OK)
			}
			if d.Check(b) == nil && !bytes.Equal(check.Demote(b, md, nil), b) {
				continue // dynamicpb takes every number for a value of a closed enum
			}
			if err := s.check(d, md, b); err != nil {
				t.Errorf("%s, %s: %.2000v", e.File, e.Type, err)
			}
		}
	}
	t.Logf("%d files, %d messages", files, messages)
}

// unframe takes a file apart.
func unframe(t *testing.T, framing string, b []byte) (all [][]byte) {
	t.Helper()
	switch framing {
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	case "uvarint":
		for len(b) > 0 {
			m, n := protowire.ConsumeBytes(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			all, b = append(all, m), b[n:]
		}
		return all
	}
	return [][]byte{b}
}
