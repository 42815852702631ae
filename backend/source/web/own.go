package web

import (
	"context"
	"slices"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/source"
)

// own returns the addresses that are documents of this source, each once.
// What is no address is an entry that says so.
func (l *look) own(ctx context.Context, written []string) ([]string, error) {
	globs, err := source.NewGlobs(l.source)
	if err != nil {
		return nil, err
	}
	claimed, err := l.claims(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []string
	for _, address := range written {
		normal, err := Normalize(address)
		if err != nil {
			normal = printable(address)
		}
		if seen[normal] {
			continue
		}
		seen[normal] = true
		switch {
		case err != nil:
			l.scan.Entries = append(l.scan.Entries, plan.Entry{Path: normal, Problem: plan.ProblemFailed, Detail: words(err)})
		case globs.Wanted(below(normal)) && !claimed(normal):
			out = append(out, normal)
		}
	}
	return out, nil
}

// printable is what can be shown of something that is no address. Credentials
// are among the reasons for which it is none.
func printable(s string) string {
	if _, rest, ok := strings.Cut(s, "@"); ok {
		s = "…@" + rest
	}
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s[:min(len(s), 200)]), "")
}

// claims tells which pages are documents of sources that were added before:
// the source whose root is the page, or that has it in the ledger. Of two new
// sources that name the same pages, the later one loses them at its next look.
func (l *look) claims(ctx context.Context) (func(string) bool, error) {
	all, err := l.Library.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var earlier []map[string]corpus.Fingerprint
	for _, other := range all {
		if other.Kind != corpus.SourceURL || other.ID == l.source.ID || !source.Before(other, l.source) {
			continue
		}
		known, err := l.Library.Fingerprints(ctx, other.ID)
		if err != nil {
			return nil, err
		}
		if shape(other.Mark) == shapePage || other.Mark == "" {
			known[other.Root] = corpus.Fingerprint{}
		}
		earlier = append(earlier, known)
	}
	return func(address string) bool {
		return slices.ContainsFunc(earlier, func(known map[string]corpus.Fingerprint) bool {
			_, is := known[address]
			return is
		})
	}, nil
}
