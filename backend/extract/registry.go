package extract

import (
	"context"
	"fmt"
	"strings"

	"ibid/backend/corpus"
)

// Route sends types of documents to an extractor.
type Route struct {
	// Types are media types ("text/markdown"), families of them ("text/x-*")
	// or extensions (".md"). An extension is stronger than a type, a type is
	// stronger than a family, and a later route than an earlier one.
	Types []string
	// Version changes whenever the extractor's results may change, e.g.
	// "markdown/1". It becomes part of the recipe of the routed documents only.
	Version   string
	Extractor Extractor
}

// Builtin are the routes for texts and Markdown.
func Builtin() []Route {
	md := newMarkdown()
	return []Route{
		{Version: "text/1", Extractor: plain{}, Types: []string{
			TypePlain, "text/x-*", "text/csv", "text/tab-separated-values",
			"application/json", "application/yaml", "application/toml", typeXML,
		}},
		{Version: "markdown/1", Extractor: md, Types: []string{TypeMarkdown}},
	}
}

// Registry extracts whatever its routes know. It is immutable and may be used
// by several goroutines at once.
type Registry struct {
	routes map[string]*Route
}

// NewRegistry returns a registry of the given routes.
func NewRegistry(routes ...Route) *Registry {
	r := &Registry{routes: map[string]*Route{}}
	for i := range routes {
		for _, t := range routes[i].Types {
			r.routes[t] = &routes[i]
		}
	}
	return r
}

// NoExtractor is the version of types that nothing reads.
const NoExtractor = "none"

// Version names the extractor of documents with this name and media type, for
// corpus.Document.Recipe. It is NoExtractor where there is none, so that a
// document that failed for that reason is read again by a program that has one.
func (r *Registry) Version(name, mediaType string) string {
	if route := r.route(name, mediaType); route != nil {
		return route.Version
	}
	return NoExtractor
}

// Extractor returns what reads documents with this name and media type, nil if
// there is none. Its errors and results are unchecked.
func (r *Registry) Extractor(name, mediaType string) Extractor {
	if route := r.route(name, mediaType); route != nil {
		return route.Extractor
	}
	return nil
}

// Extract is the one way into the extractors: it sniffs the type if in.Type is
// empty, routes, turns a panic into an error and validates the result. A type
// without extractor is corpus.ErrUnsupported, named in words.
func (r *Registry) Extract(ctx context.Context, in Input) (doc *corpus.Extraction, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Type == "" {
		in.Type = Sniff(in.Name, in.Data)
	}
	route := r.route(in.Name, in.Type)
	if route == nil {
		return nil, fmt.Errorf("%s: %w by this build", TypeName(in.Type), corpus.ErrUnsupported)
	}
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("extract %s: extractor %s panicked: %v", TypeName(in.Type), route.Version, p)
		}
	}()
	doc, err = route.Extractor.Extract(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("extract %s: %w", TypeName(in.Type), err)
	}
	if err := Validate(doc); err != nil {
		return nil, fmt.Errorf("extract %s: extractor %s broke its contract: %w", TypeName(in.Type), route.Version, err)
	}
	return doc, nil
}

func (r *Registry) route(name, mediaType string) *Route {
	family, _, _ := strings.Cut(mediaType, "-")
	for _, key := range []string{extension(name), mediaType, family + "-*"} {
		if route := r.routes[key]; route != nil {
			return route
		}
	}
	return nil
}
