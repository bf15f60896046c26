//go:build gc && !purego

package rt

// minBlocks is how long text must be for plainBlocks; up to there, words are as fast.
const minBlocks = 32

// hasBlocks tells whether plainBlocks does something. It and putText need SSE2, which is part of
// amd64.
const hasBlocks = true

// putText writes name, which is nothing or at least four bytes, and v in quotes behind b, where
// there is room for both. It fails if v is not ASCII without anything to escape; name has been
// written then.
//
//go:noescape
func putText(b []byte, name, v string) (ok bool)

// plainBlocks returns how many plain characters s, which has minBlocks bytes at least, starts with,
// and whether one of them is above 0x7f. It stops where fewer than 16 bytes are left.
//
//go:noescape
func plainBlocks(s string) (n int, wide bool)
