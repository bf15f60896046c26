// Package gremlincmp makes generated Messages and Readers comparable by package cmp
// (github.com/google/go-cmp). Names and meanings are those of package protocmp of
// google.golang.org/protobuf:
//
//	if d := cmp.Diff(want, got, gremlincmp.Transform()); d != "" {
//		t.Errorf("(-want +got)\n%s", d)
//	}
//
// It works for pointers, values and Readers, alone and inside of other types, where cmp without it
// panics at unexported fields. The other options need Transform beside them.
//
// It is for tests: it uses reflection and copies everything. Package gremlin has Diff, which needs
// no module.
package gremlincmp
