package frame

import "fmt"

// CodecError is a flag byte or a name that is no codec: a frame that comes from a newer version, or
// what is no frame at all.
type CodecError struct {
	Flag byte   // the flag byte of a frame
	Name string // what should have been the name of a codec, empty for frames
}

// Error implements error.
func (e *CodecError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("frame: %q is no codec: use none, s2, zstd, lz4, gzip or deflate",
			e.Name)
	}
	return fmt.Sprintf("frame: flag byte %#02x names no codec: this is no frame, "+
		"or one of a newer version", e.Flag)
}

// LimitError is a payload that is longer than the caller allows.
type LimitError struct {
	Limit int // the limit, in bytes
	Size  int // what the frame says, in bytes; 0 if that is not known
}

// Error implements error.
func (e *LimitError) Error() string {
	if e.Size == 0 {
		return fmt.Sprintf("frame: the payload is longer than the limit of %d bytes", e.Limit)
	}
	return fmt.Sprintf("frame: the payload has %d bytes, over the limit of %d", e.Size, e.Limit)
}

// CorruptError is a frame whose compressed bytes are not what its codec writes.
type CorruptError struct {
	Codec  Codec
	Reason string
	Err    error // the codec's error, nil if there is none
}

// Error implements error.
func (e *CorruptError) Error() string {
	text := fmt.Sprintf("frame: damaged (%v): %s", e.Codec, e.Reason)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the error of the codec.
func (e *CorruptError) Unwrap() error { return e.Err }
