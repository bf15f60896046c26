package core

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// Public returns err as clients may see it: without the path of the root, whatever
// wraps what. An error of package nerve in it is found as before.
func (r *Queues) Public(err error) error {
	if err == nil {
		return nil
	}
	if own := r.copied(err); own != nil {
		return own
	}
	switch e := err.(type) { //nolint:errorlint // these name paths that the one outside names, too
	case *fs.PathError:
		return r.Public(e.Err)
	case *os.LinkError:
		return r.Public(e.Err)
	}
	text := r.strip(err.Error())
	inside := wire.Typed(err)
	if inside == nil && text == err.Error() {
		return err
	}
	return &publicError{text: text, inside: r.Public(inside), is: err}
}

// strip takes the path of the root out of a text.
func (r *Queues) strip(text string) string {
	if r.dir == string(filepath.Separator) {
		return text
	}
	text = strings.ReplaceAll(text, r.dir+string(filepath.Separator), "")
	return strings.ReplaceAll(text, r.dir, ".")
}

var errorType = reflect.TypeFor[error]()

// copied returns a copy of an error of package nerve whose texts and causes are
// stripped, nil if err is none.
func (r *Queues) copied(err error) error {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Struct ||
		v.Type().Elem().PkgPath() != reflect.TypeFor[nerve.IOError]().PkgPath() {
		return nil
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	for i := range c.Elem().NumField() {
		switch f := c.Elem().Field(i); {
		case !f.CanSet():
		case f.Kind() == reflect.String:
			f.SetString(r.strip(f.String()))
		case f.Type() == errorType && !f.IsNil():
			f.Set(reflect.ValueOf(r.Public(f.Interface().(error))))
		}
	}
	return c.Interface().(error)
}

// publicError is an error around one of package nerve, or around none.
type publicError struct {
	text   string
	inside error // what clients may see of it
	is     error // the error itself, which is only compared
}

// Error implements error.
func (e *publicError) Error() string { return e.text }

// Unwrap returns the error of package nerve.
func (e *publicError) Unwrap() error { return e.inside }

// Is compares with all that the error wraps, such as syscall.ENOSPC.
func (e *publicError) Is(target error) bool { return errors.Is(e.is, target) }
