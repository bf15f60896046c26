package gogoshape

// services prints the gRPC stubs of a file.
func (p *printer) services() {}
