package syntax

// slab hands out nodes of one type from blocks, which saves most of the allocations of a large
// file. The nodes of a file live and die together.
type slab[T any] struct {
	free []T
	size int
}

// maxBlock is how many nodes a block has at most.
const maxBlock = 256

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.size = min(max(2*s.size, 4), maxBlock)
		s.free = make([]T, s.size)
	}
	n := &s.free[0]
	s.free = s.free[1:]
	return n
}

// list copies what was collected at the end of a stack, so that it takes no more memory than it
// needs.
func list[T any](collected []T) []T {
	if len(collected) == 0 {
		return nil
	}
	return append(make([]T, 0, len(collected)), collected...)
}
