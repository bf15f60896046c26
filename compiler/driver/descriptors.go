package driver

import (
	"fmt"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/lower"
)

// WriteDescriptors writes the FileDescriptorSet of a compilation without errors to a file, as
// protoc --descriptor_set_out does: the files asked for, with what they import and with source info
// only when asked.
func (c *Compilation) WriteDescriptors(file string, imports, sourceInfo bool) error {
	set := &descriptorpb.FileDescriptorSet{}
	for _, f := range c.Descriptors.File {
		if _, asked := slices.BinarySearch(c.Files, f.GetName()); !asked && !imports {
			continue
		}
		if !sourceInfo {
			f = lower.WithoutSourceInfo(f)
		}
		set.File = append(set.File, f)
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return fmt.Errorf("the descriptors cannot be encoded: %w", err)
	}
	u := &update{out: filepath.Dir(file)}
	defer u.abandon()
	if err := u.stage(text{filepath.Base(file), data}); err != nil {
		return err
	}
	return u.commit()
}
