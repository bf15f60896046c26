package inject

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// goOutput runs the go command and returns what it writes to standard output.
func goOutput(c Config, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = c.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// environment is what is asked of go env.
type environment struct{ GOROOT, GOMODCACHE, GOMOD, GOWORK, GOFLAGS string }

// flags returns the flags that count with those given: the later ones take precedence.
func (e environment) flags(given []string) []string {
	return append(strings.Fields(e.GOFLAGS), given...)
}

func goEnvironment(c Config) (env environment, err error) {
	out, err := goOutput(c, "env", "-json", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS")
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	return env, err
}

// absolute returns the full name of a file that an argument for the go command names.
func absolute(c Config, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	full, err := filepath.Abs(filepath.Join(c.Dir, name))
	if err != nil {
		return name
	}
	return full
}
