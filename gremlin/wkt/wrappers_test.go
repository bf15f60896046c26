package wkt_test

import (
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func TestWrappers(t *testing.T) {
	for want, m := range map[string]interface {
		gremlin.Message
		MarshalJSON() ([]byte, error)
	}{
		"true": wkt.BoolOf(true), "-1": wkt.Int32Of(-1), `"-2"`: wkt.Int64Of(-2),
		"3": wkt.UInt32Of(3), `"4"`: wkt.UInt64Of(4), "1.5": wkt.FloatOf(1.5),
		"2.5": wkt.DoubleOf(2.5), `"s"`: wkt.StringOf("s"), `"AAE="`: wkt.BytesOf([]byte{0, 1}),
	} {
		if text, err := m.MarshalJSON(); err != nil || string(text) != want {
			t.Errorf("%s: %s, %v", want, text, err)
		}
	}
}
