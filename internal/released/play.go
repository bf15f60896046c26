package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// scenario is what somebody does in an empty folder.
type scenario struct {
	name  string
	dir   string
	files map[string]string
	steps []step
}

// step is a command and, if it is not "", what its output must contain, or a file with its text.
// @latest stands for the version that is tried.
type step struct{ command, want, file, text string }

// play writes the files and runs the steps.
func (s scenario) play(env []string, modules []packed) error {
	for name, text := range s.files {
		if err := s.write(name, text); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	for _, st := range s.steps {
		if st.file != "" {
			if err := s.write(st.file, st.text); err != nil {
				return err
			}
			continue
		}
		line := strings.ReplaceAll(st.command, "@latest", "@"+modules[0].Version.Version)
		fmt.Println("   ", line)
		// A shell finds the command on the PATH of env.
		out, err := output(env, s.dir, "sh", "-c", line)
		if err != nil {
			return err
		}
		if !strings.Contains(out, st.want) {
			return fmt.Errorf("%s prints\n%s\nwithout\n%s", line, out, st.want)
		}
	}
	return nil
}

func (s scenario) write(name, text string) error {
	name = filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// guide reads a scenario from a guide in Markdown, in its order: a block of Go, proto or YAML is
// the file whose name stands last in backquotes before it, an indented line that begins with "go "
// is a command, and a block of text is what the last command prints. With shell, indented lines
// that begin with "$ " are commands, too, with the lines that continue them; the first line behind
// one is what it prints.
func guide(text string, shell bool) (s scenario) {
	name, lines := "", strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if language, ok := strings.CutPrefix(line, "```"); ok {
			start := i + 1
			for i++; i < len(lines) && lines[i] != "```"; i++ {
			}
			block := strings.Join(lines[start:min(i, len(lines))], "\n")
			switch {
			case language == "text" && len(s.steps) > 0:
				s.steps[len(s.steps)-1].want = block
			case language == "go" || language == "proto" || language == "yaml":
				s.steps = append(s.steps, step{file: name, text: block + "\n"})
			}
			continue
		}
		if command, ok := strings.CutPrefix(line, "    go "); ok {
			command, _, _ = strings.Cut(command, " # ")
			s.steps = append(s.steps, step{command: "go " + strings.TrimSpace(command)})
			continue
		}
		if command, ok := strings.CutPrefix(line, "    $ "); ok && shell {
			for strings.HasSuffix(command, "\\") || strings.HasSuffix(command, "|") {
				i++
				command += "\n" + lines[i]
			}
			st := step{command: command}
			if next := lines[i+1]; strings.HasPrefix(next, "    ") &&
				!strings.HasPrefix(next, "    $ ") {
				st.want = strings.TrimSpace(next)
			}
			s.steps = append(s.steps, st)
			continue
		}
		for quoted := strings.Split(line, "`"); len(quoted) > 2; quoted = quoted[2:] {
			if ext := filepath.Ext(quoted[1]); ext == ".go" || ext == ".proto" || ext == ".yaml" {
				name = quoted[1]
			}
		}
	}
	return s
}
