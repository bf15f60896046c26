// Descriptors is the testee that knows no message: it checks by their descriptors. With an
// argument, these have nothing in validate.proto that says what standard rules mean.
package main

import (
	"log"
	"os"

	"github.com/octopus-framework/octopus/conformance/validate/harness"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
)

func main() {
	err := harness.Run(func(descriptors []byte) (func(string, []byte) error, error) {
		if len(os.Args) > 1 {
			var err error
			if descriptors, err = withoutOptions(descriptors); err != nil {
				return nil, err
			}
		}
		types, err := dynamic.Load(descriptors)
		if err != nil {
			return nil, err
		}
		v, err := gremlincel.New(types, gremlincel.Options{})
		if err != nil {
			return nil, err
		}
		return v.Validate, nil
	})
	if err != nil {
		log.Fatal(err)
	}
}

// withoutOptions removes the options of all fields in buf/validate/validate.proto.
func withoutOptions(descriptors []byte) ([]byte, error) {
	var set descriptor.FileDescriptorSet
	if err := set.Unmarshal(descriptors); err != nil {
		return nil, err
	}
	for i := range set.File {
		if set.File[i].GetName() != "buf/validate/validate.proto" {
			continue
		}
		for _, m := range set.File[i].MessageType {
			for j := range m.Field {
				m.Field[j].Options = nil
			}
		}
	}
	return set.Marshal(), nil
}
