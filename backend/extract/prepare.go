package extract

import "context"

// Preparer is an Extractor with something to do before its first document
// that may take longer than a document may.
type Preparer interface {
	Extractor
	// Prepare does it; again, it costs nothing.
	Prepare(ctx context.Context) error
}

// riskKey is the context's key of WithRisk.
type riskKey struct{}

// WithRisk lets extractors that get the context take risks (see Risk): accept
// is told before each.
func WithRisk(ctx context.Context, accept func()) context.Context {
	return context.WithValue(ctx, riskKey{}, accept)
}

// Risk asks whether an extractor may do something optional that could hang or
// end the process. It may not unless the process can be replaced, nor when an
// earlier attempt at this document ended in it.
func Risk(ctx context.Context) bool {
	accept, ok := ctx.Value(riskKey{}).(func())
	if ok {
		accept()
	}
	return ok
}
