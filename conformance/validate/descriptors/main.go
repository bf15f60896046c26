// Descriptors is the testee that knows no message: it checks by their descriptors.
package main

import (
	"log"

	"github.com/octopus-framework/octopus/conformance/validate/harness"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
)

func main() {
	err := harness.Run(func(descriptors []byte) (func(string, []byte) error, error) {
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
