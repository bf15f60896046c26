//go:build trace

package functrace

import (
	"path/filepath"
	"strings"
	"testing"
)

func chainInside() Calls {
	defer Trace()()
	return Chain()
}

func chainOutside() Calls {
	if Enabled {
		defer Trace()()
	}
	return chainInside()
}

func TestChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.functrace")
	if err := Start(Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	got := chainOutside()
	if got.String() != thisPackage+".chainOutside -> "+thisPackage+".chainInside" {
		t.Errorf("chain is %s", got)
	}
	if s := got.LogValue().String(); !strings.HasSuffix(s, "chainInside") {
		t.Error(s)
	}
	if stats, err := Stop(); err != nil || stats.Path != path {
		t.Error(stats, err)
	}
	if c := chainOutside(); c != nil {
		t.Errorf("chain after Stop is %v", c)
	}
}

const thisPackage = "github.com/octopus-framework/octopus/functrace"
