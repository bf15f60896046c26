package web

// compileFilter makes a filter of an expression over the fields of the records.
func (s *schema) compileFilter(string) (filter, error) {
	if s.typeOf() == nil {
		return nil, &badRequest{Message: "the records of this queue have no known type",
			Hint: "name it in nerve.yaml, or search for a text"}
	}
	return nil, &badRequest{Message: "this server has no engine for expressions",
		Hint: "search for a text"}
}
