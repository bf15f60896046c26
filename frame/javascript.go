package frame

import _ "embed"

// JavaScript is a module for browsers with two functions: decodeFrame(bytes, limit), which reads
// frames of None, Gzip and Deflate by the browser's own DecompressionStream, and
// encodeFrame(bytes, codec, threshold). Both return promises of a Uint8Array. Serve it as
// text/javascript.
//
//go:embed frame.js
var JavaScript string
