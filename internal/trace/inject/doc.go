// Package inject instruments Go source code for functrace, in two ways.
//
// [Build] makes an overlay for the go command: instrumented copies of the selected files, which are
// compiled in their place while the files on disk stay as they are. [Inject] and [Remove] change
// source code itself.
//
// Both insert text at byte positions that the parser reports; nothing is printed from a syntax
// tree. So comments, formatting and line numbers stay what they are, and removing what was inserted
// gives the original bytes.
package inject
