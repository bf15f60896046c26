package rt

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

// The id of a goroutine is read from the runtime's own record of it, a few instructions instead of
// the microseconds that runtime.Stack takes. Where in the record it stands differs between Go
// releases. Instead of a table with an entry for each release, which a new release breaks, the
// place is found at the start: a few goroutines compare each word of their record with what
// runtime.Stack says, and the one place where all agree is it. If there is no such place, or more
// than one, ids come from runtime.Stack: slow and right.

// scanWords is how much of the runtime's record is searched, in words. The record is over 400 bytes
// long in every supported release.
const scanWords = 40

// witnesses is the number of goroutines, under each of two parents, that must agree.
const witnesses = 6

var offsets struct {
	once   sync.Once
	id     uintptr // 0: not found
	parent uintptr // 0: not found
}

// goid returns the id of the calling goroutine. findOffsets must have run.
func goid() uint64 {
	if offsets.id != 0 {
		return gword(offsets.id)
	}
	id, _ := stackID()
	return id
}

// parentID returns the id of the goroutine whose go statement started the calling one, 0 if
// unknown.
func parentID() uint64 {
	if offsets.parent != 0 {
		return gword(offsets.parent)
	}
	return 0
}

// findOffsets measures where ids stand; it works once.
func findOffsets() {
	offsets.once.Do(func() {
		if !haveAssembly {
			return
		}
		id, parent := newCandidates(), newCandidates()
		for range 2 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				own, _ := stackID()
				id.keep(own)
				for range witnesses {
					child := make(chan struct{})
					go func() {
						defer close(child)
						mine, _ := stackID()
						id.keep(mine)
						parent.keep(own)
					}()
					<-child
				}
			}()
			<-done
		}
		offsets.id, offsets.parent = id.only(), parent.only()
	})
}

// candidates are the places that may still be the one searched for. Used by one goroutine at a
// time.
type candidates [scanWords]bool

func newCandidates() *candidates {
	c := new(candidates)
	for i := range c {
		c[i] = i > 0 // the record starts with the bounds of the stack
	}
	return c
}

// keep drops the places of the calling goroutine's record that do not hold want.
func (c *candidates) keep(want uint64) {
	for i := range c {
		c[i] = c[i] && want != 0 && gword(uintptr(i)*8) == want
	}
}

func (c *candidates) only() (offset uintptr) {
	for i, ok := range c {
		if ok && offset != 0 {
			return 0
		}
		if ok {
			offset = uintptr(i) * 8
		}
	}
	return offset
}

// stackID reads the id from the first line of the calling goroutine's stack dump: "goroutine 7
// [running]:".
func stackID() (id uint64, ok bool) {
	var buf [64]byte
	b, found := bytes.CutPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(b, []byte(" "))
	id, err := strconv.ParseUint(string(digits), 10, 64)
	return id, found && err == nil
}
