//go:build purego

package dynamic

func view(b []byte) string { return string(b) }
