package lower

// wellKnown are the files that come with the compiler.
var wellKnown = map[string]bool{
	"google/protobuf/any.proto":             true,
	"google/protobuf/api.proto":             true,
	"google/protobuf/compiler/plugin.proto": true,
	"google/protobuf/cpp_features.proto":    true,
	"google/protobuf/descriptor.proto":      true,
	"google/protobuf/duration.proto":        true,
	"google/protobuf/empty.proto":           true,
	"google/protobuf/field_mask.proto":      true,
	"google/protobuf/go_features.proto":     true,
	"google/protobuf/java_features.proto":   true,
	"google/protobuf/source_context.proto":  true,
	"google/protobuf/struct.proto":          true,
	"google/protobuf/timestamp.proto":       true,
	"google/protobuf/type.proto":            true,
	"google/protobuf/wrappers.proto":        true,
}

// IsWellKnown tells whether the import path is that of a file that comes with the compiler,
// whatever the descriptors of that name are.
func IsWellKnown(importPath string) bool { return wellKnown[importPath] }
