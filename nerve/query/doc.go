// Package query asks queues of messages: it filters records, takes values out of them and adds them
// up, straight from their bytes.
//
//	plan, err := query.Compile(depositType, query.Query{
//		Select: []string{"sum(amount)", "count()"},
//		By:     []string{"user.id"},
//		Where:  "type == CARD",
//	})
//	result, err := plan.Run(ctx, log)
//	for batch, err := range result.Batches() { ... }
//
// The type is one of package dynamic, from a FileDescriptorSet. The log is any log or queue of
// package nerve, or a File. Expressions are in CEL, see docs/query.md. [CompileFilter] is the
// filter alone, for programs that read records themselves.
package query
