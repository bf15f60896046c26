package query_test

import (
	"context"
	"fmt"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/query"
)

func Example() {
	ctx := context.Background()
	// The type, here from a .proto file; any FileDescriptorSet will do.
	res := compiler.Compile(ctx, compiler.Options{
		Sources: source.New("testdata"), Files: []string{"all.proto"}})
	set, err := res.DescriptorSet()
	if err != nil {
		fmt.Println(err)
		return
	}
	schema, err := dynamic.Load(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	child := schema.Message("test.query.Child")

	// A log with three messages: ids 1, 2 and 1, and nums 5, 6 and 7.
	log := memlog.New(memlog.Options{})
	var b nerve.Batch
	for i, id := range []byte{1, 2, 1} {
		b.Append([]byte{1 << 3, id, 4 << 3, 5 + byte(i)})
	}
	if _, err := log.Append(ctx, &b); err != nil {
		fmt.Println(err)
		return
	}

	plan, err := query.Compile(child, query.Query{
		Select: []string{"sum(nums[0])", "count()"}, By: []string{"id"}, Where: "nums[0] > 4"})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := plan.Run(ctx, log)
	if err != nil {
		fmt.Println(err)
		return
	}
	for batch, err := range result.Batches() {
		if err != nil {
			fmt.Println(err)
			return
		}
		for i := range batch.Rows {
			id, sum, n := batch.Columns[0], batch.Columns[1], batch.Columns[2]
			fmt.Println("id", id.Ints[i], "sum", sum.Ints[i], "of", n.Ints[i])
		}
	}

	_, err = query.CompileFilter(child, "nmae == 'x'")
	fmt.Println(err)
	// Output:
	// id 1 sum 12 of 2
	// id 2 sum 6 of 1
	// column 1: test.query.Child has no field, and no enum of it a value, nmae; did you mean name?
}
