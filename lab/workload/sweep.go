package workload

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/lab/report"
)

// Step is a workload of a sweep and its place in it, whose time is still to be measured.
type Step struct {
	Workload
	Point report.Point
}

// Sweep returns messages that nest ever deeper, have ever more fields, and ever more bytes in one.
func Sweep() []Step {
	var all []Step
	for _, depth := range []int{1, 2, 4, 8, 12, 16, 20} {
		w := of(fmt.Sprintf("sweep depth %d", depth), nested(depth))
		all = append(all, Step{w, report.Point{Depth: depth, Fields: 2 * (depth + 1)}})
	}
	for _, fields := range []int{1, 4, 16, 64, 256} {
		w := Workload{Type: fmt.Sprintf("Wide%d", fields)}
		m := w.New()
		for i := range fields {
			f := m.ProtoReflect().Descriptor().Fields().Get(i)
			m.ProtoReflect().Set(f, wideValue(f))
		}
		all = append(all, Step{of(fmt.Sprintf("sweep fields %d", fields), m), report.Point{Fields: fields}})
	}
	for _, kib := range []int{0, 1, 4, 16, 64, 256, 1024, 4096} {
		all = append(all, Step{of(fmt.Sprintf("sweep kib %d", kib), blob(kib)), report.Point{Fields: 1, KiB: kib}})
	}
	return all
}

func wideValue(f protoreflect.FieldDescriptor) protoreflect.Value {
	n := int64(f.Number())
	switch f.Kind() {
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(n * n * n)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n) / 3)
	default:
		return protoreflect.ValueOfString(fmt.Sprintf("value %d", n))
	}
}
