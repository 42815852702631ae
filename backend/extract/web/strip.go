package web

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/backend/extract"
)

// stripTags writes the text between tags, a paragraph for each block element.
// It needs no tree, whatever the nesting. Hidden elements cannot be told here
// from those that only look so; scripts and styles can.
func stripTags(ctx context.Context, b *extract.Builder, text string) error {
	z := html.NewTokenizer(strings.NewReader(text))
	var paragraph strings.Builder
	flush := func() {
		b.Paragraph(paragraph.String())
		paragraph.Reset()
	}
	skip := atom.Atom(0) // inside of this element
	for i := 0; b.Err() == nil; i++ {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		switch z.Next() {
		case html.ErrorToken: // the end; a Tokenizer over a string has no other error
			flush()
			return b.Err()
		case html.TextToken:
			if skip == 0 {
				paragraph.WriteString(strings.Map(oneSpace, string(z.Text())))
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			switch a := atom.Lookup(name); {
			case skip != 0:
			case a == atom.Br:
				paragraph.WriteByte('\n')
			case blockElements[a]:
				flush()
			case rawText[a]:
				skip = a
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if a == skip {
				skip = 0
			}
			if blockElements[a] {
				flush()
			}
		}
	}
	return b.Err()
}

// rawText are elements without text of the page that end at their end tag
// whatever is within.
var rawText = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Title: true, atom.Template: true, atom.Noscript: true,
}
