package gremlincel_test

import (
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/validate"
)

func Example() {
	schema, err := dynamic.Load(descriptors) // embedded, of gremlin descriptors --include-imports
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := gremlincel.New(schema, gremlincel.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded, err := schema.Message("shop.v1.Order").JSONToWire(nil,
		[]byte(`{"total": 9, "cash": true, "lines": [{"amount": 10}, {"amount": 7}]}`),
		json.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var broken *validate.Error
	if err := v.Validate("shop.v1.Order", encoded); errors.As(err, &broken) {
		for _, v := range broken.Violations {
			fmt.Printf("%s: %s (%s)\n", v.Field, v.Message, v.RuleID)
		}
	}
	// Output:
	// : no line may be higher than the total (order.total)
	// lines[1].amount: must be a multiple of 5 (int64.multiple_of)
}
