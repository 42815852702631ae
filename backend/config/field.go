package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ibid/backend/corpus"
)

// field describes one setting: everything that is said about a key is said here.
type field struct {
	key     string
	help    string
	choices []string // of a text
	low     float64  // of a number
	high    float64
	reindex bool                    // a change shows up in the next plan
	env     string                  // name of its variable, if not derived from the key
	url     bool                    // a database's URL; its password is never shown
	check   func(text string) error // of a text that is none of choices
	at      func(*Settings) any
}

// fields returns all settings in the order of their listing.
func fields() []field {
	all := []field{
		{
			key: "embeddings", help: "model that turns passages into vectors; none: keyword search only", choices: ModelNames(), reindex: true,
			at: func(s *Settings) any { return &s.Embeddings },
		},
		{
			key: "vectors", help: "follow: text is searchable at once and vectors follow; required: a document is swapped only with all its vectors",
			choices: []string{VectorsFollow, VectorsRequired}, at: func(s *Settings) any { return &s.Vectors },
		},
		{
			key: "prices", help: "what embedding a million tokens costs, as MODEL=AMOUNT CURRENCY; several with ; between them",
			check: func(text string) error { _, err := ParsePrices(text); return err }, at: func(s *Settings) any { return &s.Prices },
		},
		{key: "threads", help: "threads for embedding; 0: one a core", low: 0, high: 256, at: func(s *Settings) any { return &s.Threads }},
		{
			key: "ocr", help: "auto: tesseract, where it is installed, reads pages that have no text; holds from the next start on",
			choices: []string{OCROff, OCRAuto}, reindex: true, at: func(s *Settings) any { return &s.OCR },
		},
		{
			key: "database", help: "postgres://… of the library; empty: a file in the library's folder", env: "IBID_DATABASE_URL", url: true,
			at: func(s *Settings) any { return &s.Database },
		},
		{key: "search.k", help: "hits of a search", low: 1, high: 100, at: func(s *Settings) any { return &s.Search.K }},
		{key: "search.mode", help: "how a search ranks", choices: []string{"hybrid", "keyword", "vector"}, at: func(s *Settings) any { return &s.Search.Mode }},
		{key: "search.fusion", help: "how hybrid search joins its legs", choices: []string{"convex", "rrf"}, at: func(s *Settings) any { return &s.Search.Fusion }},
		{key: "search.weight", help: "weight of the vector leg in hybrid search", low: 0, high: 1, at: func(s *Settings) any { return &s.Search.Weight }},
	}
	all = append(all,
		field{
			key: "limits.removed", help: "share of a source's documents that the policy limits removes without asking", low: 0, high: 1,
			at: func(s *Settings) any { return &s.Limits.Removed },
		},
		field{
			key: "limits.tokens", help: "tokens that the policy limits embeds without asking", low: 0, high: 1e9,
			at: func(s *Settings) any { return &s.Limits.Tokens },
		},
	)
	rules := []struct {
		kind string
		what string
		at   func(*Settings) *Rule
	}{
		{"markdown", "Markdown documents are", func(s *Settings) *Rule { return &s.Chunking.Markdown }},
		{"text", "plain texts are", func(s *Settings) *Rule { return &s.Chunking.Text }},
		{"web", "web pages are", func(s *Settings) *Rule { return &s.Chunking.Web }},
		{"documents", "Word, OpenDocument, RTF and PDF documents, books and mail are", func(s *Settings) *Rule { return &s.Chunking.Documents }},
		{"slides", "presentations are", func(s *Settings) *Rule { return &s.Chunking.Slides }},
		{"sheets", "spreadsheets, CSV and TSV are", func(s *Settings) *Rule { return &s.Chunking.Sheets }},
		{"code", "source code, JSON, YAML and TOML are", func(s *Settings) *Rule { return &s.Chunking.Code }},
	}
	for _, r := range rules {
		key := "chunking." + r.kind
		all = append(all,
			field{
				key: key + ".strategy", help: "how " + r.what + " divided into passages; auto: the document decides", choices: strategies(), reindex: true,
				at: func(s *Settings) any { return &r.at(s).Strategy },
			},
			field{
				key: key + ".target", help: "wanted size of a passage in tokens; 0: the strategy's own", low: 0, high: 8192, reindex: true,
				at: func(s *Settings) any { return &r.at(s).Target },
			},
			field{
				key: key + ".overlap", help: "tokens repeated from the passage before; -1: the strategy's own", low: -1, high: 4096, reindex: true,
				at: func(s *Settings) any { return &r.at(s).Overlap },
			},
		)
	}
	return all
}

