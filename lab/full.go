package main

import "errors"

func full(options) error { return errors.New("not yet") }
