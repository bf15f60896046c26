//go:build !unix

package serve

func descriptorLimit() (n int, ok bool) { return 0, false }