// strategies are the choices of how documents are divided: package chunk's, and
// auto.
func strategies() []string {
	return []string{
		StrategyAuto, "markdown", "contract", "sentence", "qa", "code", "slides", "rows",
		"catalogue", "fixed", "recursive", "token", "character",
	}
}

// find returns the field of key, or an error that names what comes closest.
func find(key string) (field, error) {
	all := fields()
	i := slices.IndexFunc(all, func(f field) bool { return f.key == key })
	if i < 0 {
		var keys []string
		for _, f := range all {
			if group, _, grouped := strings.Cut(f.key, "."); grouped && !strings.HasPrefix(key, group) {
				f.key = group + ".…"
			}
			if !slices.Contains(keys, f.key) {
				keys = append(keys, f.key)
			}
		}
		return field{}, fmt.Errorf("%w: no setting %q; there are %s", corpus.ErrInvalid, key, strings.Join(keys, ", "))
	}
	return all[i], nil
}

// variable is the name of the field's environment variable.
func (f field) variable() string {
	if f.env != "" {
		return f.env
	}
	return "IBID_" + strings.ToUpper(strings.ReplaceAll(f.key, ".", "_"))
}

// put checks v (string, int64 or float64) and stores it.
func (f field) put(s *Settings, v any) error {
	ok := false
	switch p := f.at(s).(type) {
	case *string:
		var x string
		if x, ok = v.(string); ok {
			if ok = f.allows(x); ok {
				*p = x
			}
		}
	case *int:
		var x int64
		if x, ok = v.(int64); ok {
			if ok = float64(x) >= f.low && float64(x) <= f.high; ok {
				*p = int(x)
			}
		}
	case *float64:
		x, isFloat := v.(float64)
		if n, isInt := v.(int64); isInt {
			x, isFloat = float64(n), true
		}
		if ok = isFloat && x >= f.low && x <= f.high; ok { // false for NaN
			*p = x
		}
	}
	if text, is := v.(string); is && f.check != nil && !ok {
		return fmt.Errorf("%s: %w", f.key, f.check(text))
	}
	if !ok {
		shown := fmt.Sprintf("%#v", v)
		if f.url {
			shown = "…"
		}
		return fmt.Errorf("%w: %s = %s: use %s", corpus.ErrInvalid, f.key, shown, f.expected())
	}
	return nil
}

func (f field) allows(text string) bool {
	switch {
	case f.url && text != "":
		u, err := url.Parse(text)
		return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql")
	case f.check != nil:
		return f.check(text) == nil
	case len(f.choices) > 0:
		return slices.Contains(f.choices, text)
	}
	return true
}

// expected says what the field takes.
func (f field) expected() string {
	switch f.at(&Settings{}).(type) {
	case *int:
		return fmt.Sprintf("a whole number from %g to %g", f.low, f.high)
	case *float64:
		return fmt.Sprintf("a number from %g to %g", f.low, f.high)
	}
	if f.url {
		return "postgres://user@host/database or nothing"
	}
	if f.check != nil {
		return priceForm
	}
	return strings.Join(f.choices, ", ")
}

// read turns text from the environment or a command line into what put takes.
// What is no number stays a text, which put refuses with the right words.
func (f field) read(text string) any {
	switch f.at(&Settings{}).(type) {
	case *int:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case *float64:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	return text
}

// value returns the field's value; text shows it without secrets.
func (f field) value(s *Settings) (value any, text string) {
	switch p := f.at(s).(type) {
	case *int:
		return int64(*p), strconv.Itoa(*p)
	case *float64:
		return *p, strconv.FormatFloat(*p, 'g', -1, 64)
	case *string:
		if f.url {
			return *p, Redact(*p)
		}
		return *p, *p
	}
	return nil, ""
}

// Redact returns a database's URL without its password, wherever it stands.
func Redact(database string) string {
	if database == "" {
		return ""
	}
	u, err := url.Parse(database)
	if err != nil {
		return "…"
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}
