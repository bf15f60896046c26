// Package fit makes what consumers did fit into one message of a protocol.
package fit

import "github.com/octopus-framework/octopus/nerve"

// Progress returns pointers whose progress takes at most limit bytes together:
// list itself, or a copy in which the longest ones are left out. Those records
// come again after a restart.
func Progress(list []nerve.Pointer, limit int) []nerve.Pointer {
	total := 0
	for _, p := range list {
		total += p.Progress.Size()
	}
	if total <= limit {
		return list
	}
	list = append([]nerve.Pointer(nil), list...)
	for total > limit {
		longest := &list[0]
		for i := range list {
			if list[i].Progress.Size() > longest.Progress.Size() {
				longest = &list[i]
			}
		}
		total -= longest.Progress.Size()
		longest.Progress = nerve.Progress{}
	}
	return list
}
