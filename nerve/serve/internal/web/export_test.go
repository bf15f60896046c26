package web

import "testing"

// LowerCost bounds what requests may cost until the test ends.
func LowerCost(t *testing.T, cost int64) {
	before := requestCost
	requestCost = cost
	t.Cleanup(func() { requestCost = before })
}
