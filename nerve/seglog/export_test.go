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
