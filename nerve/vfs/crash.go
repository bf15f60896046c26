package vfs

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Crash returns the disk as a power cut would leave it now: random as to what
// is not synced, the same for the same state and random source. Directory
// changes of one directory are lost from some point on, as in a journal; file
// content is lost by sectors, in any combination, or, of direct writes, by whole
// blocks, as a disk with large sectors does. m itself is unchanged.
func (m *Mem) Crash(rng *rand.Rand) *Mem { return m.crash(rng, false) }

// CrashShorn is Crash on a disk that does worse than a program may expect: a
// block of DirectBlock bytes that was being written when the power went holds
// neither the old nor the new bytes.
func (m *Mem) CrashShorn(rng *rand.Rand) *Mem { return m.crash(rng, true) }

func (m *Mem) crash(rng *rand.Rand, shorn bool) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	after := &Mem{capacity: m.capacity, durable: maps.Clone(m.durable)}
	if after.durable == nil {
		after.durable = make(map[string]*inode)
	}
	survive := make(map[string]int) // changes left, by directory
	for _, c := range m.journal {
		survive[c.dir]++
	}
	for _, dir := range slices.Sorted(maps.Keys(survive)) {
		survive[dir] = rng.IntN(survive[dir] + 1)
	}
	for _, c := range m.journal {
		if survive[c.dir] > 0 {
			survive[c.dir]--
			c.applyTo(after.durable)
		}
	}
	after.names = make(map[string]*inode, len(after.durable))
	found := make(map[*inode]*inode) // a file may have two names
	for _, name := range slices.Sorted(maps.Keys(after.durable)) {
		node := after.durable[name]
		if found[node] == nil {
			found[node] = node.crash(rng, shorn)
		}
		after.durable[name], after.names[name] = found[node], found[node]
	}
	return after
}

// crash returns the file as it is found afterwards. How much of the pending
// work survives is drawn once per file, so that all, nothing and mixtures of
// it are common.
func (n *inode) crash(rng *rand.Rand, shorn bool) *inode {
	data := slices.Clone(n.durable)
	keep := rng.Float64()*1.5 - 0.25
	large := rng.IntN(2) == 0
	for _, w := range n.pending {
		if w.data == nil {
			if rng.Float64() < keep {
				data = w.applyTo(data)
			}
			continue
		}
		unit := int64(SectorSize)
		if w.direct && (large || shorn) {
			unit = DirectBlock
		}
		for from := int64(0); from < int64(len(w.data)); {
			// Up to the next sector boundary of the file, not of the write.
			to := min(int64(len(w.data)), from+unit-(w.off+from)%unit)
			piece := write{off: w.off + from, data: w.data[from:to]}
			if shorn && w.direct && rng.IntN(4) == 0 {
				piece.data = noise(rng, len(piece.data))
			}
			if rng.Float64() < keep {
				data = piece.applyTo(data)
			}
			from = to
		}
	}
	return &inode{data: data, durable: slices.Clone(data)}
}

func noise(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// Kill returns the disk as the death of the process alone leaves it: nothing
// is lost, nothing becomes durable by it, and the locks are gone.
func (m *Mem) Kill() *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	after := &Mem{capacity: m.capacity, journal: slices.Clone(m.journal)}
	nodes := make(map[*inode]*inode)
	clone := func(names map[string]*inode) map[string]*inode {
		out := make(map[string]*inode, len(names))
		for name, node := range names {
			out[name] = node.clone(nodes)
		}
		return out
	}
	after.names, after.durable = clone(m.names), clone(m.durable)
	for i, c := range after.journal {
		if c.node != nil {
			after.journal[i].node = c.node.clone(nodes)
		}
	}
	return after
}

func (n *inode) clone(seen map[*inode]*inode) *inode {
	if seen[n] == nil {
		seen[n] = &inode{data: slices.Clone(n.data), durable: slices.Clone(n.durable),
			pending: slices.Clone(n.pending)}
	}
	return seen[n]
}
