package rt

import "strings"

// Descriptors is what a server tells about a service by reflection. Generated code has one where
// `descriptors: true` asks for it, as the Metadata of a grpc.ServiceDesc; package grpcreflect reads
// it.
type Descriptors struct {
	Path string // path of the .proto file
	// an encoded FileDescriptorSet in pieces: the file and what it imports, without google/protobuf
	Set []string
}

// Encoded returns the FileDescriptorSet.
func (d *Descriptors) Encoded() []byte { return []byte(strings.Join(d.Set, "")) }
