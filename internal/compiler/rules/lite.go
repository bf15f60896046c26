package rules

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// isLite tells whether a file asks for code without descriptors.
func isLite(f *descriptorpb.FileDescriptorProto) bool {
	return f.GetOptions().GetOptimizeFor() == descriptorpb.FileOptions_LITE_RUNTIME
}

// liteImports refuses imports of lite files in a file that is not lite.
func (c *checker) liteImports() {
	if isLite(c.Proto) {
		return
	}
	for i, path := range c.Proto.Dependency {
		if f := c.types.pool.File(path); f != nil && isLite(f.Proto) {
			c.errorAt(c.ImportSpan(i), fmt.Sprintf(
				"%q has optimize_for = LITE_RUNTIME, this file has not", path)).Hint =
				"set optimize_for = LITE_RUNTIME here, too, or remove it there"
		}
	}
}

// liteService refuses services with generic code in a file that is lite.
func (c *checker) liteService(s *descriptorpb.ServiceDescriptorProto) {
	o := c.Proto.GetOptions()
	if isLite(c.Proto) && (o.GetCcGenericServices() || o.GetJavaGenericServices()) {
		c.errorf(s, describe.Name, "a lite file cannot have generic services, %q is one",
			s.GetName()).Hint = `set "cc_generic_services" and "java_generic_services" to false`
	}
}
