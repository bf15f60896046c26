// Package rt is for generated code alone: it checks the rules of buf.validate. Package validate has
// the few names that people use; the compiler has decided everything else: which rules a field has,
// what they are called and what a violation says.
package rt
