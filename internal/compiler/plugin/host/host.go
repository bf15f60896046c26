// Package host is the side of the protocol of plugins that protoc has: it starts plugins, sends
// each a CodeGeneratorRequest, and makes files of what they answer. The request has the bytes that
// protoc sends.
package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// Prefix starts the names of programs that are plugins.
const Prefix = "protoc-gen-"

// Plugin is a plugin to run.
type Plugin struct {
	Name string   // such as protoc-gen-go, for messages and where there is no path
	Path string   // program; empty means the one of the name, in PATH
	Args []string // arguments of the program; protoc gives none
	// Parameter is what the request has for the plugin, its options with commas between.
	Parameter string
	Out       string // folder of its files
	// Folders asks for a request for each folder of .proto files, as buf sends them.
	Folders bool
}

// stopWait is how long a plugin may take to end when it is told to.
const stopWait = 5 * time.Second

// maxResponse is the size of the largest response: protobuf has no larger messages.
const maxResponse = 1<<31 - 1

// response is what a plugin answered to one request.
type response struct {
	plugin *Plugin
	files  []string // import paths it was asked for
	*pluginpb.CodeGeneratorResponse
}

// Run asks all plugins at the same time for the code of the files of a set, and returns the files
// that they make. What plugins write to standard error goes to warn. The errors of all plugins are
// joined. A plugin that has not ended when ctx does is told to, and is killed after a while.
func Run(ctx context.Context, set *Set, plugins []Plugin, warn io.Writer) (*Files, error) {
	answers := make([][]response, len(plugins))
	errs := make([]error, len(plugins))
	warn = &sharedWriter{w: warn}
	var wait sync.WaitGroup
	for i := range plugins {
		wait.Go(func() { answers[i], errs[i] = plugins[i].ask(ctx, set, warn) })
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("the run was stopped: %w", err)
	}
	files := &Files{at: map[string]*File{}}
	for i := range answers {
		for _, r := range answers[i] {
			if errs[i] == nil {
				errs[i] = r.check(set, files)
			}
		}
		if errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %w", plugins[i].Name, errs[i])
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return files, files.conflict()
}

// ask sends a plugin its requests.
func (p *Plugin) ask(ctx context.Context, set *Set, warn io.Writer) (all []response, err error) {
	parts := [][]string{set.asked}
	if p.Folders {
		parts = set.folders()
	}
	for _, files := range parts {
		r := response{plugin: p, files: files}
		if r.CodeGeneratorResponse, err = p.answer(ctx, set.Request(files, p.Parameter),
			warn); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// answer runs the program once.
func (p *Plugin) answer(ctx context.Context, request []byte,
	warn io.Writer) (*pluginpb.CodeGeneratorResponse, error) {
	path := p.Path
	if path == "" {
		path = p.Name
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, notFound(err)
	}
	cmd := exec.CommandContext(ctx, path, p.Args...)
	out := &limitedBuffer{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), out, warn
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopWait
	if err := cmd.Run(); out.full {
		return nil, fmt.Errorf("the plugin answers more than %d bytes", maxResponse)
	} else if err != nil {
		return nil, fmt.Errorf("the plugin failed: %w", err)
	}
	r := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out.Bytes(), r); err != nil {
		return nil, fmt.Errorf("the plugin answers no CodeGeneratorResponse: %w", err)
	}
	return r, nil
}

// notFound words that there is no such program.
func notFound(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return fmt.Errorf("the plugin cannot be started: %q: %w", e.Name, e.Err)
	}
	return fmt.Errorf("the plugin cannot be started: %w", err)
}

// check looks whether the plugin knows what the files need, and takes the files of the response.
func (r *response) check(set *Set, files *Files) error {
	features := r.GetSupportedFeatures()
	for _, path := range r.files {
		f := set.file(path)
		const optional = uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL)
		if features&optional == 0 && hasOptional(f) {
			return fmt.Errorf("%s has optional fields in proto3, which the plugin does not know",
				path)
		}
		edition := f.GetEdition()
		if edition < descriptorpb.Edition_EDITION_2023 {
			continue
		}
		const editions = uint64(pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)
		name := strings.TrimPrefix(edition.String(), "EDITION_")
		if features&editions == 0 {
			return fmt.Errorf("%s is of edition %s, and the plugin knows no editions", path, name)
		}
		least, most := r.GetMinimumEdition(), r.GetMaximumEdition()
		if int32(edition) < least || int32(edition) > most {
			return fmt.Errorf("%s is of edition %s, and the plugin knows %s to %s", path, name,
				editionName(least), editionName(most))
		}
	}
	if err := files.add(r.plugin.Out, r.File); err != nil {
		return err
	}
	if r.Error != nil && *r.Error != "" {
		return errors.New(strings.TrimRight(*r.Error, "\n"))
	}
	return nil
}

func editionName(e int32) string {
	return strings.TrimPrefix(descriptorpb.Edition(e).String(), "EDITION_")
}

// hasOptional tells whether a file has an optional field in proto3.
func hasOptional(f *descriptorpb.FileDescriptorProto) bool {
	for _, e := range f.Extension {
		if e.GetProto3Optional() {
			return true
		}
	}
	return optionalInside(f.MessageType)
}

func optionalInside(messages []*descriptorpb.DescriptorProto) bool {
	for _, m := range messages {
		for _, fields := range [][]*descriptorpb.FieldDescriptorProto{m.Field, m.Extension} {
			for _, f := range fields {
				if f.GetProto3Optional() {
					return true
				}
			}
		}
		if optionalInside(m.NestedType) {
			return true
		}
	}
	return false
}

// limitedBuffer is a buffer that refuses what is too much.
type limitedBuffer struct {
	bytes.Buffer
	full bool
}

// Write takes p, or returns an error.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxResponse {
		b.full = true
		return 0, io.ErrShortBuffer
	}
	return b.Buffer.Write(p)
}

// sharedWriter lets several plugins write.
type sharedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes p as a whole.
func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}
