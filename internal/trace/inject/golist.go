package inject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// listed is what is asked of go list.
type listed struct {
	Dir, ImportPath, Name, ForTest string
	GoFiles, CgoFiles              []string
	Standard                       bool
	Module                         *module
	Error                          *struct{ Err string }
}

const listFields = "-json=Dir,ImportPath,Name,ForTest,GoFiles,CgoFiles,Standard,Module,Error"

func list(c Config, flags ...string) ([]listed, error) {
	args := []string{"list", "-e", "-deps", listFields}
	if c.Test {
		args = append(args, "-test")
	}
	args = slices.Concat(args, c.Flags, flags, c.Patterns)
	out, err := goOutput(c, args...)
	if err != nil {
		return nil, err
	}
	var pkgs []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%w: %s", ErrBroken, p.Error.Err)
		}
		pkgs = append(pkgs, p)
	}
}
