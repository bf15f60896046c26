package host

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler"
)

// Version is the one that requests name: that of protoc whose bytes they have.
const Version = "33.2"

// The parts of that version in the request; major is of the C++ runtime.
const (
	major = 6
	minor = 33
	patch = 2
)

// Set is compiled files that plugins are asked for. Several goroutines may use it.
type Set struct {
	asked []string
	files []*descriptorpb.FileDescriptorProto // all files, each behind its imports
	index map[string]int                      // places in files by import path

	// By place in files: descriptors as tagged fields of number 1, with all that is in the source,
	// and of files that are asked for without it, too.
	whole, stripped [][]byte
}

// NewSet encodes the files of a compilation without errors. asked has the import paths of the files
// to generate code for, in the order in which the compiler was given them.
func NewSet(r *compiler.Result, asked []string) (*Set, error) {
	files := r.Descriptors.File
	s := &Set{asked: asked, files: files, index: make(map[string]int, len(files)),
		whole: make([][]byte, len(files)), stripped: make([][]byte, len(files))}
	for i, f := range files {
		s.index[f.GetName()] = i
	}
	wanted := make([]bool, len(files))
	for _, a := range asked {
		i, ok := s.index[a]
		if !ok {
			return nil, fmt.Errorf("%s was not compiled", a)
		}
		wanted[i] = true
	}
	errs := make([]error, len(files))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				if s.whole[i], errs[i] = r.AppendFile(nil, i, true); errs[i] == nil && wanted[i] {
					s.stripped[i], errs[i] = r.AppendStripped(nil, i, true)
				}
			}
		})
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s cannot be encoded: %w", files[i].GetName(), err)
		}
	}
	return s, nil
}

// file returns the descriptor of a file.
func (s *Set) file(path string) *descriptorpb.FileDescriptorProto { return s.files[s.index[path]] }

// The numbers of the fields of a CodeGeneratorRequest.
const (
	fileToGenerate        = 1
	parameterOfRequest    = 2
	compilerVersion       = 3
	protoFile             = 15
	sourceFileDescriptors = 17
)

// Request returns the request for some of the files that the set was made for.
func (s *Set) Request(files []string, parameter string) []byte {
	var out []byte
	asked := map[string]bool{}
	for _, f := range files {
		asked[f] = true
		out = protowire.AppendTag(out, fileToGenerate, protowire.BytesType)
		out = protowire.AppendString(out, f)
	}
	if parameter != "" {
		out = protowire.AppendTag(out, parameterOfRequest, protowire.BytesType)
		out = protowire.AppendString(out, parameter)
	}
	var version []byte
	for i, n := range []uint64{major, minor, patch} {
		version = protowire.AppendTag(version, protowire.Number(i+1), protowire.VarintType)
		version = protowire.AppendVarint(version, n)
	}
	version = protowire.AppendTag(version, 4, protowire.BytesType) // an empty suffix
	version = protowire.AppendString(version, "")
	out = protowire.AppendTag(out, compilerVersion, protowire.BytesType)
	out = protowire.AppendBytes(out, version)
	used := s.used(files)
	for i, f := range s.files {
		switch {
		case asked[f.GetName()]:
			out = appendRenumbered(out, protoFile, s.stripped[i])
		case used[i]:
			out = appendRenumbered(out, protoFile, s.whole[i])
		}
	}
	for i, f := range s.files {
		if asked[f.GetName()] {
			out = appendRenumbered(out, sourceFileDescriptors, s.whole[i])
		}
	}
	return out
}

// appendRenumbered appends a field with another number.
func appendRenumbered(out []byte, number protowire.Number, field []byte) []byte {
	_, _, n := protowire.ConsumeTag(field)
	return append(protowire.AppendTag(out, number, protowire.BytesType), field[n:]...)
}

// used returns which files are asked for or imported by one of those.
func (s *Set) used(files []string) []bool {
	used := make([]bool, len(s.files))
	for _, f := range files {
		used[s.index[f]] = true
	}
	for i, f := range slices.Backward(s.files) { // each stands behind its imports
		if !used[i] {
			continue
		}
		for _, names := range [][]string{f.Dependency, f.OptionDependency} {
			for _, name := range names {
				if at, ok := s.index[name]; ok {
					used[at] = true
				}
			}
		}
	}
	return used
}

// folders returns the files asked for by the folder that they are in.
func (s *Set) folders() (out [][]string) {
	at := map[string]int{}
	for _, f := range s.asked {
		i, ok := at[path.Dir(f)]
		if !ok {
			i = len(out)
			at[path.Dir(f)], out = i, append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}
