package data

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// notebook extracts Jupyter notebooks (nbformat 4): texts as the Markdown that
// they are, code and what it printed as code blocks; pictures are left out.
type notebook struct{}

// lines are a text as the format has it: one string or one for each line.
type lines string

func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

type nbCell struct {
	Type    string `json:"cell_type"`
	Source  lines  `json:"source"`
	Outputs []struct {
		Text lines `json:"text"`
		Data struct {
			Plain lines `json:"text/plain"`
		} `json:"data"`
		Traceback []string `json:"traceback"`
	} `json:"outputs"`
}

func (notebook) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	text, _, err := extract.Decode(in.Data)
	if err != nil {
		return nil, err
	}
	var nb struct {
		Cells    []nbCell `json:"cells"`
		Metadata struct {
			Language struct {
				Name string `json:"name"`
			} `json:"language_info"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &nb); err != nil {
		return nil, fmt.Errorf("read notebook: %w", err)
	}
	var b strings.Builder
	b.WriteByte('\n') // a rule in the first cell is no front matter
	for _, c := range nb.Cells {
		if c.Type == "code" {
			fence(&b, nb.Metadata.Language.Name, string(c.Source))
			for _, o := range c.Outputs {
				fence(&b, "", string(o.Text+o.Data.Plain))
				fence(&b, "", colours.ReplaceAllString(strings.Join(o.Traceback, "\n"), ""))
			}
			continue
		}
		b.WriteString(string(c.Source) + "\n\n")
	}
	doc, err := extract.Markdown().Extract(ctx, extract.Input{Name: "notebook.md", Type: extract.TypeMarkdown, Data: []byte(b.String())})
	if err != nil {
		return nil, err
	}
	doc.Type, doc.FirstLine = in.Type, 0
	for i := range doc.Blocks {
		doc.Blocks[i].Anchor.LineStart, doc.Blocks[i].Anchor.LineEnd = 0, 0
	}
	return doc, nil
}

// colours are the control sequences of terminals.
var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// fence writes a code block that its content cannot end.
func fence(b *strings.Builder, info, content string) {
	if strings.TrimSpace(content) == "" {
		return
	}
	marks := "```"
	for strings.Contains(content, marks) {
		marks += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n\n", marks, extract.Clean(info), strings.TrimRight(content, "\n"), marks)
}
