//go:build gc && !purego

package json

// minBlocks is how long text must be for the functions of this file; up to there, words are as fast.
const minBlocks = 32

// hasBlocks tells whether plainBlocks does something. It and copyPlain need SSE2, which is part of amd64.
const hasBlocks = true

// copyPlain copies v, which has minBlocks bytes at least, to b from n on, where there is room. It fails if v is not ASCII without
// anything to escape, and may then have copied some of it.
func copyPlain(b []byte, n int, v string) bool {
	return copyBlocks((*byte)(at(b, n)), (*byte)(atText(v, 0)), len(v))
}

// plainBlocks returns how many plain characters s, which has minBlocks bytes at least, starts with, and whether one of them is above
// 0x7f. It stops where fewer than 16 bytes are left.
func plainBlocks(s string) (n int, wide bool) { return countBlocks((*byte)(atText(s, 0)), len(s)) }

//go:noescape
func copyBlocks(dst, src *byte, n int) (ok bool)

//go:noescape
func countBlocks(p *byte, n int) (run int, wide bool)
