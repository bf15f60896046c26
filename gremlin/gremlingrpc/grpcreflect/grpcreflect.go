// Package grpcreflect adds server reflection to a server with services of gremlin, so that grpcurl,
// buf curl and the like can list and call them:
//
//	s := grpc.NewServer()
//	shopv1.RegisterShopServer(s, &shop{})
//	grpcreflect.Register(s)
//
// Services that gremlin generated tell what they are if `grpc: {descriptors: true}` is set in
// gremlin.yaml. Those of protobuf-go in the same server do as well, from its registry. This package
// uses protobuf-go's descriptors; gremlin's own code does not.
package grpcreflect

import (
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	v1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	v1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	// The files that descriptors may import and do not have with them.
	_ "google.golang.org/protobuf/types/gofeaturespb"
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/apipb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/sourcecontextpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/typepb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
	_ "google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/rt"
)

// Register adds the reflection services, v1 and v1alpha, to a server. Services may be registered
// before or after it, until the server serves.
func Register(s *grpc.Server) {
	r := &resolver{server: s}
	opts := reflection.ServerOptions{Services: s, DescriptorResolver: r, ExtensionResolver: r}
	v1.RegisterServerReflectionServer(s, reflection.NewServerV1(opts))
	v1alpha.RegisterServerReflectionServer(s, reflection.NewServer(opts))
}

// resolver finds descriptors in those of the server's services, then in protobuf-go's registry.
// They are built when the first is asked for.
type resolver struct {
	server *grpc.Server

	once  sync.Once
	files protoregistry.Files
	types protoregistry.Types
	err   error // what could not be built, joined
}

func (r *resolver) build() {
	for name, info := range r.server.GetServiceInfo() {
		d, ok := info.Metadata.(*rt.Descriptors)
		if !ok {
			if _,
				err := protoregistry.GlobalFiles.FindDescriptorByName(
				protoreflect.FullName(name)); err != nil {
				r.err = errors.Join(r.err,
					fmt.Errorf("service %s has no descriptors: generate it with "+
						"grpc: {descriptors: true} in gremlin.yaml", name))
			}
			continue
		}
		if err := r.add(d); err != nil {
			r.err = errors.Join(r.err, fmt.Errorf("the descriptors of service %s: %w", name, err))
		}
	}
}

// add registers the files of a service. Each is in the set after what it imports.
func (r *resolver) add(d *rt.Descriptors) error {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(d.Encoded(), &set); err != nil {
		return err
	}
	for _, fdp := range set.File {
		if _, err := r.files.FindFileByPath(fdp.GetName()); err == nil {
			continue // another service came with it
		}
		f, err := protodesc.NewFile(fdp, both{&r.files, protoregistry.GlobalFiles})
		if err == nil {
			err = r.files.RegisterFile(f)
		}
		if err != nil {
			return err
		}
		r.addExtensions(f)
	}
	return nil
}

// container is a file or a message.
type container interface {
	Messages() protoreflect.MessageDescriptors
	Extensions() protoreflect.ExtensionDescriptors
}

func (r *resolver) addExtensions(c container) {
	for i := range c.Extensions().Len() {
		// One that is there already came with protobuf-go's registry.
		_ = r.types.RegisterExtension(dynamicpb.NewExtensionType(c.Extensions().Get(i)))
	}
	for i := range c.Messages().Len() {
		r.addExtensions(c.Messages().Get(i))
	}
}

func (r *resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	r.once.Do(r.build)
	f, err := both{&r.files, protoregistry.GlobalFiles}.FindFileByPath(path)
	return f, r.explain(err)
}

func (r *resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor,
	error) {
	r.once.Do(r.build)
	d, err := both{&r.files, protoregistry.GlobalFiles}.FindDescriptorByName(name)
	return d, r.explain(err)
}

// explain adds to an error what could not be built.
func (r *resolver) explain(err error) error {
	if err == nil || r.err == nil {
		return err
	}
	return fmt.Errorf("%w; %w", err, r.err)
}

func (r *resolver) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType,
	error) {
	r.once.Do(r.build)
	if x, err := r.types.FindExtensionByName(name); err == nil {
		return x, nil
	}
	return protoregistry.GlobalTypes.FindExtensionByName(name)
}

func (r *resolver) FindExtensionByNumber(message protoreflect.FullName,
	number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	r.once.Do(r.build)
	if x, err := r.types.FindExtensionByNumber(message, number); err == nil {
		return x, nil
	}
	return protoregistry.GlobalTypes.FindExtensionByNumber(message, number)
}

func (r *resolver) RangeExtensionsByMessage(message protoreflect.FullName,
	yield func(protoreflect.ExtensionType) bool) {
	r.once.Do(r.build)
	r.types.RangeExtensionsByMessage(message, yield)
	protoregistry.GlobalTypes.RangeExtensionsByMessage(message,
		func(x protoreflect.ExtensionType) bool {
			if _, err := r.types.FindExtensionByNumber(message,
				x.TypeDescriptor().Number()); err == nil {
				return true
			}
			return yield(x)
		})
}

// both looks into one registry after the other.
type both [2]*protoregistry.Files

func (b both) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if f, err := b[0].FindFileByPath(path); err == nil {
		return f, nil
	}
	return b[1].FindFileByPath(path)
}

func (b both) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := b[0].FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return b[1].FindDescriptorByName(name)
}
