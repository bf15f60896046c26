package validate

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

// TestDescriptorsAreFresh compiles the schemas that the tests of gremlincel have as descriptors.
func TestDescriptorsAreFresh(t *testing.T) {
	const testdata = "../../gremlin/gremlincel/testdata"
	for file, root := range map[string]string{"shop": "", "builtin": "builtin"} {
		in := driver.Input{Roots: []string{filepath.Join(testdata, root)},
			Files: []string{filepath.Join(testdata, root, file+".proto")}}
		c := driver.Compile(t.Context(), in, nil)
		if c.Diagnostics.Errors() > 0 {
			t.Fatal(c.Diagnostics)
		}
		fresh := filepath.Join(t.TempDir(), "fresh.binpb")
		if err := c.WriteDescriptors(fresh, driver.DescriptorSet{Imports: true}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(fresh)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(testdata, file+".binpb")
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what gremlin descriptors makes of the .proto file (%v): the test "+
				"beside it says how it is made", name, err)
		}
	}
}
