package rt_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// TestEnumNames looks up all names of enums small and large, from several goroutines.
func TestEnumNames(t *testing.T) {
	for _, size := range []int{0, 1, 15, 16, 17, 300} {
		e := rt.EnumInfo{Name: "test.Enum"}
		for i := range size {
			e.Values = append(e.Values, rt.EnumValueInfo{Number: int32(i * i),
				Name: "VALUE_" + strconv.Itoa(i)})
		}
		if size > 0 {
			e.Aliases = []rt.EnumValueInfo{{Number: 0, Name: "ALIAS"}}
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, v := range append(e.Values[:size:size], e.Aliases...) {
					if n, ok := e.Number(v.Name); !ok || n != v.Number {
						t.Errorf("%d values: %s is %d (%v), want %d", size, v.Name, n, ok, v.Number)
					}
				}
				for _, name := range []string{"", "VALUE_", "VALUE_" + strconv.Itoa(size),
					"value_0"} {
					if n, ok := e.Number(name); ok {
						t.Errorf("%d values: %q is %d", size, name, n)
					}
				}
			})
		}
		wg.Wait()
	}
}
