// Package report holds the compiler's diagnostics: values first, text or JSON last.
//
// A diagnostic says what is wrong, where, and what to do about it. Whoever finds a problem appends
// a [Diagnostic] to a list and goes on, so that one run tells everything that it can; nothing here
// prints or exits.
//
// # How a diagnostic is written
//
//   - Message states what is wrong, in one sentence, from the user's side: `field number 3 is used
//     twice`, not `duplicate key in map`. Lower case, no full stop, no exclamation, no "please", no
//     "invalid input".
//   - Names and values that come from the user stand in double quotes: `type "Usr" is not defined`.
//   - The position is the smallest piece of source that has to change, not the declaration around
//     it.
//   - Hint says the fix and nothing else, as an order: `did you mean "User"?`, `add -I proto`. No
//     fix known, no hint; a wrong hint is worse than none.
//   - Notes point at other places that one must see to understand the message: the first of two
//     definitions, each step of an import cycle. A note with a position and no message merely shows
//     the place.
//   - Error means that there is no output. Warning means that there is, and that it may not be what
//     was wanted.
//   - One mistake gives one diagnostic; what follows from it is left out where that can be known.
package report
