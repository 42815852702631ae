package extract

import (
	"strings"
	"time"

	"ibid/backend/corpus"
)

// maxProperty is the longest property in bytes that is kept.
const maxProperty = 1000

// Property takes over a property that the document states of itself, under
// its Dublin Core name: title, creator, created, subject, keywords or
// description. Others, and empty ones, are ignored. Creator becomes "author",
// created a date.
func (b *Builder) Property(name, value string) {
	value = strings.ReplaceAll(b.clean(value), "\n", " ")
	if value == "" || len(value) > maxProperty {
		return
	}
	set := func(key string, value any) {
		if b.Metadata == nil {
			b.Metadata = corpus.Metadata{}
		}
		b.Metadata[key] = value
	}
	switch name {
	case "title":
		if !namesNothing(value) {
			b.stated = value
		}
	case "creator":
		set("author", value)
	case "created":
		if t, err := time.Parse(time.RFC3339, value); err == nil {
			value = t.UTC().Format(time.DateOnly)
		}
		set("created", value)
	case "subject", "description":
		set(name, value)
	case "keywords":
		var words []string
		for _, w := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' }) {
			if w = strings.TrimSpace(w); w != "" && len(words) < corpus.MaxMetadataValues {
				words = append(words, w)
			}
		}
		set(name, words)
	}
}

// namesNothing reports titles that programs give of their own accord.
func namesNothing(title string) bool {
	title = strings.ToLower(title)
	for _, prefix := range []string{"microsoft word - ", "microsoft powerpoint - ", "microsoft excel - ", "untitled"} {
		if strings.HasPrefix(title, prefix) {
			return true
		}
	}
	return title == "powerpoint presentation" || title == "powerpoint-präsentation" || title == "présentation powerpoint"
}
