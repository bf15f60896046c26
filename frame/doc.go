// Package frame puts a payload, such as an encoded message, into a frame: one flag byte and the
// payload, compressed where that makes it smaller. It is for transports that know where a message
// ends and do not compress by themselves: WebSockets, records of a queue, datagrams, bodies of
// HTTP.
//
//	sent := frame.Append(nil, payload, frame.Options{Codec: frame.S2})
//	payload, err := frame.Decode(nil, sent, 16<<20)
//
// # The format
//
// The flag byte is the number of a [Codec]; its upper four bits are zero. Behind it lies
//
//	0 None     the payload as it is
//	1 S2       one S2 block; blocks of Snappy are read, too
//	2 Zstd     one Zstandard frame
//	3 LZ4      the payload's length as four little-endian bytes, and one LZ4 block
//	4 Gzip     one gzip member (RFC 1952)
//	5 Deflate  one zlib stream (RFC 1950), which HTTP and browsers call "deflate"
//
// A frame has no checksum of its own beyond those of gzip and zlib: transports have one.
//
// A browser reads None, Gzip and Deflate by itself: [JavaScript] is a module that does it.
//
// Whether compressing pays is answered by measurements in docs/frames.md.
package frame
