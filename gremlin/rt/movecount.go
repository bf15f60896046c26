//go:build count

package rt

// move copies src to dst, which may overlap. The loop is for conformance/internal/steps, which
// counts statements: a copy is one, however long.
func move(dst, src []byte) {
	for i := range copy(dst, src) {
		_ = i
	}
}
