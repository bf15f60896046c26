package link

// findLost finds the files in which names may be unknown because something is missing that may
// declare them: a file that is not there, or the rest of one that is broken. A file comes behind
// what it imports.
func findLost(files []*File) {
	for _, f := range files {
		f.lacking, f.blind = f.broken, f.broken
		for _, imp := range f.Imports {
			if imp.File == nil || imp.File.lacking {
				f.blind = true
				f.lacking = f.lacking || imp.Public
			}
		}
	}
}

// Blind tells whether names in the file may be unknown because what declares them could not be
// read: such names are no errors. [File.Hold] counts them.
func (f *File) Blind() bool { return f.blind }

// Hold counts an error that is not told since the file is blind.
func (f *File) Hold() { f.held++ }

// Held is the number of errors of the file that are not told.
func (f *File) Held() int { return f.held }
