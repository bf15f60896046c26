package compiler_test

import (
	"context"
	"fmt"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
)

// Files need not be on a disk: source.FromFS takes any fs.FS, and Put single texts.
func ExampleCompile() {
	src := source.FromFS(nil)
	src.Put("shop/user.proto", `syntax = "proto3"; package shop; message User { string name = 1; }`)
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: src, Files: []string{"shop/user.proto"}})
	for _, d := range res.Diagnostics {
		fmt.Println(d)
	}
	user := res.Descriptors.File[0].MessageType[0]
	fmt.Println(user.GetName(), user.Field[0].GetJsonName(), user.Field[0].GetType())
	// Output: User name TYPE_STRING
}

// A session compiles again only what has changed, and what depends on it.
func ExampleSession() {
	src := source.FromFS(nil)
	src.Put("a.proto", `syntax = "proto3"; message A { B b = 1; }`)
	session := compiler.NewSession(src)
	compile := func() {
		res := session.Compile(context.Background(), compiler.Options{Files: []string{"a.proto"}})
		for _, d := range res.Diagnostics {
			fmt.Println(d)
		}
		if res.Schema != nil {
			fmt.Println(len(res.Schema.Files[0].Messages), "messages")
		}
	}
	compile()
	src.Put("a.proto", `syntax = "proto3"; message A { B b = 1; } message B {}`)
	compile()
	// Output:
	// a.proto:1:32: type "B" is not defined
	// 2 messages
}
