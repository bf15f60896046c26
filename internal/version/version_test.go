package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	module := func(v string) debug.Module { return debug.Module{Path: "m", Version: v} }
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: module("v0.1.0")}, "v0.1.0"},
		{debug.BuildInfo{Main: module("(devel)")}, "devel"},
		{debug.BuildInfo{Main: module("")}, "devel"},
		{debug.BuildInfo{Settings: []debug.BuildSetting{commit}}, "devel 0123456789ab"},
		{debug.BuildInfo{Settings: []debug.BuildSetting{commit, changed}},
			"devel 0123456789ab with changes"},
	} {
		if got := of(&c.info); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
