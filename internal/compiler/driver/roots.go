package driver

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/config"
)

// placeRoots returns the roots with the folders of Go modules filled in. The go command knows
// these, by the go.mod around the configuration file.
func placeRoots(ctx context.Context, in Input) ([]string, error) {
	roots := make([]string, len(in.Roots))
	for i, root := range in.Roots {
		virtual, dir, mounted := strings.Cut(root, "=")
		if !mounted {
			virtual, dir = "", root
		}
		roots[i] = root
		module, ok := strings.CutPrefix(dir, config.ModuleRoot)
		if !ok {
			continue
		}
		module, inside, _ := strings.Cut(module, "//")
		cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
		if in.Config != nil {
			cmd.Dir = filepath.Dir(in.Config.Path)
		}
		out, err := cmd.Output()
		if err == nil && len(strings.TrimSpace(string(out))) == 0 {
			err = errors.New("it is not in the module cache")
		}
		if err != nil {
			return nil, fmt.Errorf("root %q: the folder of module %q is not known: %w; "+
				"go mod download %[2]s brings it", root, module, err)
		}
		roots[i] = filepath.Join(strings.TrimSpace(string(out)), inside)
		if mounted {
			roots[i] = virtual + "=" + roots[i]
		}
	}
	return roots, nil
}
