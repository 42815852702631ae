package service

import (
	"fmt"
	"slices"
	"strings"

	"ibid/backend/api"
	"ibid/backend/chunk"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/source"
)

// maxChunkRules is how many rules a source may have.
const maxChunkRules = 100

// dividing decides how documents are divided: by the last rule of their source
// that matches, else by the settings for their kind.
type dividing struct {
	settings config.Chunking
	sources  map[corpus.ID][]dividingRule
}

type dividingRule struct {
	glob    source.Glob
	written corpus.ChunkRule
}

// newDividing compiles the rules of sources. A rule whose glob is none matches
// nothing: it was refused when it was given.
func newDividing(settings config.Chunking, sources []corpus.Source) *dividing {
	d := &dividing{settings: settings, sources: map[corpus.ID][]dividingRule{}}
	for _, s := range sources {
		for _, r := range s.Chunking {
			if g, err := source.NewGlob(r.Glob, s.FoldCase); err == nil {
				d.sources[s.ID] = append(d.sources[s.ID], dividingRule{g, r})
			}
		}
	}
	return d
}

// rules implements ingest.Parts.Rules.
func (d *dividing) rules(source corpus.ID, path, mediaType string) chunk.Rules {
	r, _ := d.find(source, path, mediaType)
	return r
}

// find returns the rules for a document and where they stand, in words; "" if
// nobody set any.
func (d *dividing) find(source corpus.ID, path, mediaType string) (chunk.Rules, string) {
	list := d.sources[source]
	for _, r := range slices.Backward(list) {
		if r.glob.Match(path) {
			return chunkRules(r.written), "set for " + ruleScope(r.written)
		}
	}
	kind, set := settingsFor(d.settings, mediaType)
	r := chunk.Rules{Target: set.Target}
	if set.Strategy != config.StrategyAuto {
		r.Strategy = set.Strategy
	}
	if set.Overlap >= 0 {
		r.Overlap = &set.Overlap
	}
	if r == (chunk.Rules{}) {
		return r, ""
	}
	return r, "set by chunking." + kind
}

func ruleScope(r corpus.ChunkRule) string {
	if r.Glob == "" {
		return "the source"
	}
	return r.Glob
}

func chunkRules(r corpus.ChunkRule) chunk.Rules {
	out := chunk.Rules{Target: r.Size, Overlap: r.Overlap}
	if r.Strategy != chunk.Auto {
		out.Strategy = r.Strategy
	}
	return out
}

// settingsFor returns the kind of a media type, as the settings call it, and
// what they say.
func settingsFor(c config.Chunking, mediaType string) (string, config.Rule) {
	switch mediaType {
	case extract.TypeMarkdown:
		return "markdown", c.Markdown
	case extract.TypePlain:
		return "text", c.Text
	case extract.TypeHTML:
		return "web", c.Web
	case extract.TypeDOCX, extract.TypeODT, extract.TypeRTF, extract.TypePDF, extract.TypeEPUB, extract.TypeEML, extract.TypeMBOX:
		return "documents", c.Documents
	case extract.TypePPTX, extract.TypeODP:
		return "slides", c.Slides
	case extract.TypeXLSX, extract.TypeODS, "text/csv", "text/tab-separated-values":
		return "sheets", c.Sheets
	case "application/json", "application/yaml", "application/toml":
		return "code", c.Code
	}
	if strings.HasPrefix(mediaType, "text/x-") {
		return "code", c.Code
	}
	return "", config.Rule{Strategy: config.StrategyAuto, Overlap: -1}
}

// readChunkRules checks rules of a request: corpus.ErrInvalid names the one
// that is wrong. Globs are checked with the source's others.
func readChunkRules(list []api.ChunkRule) ([]corpus.ChunkRule, error) {
	if len(list) > maxChunkRules {
		return nil, invalid("%d chunking rules; use at most %d", len(list), maxChunkRules)
	}
	var out []corpus.ChunkRule
	for _, r := range list {
		rule := corpus.ChunkRule{Glob: r.Glob, Size: r.Size, Overlap: r.Overlap}
		if r.Strategy != chunk.Auto {
			rule.Strategy = r.Strategy
		}
		if err := chunkRules(rule).Validate(); err != nil {
			if r.Glob != "" {
				err = fmt.Errorf("rule for %q: %w", r.Glob, err)
			}
			return nil, err
		}
		out = append(out, rule)
	}
	return out, nil
}

func wireChunkRules(list []corpus.ChunkRule) []api.ChunkRule {
	out := []api.ChunkRule{}
	for _, r := range list {
		strategy := r.Strategy
		if strategy == "" {
			strategy = chunk.Auto
		}
		out = append(out, api.ChunkRule{Glob: r.Glob, Strategy: strategy, Size: r.Size, Overlap: r.Overlap})
	}
	return out
}
