package options

import (
	"maps"
	"path"
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"
)

// preset is what a plugin of gogo's sets where a file says nothing.
type preset struct {
	file map[string]bool
	// nativeValues makes singular scalar fields of proto2 without a default values instead of
	// pointers.
	nativeValues bool
	// descriptorToo applies the preset to google/protobuf/descriptor.proto as well.
	descriptorToo bool
	// customStrings calls the methods of custom types on strings too; gogo converts those.
	customStrings bool
	// methodsOnly leaves out what Kubernetes' generator removes after it has run gogo's.
	methodsOnly bool
	// unmarked leaves out the method ProtoMessage too, as Kubernetes does since 1.35.
	unmarked bool
}

func with(base map[string]bool, more map[string]bool) map[string]bool {
	out := maps.Clone(base)
	maps.Copy(out, more)
	return out
}

var (
	gofast   = map[string]bool{"marshaler_all": true, "sizer_all": true, "unmarshaler_all": true}
	gofaster = with(gofast, map[string]bool{
		"goproto_unrecognized_all": false, "goproto_unkeyed_all": false,
		"goproto_sizecache_all": false,
	})
	goslick = with(gofaster, map[string]bool{
		"goproto_enum_prefix_all": false, "goproto_enum_stringer_all": false,
		"enum_stringer_all": true,
		"equal_all":         true, "gostring_all": true, "goproto_stringer_all": false,
		"stringer_all": true,
	})
	kubernetes = map[string]bool{
		"marshaler_all": true, "stable_marshaler_all": true, "sizer_all": true,
		"unmarshaler_all": true,
		"stringer_all":    true, "goproto_stringer_all": false, "goproto_unrecognized_all": false,
		"goproto_enum_prefix_all": false, "goproto_getters_all": false,
		"goproto_unkeyed_all":   false,
		"goproto_sizecache_all": false,
	}
)

var presets = map[string]preset{
	"gogo": {},
	"gofast": {
		file:          with(gofast, map[string]bool{"gogoproto_import": false}),
		descriptorToo: true,
	},
	"gogofast":   {file: gofast},
	"gogofaster": {file: gofaster, nativeValues: true},
	"gogoslick":  {file: goslick, nativeValues: true},
	"gogoroach": {file: with(gofaster, map[string]bool{
		"stable_marshaler_all": true, "goproto_getters_all": false})},
	"gocosmos": {file: gofaster, nativeValues: true, customStrings: true},
	"k8s":      {file: kubernetes, methodsOnly: true, unmarked: true},
	"k8s-1.34": {file: kubernetes, methodsOnly: true},
}

// Presets returns the names of all presets, sorted. A preset is named as the plugin whose defaults
// it has.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// appliesTo tells whether the preset is for a file: gogo's plugins leave descriptor.proto as it is.
func (p preset) appliesTo(fd *descriptorpb.FileDescriptorProto) bool {
	return p.descriptorToo || fd.GetPackage() != "google.protobuf" ||
		path.Base(fd.GetName()) != "descriptor.proto"
}
