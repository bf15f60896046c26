package gogo

import (
	"errors"
	"strconv"
)

// HookError says in which message a method of the user's went wrong, and where that message lies.
type HookError struct {
	Message, Method string // full name of the message, name of the method
	// path from the outermost message to this one, "items[3].price"; empty for the outermost
	Path string
	Err  error
}

// Error returns the text.
func (e *HookError) Error() string {
	where := ""
	if e.Path != "" {
		where = " at " + e.Path
	}
	return e.Message + where + ": " + e.Method + ": " + e.Err.Error()
}

// Unwrap returns the error of the method.
func (e *HookError) Unwrap() error { return e.Err }

// NewHookError returns the error for a method; one that comes from a hook further inside, through a
// method that calls Unmarshal itself, is returned as it is.
func NewHookError(message, method string, err error) error {
	var inner *HookError
	if errors.As(err, &inner) {
		return err
	}
	return &HookError{Message: message, Method: method, Err: err}
}

// InField puts a step before the path of a HookError, as InList and InEntry do. Others are returned
// as they are: callers compare them.
func InField(err error, field string) error {
	hook, ok := err.(*HookError)
	if !ok {
		return err
	}
	out := *hook
	if out.Path = field; hook.Path != "" {
		out.Path += "." + hook.Path
	}
	return &out
}

// InList is InField for an element of a list.
func InList(err error, field string, index int) error {
	return InField(err, field+"["+strconv.Itoa(index)+"]")
}

// InEntry is InField for a value of a map, with its key as a literal.
func InEntry(err error, field, key string) error { return InField(err, field+"["+key+"]") }
