package seglog

// SetVersionForTest makes a mark slot one of another format version.
func SetVersionForTest(slot []byte, version uint32) {
	little.PutUint32(slot[8:], version)
	little.PutUint32(slot[12:], checksum(0, slot[16:]))
}

// Spares is how many segments are prepared.
func (l *Log) Spares() int {
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	return len(l.spares.ready)
}

// LeavesRoom tells whether a spare is worked on after so many appends.
func LeavesRoom(appends, bytes uint64, needed bool) bool {
	return progress{appends, bytes}.leavesRoom(progress{}, needed)
}

// SetDirect makes choose decide, under the write lock, which batches bypass the
// cache, in memory of so many bytes.
func (o *Options) SetDirect(memory int64, choose func() bool) {
	o.TailMemory, o.chooseDirect = memory, choose
}

// SetFirstSegment makes the first segment of a log that large.
func (o *Options) SetFirstSegment(size int64) { o.firstSegment = size }

// Decided reports whether SetDirect was called.
func (o *Options) Decided() bool { return o.chooseDirect != nil }

// FreeIdleTail is what happens every ten seconds.
func (l *Log) FreeIdleTail() { l.freeIdleTail() }

// HoldTailMemory takes memory as other logs of the process would.
func HoldTailMemory(n int64) (release func()) {
	ringBytes.Add(n)
	return func() { ringBytes.Add(-n) }
}

// TailMemoryOfAll is what the logs of the process have.
func TailMemoryOfAll() int64 { return ringBytes.Load() }
