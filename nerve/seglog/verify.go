package seglog

import (
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// Report is what Verify found.
type Report struct {
	Segments  int
	Batches   int
	Records   uint64
	Bytes     int64 // bytes of good batches
	Consumers int
	TornBytes int64 // an end that was never acknowledged; the next Open cuts it

	// Damage is everything that is not as it was written.
	Damage []*nerve.CorruptError
	// Lost are ranges that an earlier repair gave up.
	Lost []*nerve.LostError
	// Foreign are segment files of other logs or copies. They are ignored.
	Foreign []string
}

// VerifyOptions of Verify and Repair. The zero value is useful.
type VerifyOptions struct {
	// FS is the disk. Nil is the operating system's.
	FS vfs.FS
	// Progress is told how many of the bytes are read. May be nil.
	Progress func(done, total int64)
}

func newSurvey(dir string, o VerifyOptions) *survey {
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	return &survey{disk: o.FS, dir: dir, progress: o.Progress}
}

// Verify reads a whole log: every checksum and every link. It takes no lock and
// changes nothing; beside a running writer it may take the batch that is being
// written for a torn end. The error tells why it could not look, not what it
// found.
func Verify(dir string, o VerifyOptions) (Report, error) {
	v := newSurvey(dir, o)
	err := v.look()
	return v.report, err
}
