// Command off is compiled by a test, which looks at the instructions.
package main

import "github.com/octopus-framework/octopus/functrace"

func plain(x int) int { return x*3 + 1 }

func injected(x int) int {
	if functrace.Enabled {
		defer functrace.Trace()()
	}
	return x*3 + 1
}

func main() { println(plain(1), injected(2)) }
