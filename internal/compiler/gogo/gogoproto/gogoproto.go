// Package gogoproto has the text of gogo.proto. Nobody needs gogo's module to import it.
package gogoproto

import (
	"fmt"
	"path"
	"strings"
)

// Text returns the declarations of the options of gogo/protobuf 1.3.2 for an import path that ends
// as those of gogo.proto do. castrepeated is of the fork of Cosmos, which is known by its import
// path.
func Text(importPath string) (text string, ok bool) {
	if importPath != "gogo.proto" && !strings.HasSuffix("/"+importPath, "/gogoproto/gogo.proto") {
		return "", false
	}
	goPackage := "github.com/gogo/protobuf/gogoproto"
	groups := gogoNumbers
	if strings.Contains(importPath, "cosmos/gogoproto/") {
		goPackage = path.Dir(importPath)
		groups = append(groups[:len(groups):len(groups)],
			gogoGroup{"FieldOptions", "string", "castrepeated=65013"})
	}
	var b strings.Builder
	fmt.Fprintf(&b, `syntax = "proto2";
package gogoproto;
import "google/protobuf/descriptor.proto";
option go_package = %q;
`, goPackage)
	if importPath != gogoPath {
		// Files that name it differently can be compiled together: there is one declaration.
		fmt.Fprintf(&b, "import public %q;\n", gogoPath)
		groups = groups[len(gogoNumbers):]
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "extend google.protobuf.%s {\n", g.extendee)
		for option := range strings.FieldsSeq(g.options) {
			name, number, _ := strings.Cut(option, "=")
			fmt.Fprintf(&b, "  optional %s %s = %s;\n", g.kind, name, number)
		}
		b.WriteString("}\n")
	}
	return b.String(), true
}

// gogoPath is the import path that has the declarations.
const gogoPath = "gogoproto/gogo.proto"

// gogoGroup are options of one kind of declaration and of one type: name=number.
type gogoGroup struct{ extendee, kind, options string }

var gogoNumbers = []gogoGroup{
	{"EnumOptions", "bool", `goproto_enum_prefix=62001 goproto_enum_stringer=62021
		enum_stringer=62022 enumdecl=62024`},
	{"EnumOptions", "string", `enum_customname=62023`},
	{"EnumValueOptions", "string", `enumvalue_customname=66001`},
	{"FileOptions", "bool", `goproto_getters_all=63001 goproto_enum_prefix_all=63002
		goproto_stringer_all=63003 verbose_equal_all=63004 face_all=63005 gostring_all=63006
		populate_all=63007 stringer_all=63008 onlyone_all=63009 equal_all=63013
		description_all=63014 testgen_all=63015 benchgen_all=63016 marshaler_all=63017
		unmarshaler_all=63018 stable_marshaler_all=63019 sizer_all=63020
		goproto_enum_stringer_all=63021 enum_stringer_all=63022 unsafe_marshaler_all=63023
		unsafe_unmarshaler_all=63024 goproto_extensions_map_all=63025
		goproto_unrecognized_all=63026 gogoproto_import=63027 protosizer_all=63028
		compare_all=63029 typedecl_all=63030 enumdecl_all=63031 goproto_registration=63032
		messagename_all=63033 goproto_sizecache_all=63034 goproto_unkeyed_all=63035`},
	{"MessageOptions", "bool", `goproto_getters=64001 goproto_stringer=64003
		verbose_equal=64004 face=64005 gostring=64006 populate=64007 stringer=67008
		onlyone=64009 equal=64013 description=64014 testgen=64015 benchgen=64016
		marshaler=64017 unmarshaler=64018 stable_marshaler=64019 sizer=64020
		unsafe_marshaler=64023 unsafe_unmarshaler=64024 goproto_extensions_map=64025
		goproto_unrecognized=64026 protosizer=64028 compare=64029 typedecl=64030
		messagename=64033 goproto_sizecache=64034 goproto_unkeyed=64035`},
	{"FieldOptions", "bool", `nullable=65001 embed=65002 stdtime=65010 stdduration=65011
		wktpointer=65012`},
	{"FieldOptions", "string", `customtype=65003 customname=65004 jsontag=65005 moretags=65006
		casttype=65007 castkey=65008 castvalue=65009`},
}
