// Package gremlincel checks the rules of buf.validate (protovalidate) that are written in CEL, and
// the standard ones with them:
//
//	schema, err := dynamic.Load(descriptors) // of gremlin descriptors --include-imports
//	v, err := gremlincel.New(schema, gremlincel.Options{})
//	err = v.Compile() // is each expression right?
//
//	err = v.ValidateMessage(&deposit)              // a generated Message or Reader
//	err = v.Validate("shop.v1.Deposit", encoded) // an encoding
//
// What is wrong with a message is a *validate.Error, as of generated methods named Validate. All of
// protovalidate's functions are there: isEmail, isHostname, isHostAndPort, isIp, isIpPrefix, isUri,
// isUriRef, isNan, isInf, unique, getField, and contains, startsWith and endsWith of bytes; and the
// strings extension of CEL with format.
//
// Who sends a message cannot make expressions run for long: see Options.Cost.
package gremlincel
