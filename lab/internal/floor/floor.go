// Package floor has the loops of what no implementation can beat on the same bytes: copying them, and reading each once.
package floor

import (
	"hash/crc32"

	"github.com/octopus-framework/octopus/lab/worker"
)

// Name is that of the implementation.
const Name = "floor"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the sum that readall gives for a message, and the checksum of the values of all.
func Checksum(b []byte) uint64 { return uint64(crc32.Checksum(b, castagnoli)) }

// Impl returns the floor under each of the types: append copies, marshal allocates and copies, readall computes a CRC-32C.
func Impl(types []string) worker.Impl {
	ops := map[string]worker.Op{
		worker.Append: func(in worker.Input) worker.Loop {
			var kept []byte
			return each(in, func(b []byte, p *worker.Probe) uint64 {
				kept = append(kept[:0], b...)
				if p != nil {
					p.Bytes(kept)
				}
				return uint64(len(kept))
			})
		},
		worker.Marshal: func(in worker.Input) worker.Loop {
			kept := new([]byte) // on the heap, so that what is put there is too
			return each(in, func(b []byte, p *worker.Probe) uint64 {
				out := make([]byte, len(b))
				copy(out, b)
				if p != nil {
					p.Bytes(out)
				}
				*kept = out
				return uint64(len(out))
			})
		},
		worker.ReadAll: func(in worker.Input) worker.Loop {
			return each(in, func(b []byte, _ *worker.Probe) uint64 { return Checksum(b) })
		},
	}
	i := worker.Impl{Name: Name, Types: map[string]map[string]worker.Op{}}
	for _, t := range types {
		i.Types[t] = ops
	}
	return i
}

func each(in worker.Input, do func(b []byte, p *worker.Probe) uint64) worker.Loop {
	return func(n int, p *worker.Probe) (sum uint64) {
		for k := 0; n > 0; n-- {
			sum += do(in.Data[k], p)
			if k++; k == len(in.Data) {
				k = 0
			}
		}
		return sum
	}
}
