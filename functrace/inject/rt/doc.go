// Package rt is the part of functrace that runs inside a traced program. Instrumented code calls
// it; people use package functrace, whose Trace, Chain, Start and Stop are these functions behind a
// build tag.
//
// # How an event travels
//
// A call of an instrumented function writes two words of 8 bytes, one when it is entered and one
// when it is left, into a chunk of 4 KiB that belongs to its goroutine alone:
//
//	Enter -> goroutine id -> G (found in a direct-mapped table, no lock) -> its chunk, a part of a mapped file
//
// The chunk is memory mapped from the recording's file, so an event is safe as soon as it is
// stored: a program that ends by os.Exit, log.Fatal, a fatal signal or the out-of-memory killer
// loses nothing, and no background goroutine, signal handler or exit hook is needed, which the
// traced program would notice. Locks are taken once a chunk and once a goroutine. Nothing is
// formatted while recording: a function is a small number, its name is written once.
//
// What is bounded: the file ([Options].MaxBytes), the depth of the calls ([MaxDepth]), the text of
// argument values ([MaxText]). What does not fit is dropped and counted in the file's header.
//
// The package depends on the standard library's lower half only (no fmt, no reflect but for
// argument values and for go statements that pass parameters), because `functrace run` compiles it
// into programs that do not require the octopus module: its files are overlaid into the program's
// own module.
package rt
