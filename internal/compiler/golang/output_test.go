package golang_test

import (
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

// TestOutputPath keeps the go command from leaving out files for their names.
func TestOutputPath(t *testing.T) {
	for proto, want := range map[string]string{
		"shop/v1/deposit.proto":  "shop/v1/deposit.gremlin.go",
		"a/experiment_arm.proto": "a/experiment_arm_.gremlin.go",
		"a/run_on_windows.proto": "a/run_on_windows_.gremlin.go",
		"a/b_linux_amd64.proto":  "a/b_linux_amd64_.gremlin.go",
		"a/linux_test.proto":     "a/linux_test.gremlin.go",
		"a/b_linux_test.proto":   "a/b_linux_test_.gremlin.go",
		"arm.proto":              "arm.gremlin.go",
		"_hidden.proto":          "x_hidden.gremlin.go",
		"a/.hidden.proto":        "a/x.hidden.gremlin.go",
	} {
		if got := golang.OutputPath(proto); got != want {
			t.Errorf("%s goes to %s, want %s", proto, got, want)
		}
	}
}
