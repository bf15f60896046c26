package gremlincel

import (
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// costs says what calls cost that look at all of an argument, which cel-go cannot know. The unit is
// that of CEL, which counts a tenth for each character of a string.
type costs struct{}

const costPerByte = 10 // bytes for a unit

// CallCost implements cost.ActualCostEstimator.
func (costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	var n uint64
	switch function {
	case "unique":
		if list, ok := args[0].(traits.Sizer); ok {
			n = uint64(list.Size().(types.Int))
		}
	case "isHostname", "isEmail", "isUri", "isUriRef", "isIp", "isIpPrefix", "isHostAndPort":
		n = uint64(len(args[0].(types.String)))
	case operators.Equals, operators.NotEquals, operators.In:
		if n = weight(args[0]) + weight(args[1]); n == 0 {
			return nil // cel-go knows better
		}
	case boundedReplace, boundedJoin:
		text, _ := result.(types.String)
		n = uint64(len(text))
	default:
		return nil
	}
	n = n/costPerByte + 1
	return &n
}

// weight is how many bytes a message has, or those in a list or map; 0 for all others.
func weight(v ref.Val) (n uint64) {
	switch v := v.(type) {
	case objectValue:
		return uint64(len(v.Message.r.Raw())) + 1
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			w := weight(v.Get(it.Next()))
			if w == 0 {
				return 0
			}
			n += w
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			w := weight(it.Next())
			if w == 0 {
				return 0
			}
			n += w
		}
	}
	return n
}
