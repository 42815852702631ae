// Package code extracts source code: a block is a function, a type, or another
// unit of the language, located by lines and under the names of what it stands
// in.
package code

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Routes are the extractors of this package.
func Routes() []extract.Route {
	return []extract.Route{
		{Types: []string{"text/x-*"}, Version: "code/1", Extractor: source{}},
		{Types: []string{"text/x-go"}, Version: "go/2", Extractor: golang{}},
	}
}

// source extracts code in any language by its indentation.
type source struct{}

func (source) Extract(_ context.Context, in extract.Input) (*corpus.Extraction, error) {
	text, report, err := extract.DecodeLines(in.Data)
	if err != nil {
		return nil, err
	}
	return extract.Ranges(text, in.Type, report, Outline(text), true)
}

// golang extracts Go by its syntax; what cannot be parsed, or is longer than
// maxParsed, by its indentation.
type golang struct{}

// maxParsed bounds what is parsed, in bytes: the tree takes up to a hundred times
// the memory of its text. People write no such file.
const maxParsed = 2 << 20

func (golang) Extract(_ context.Context, in extract.Input) (*corpus.Extraction, error) {
	text, report, err := extract.DecodeLines(in.Data)
	if err != nil {
		return nil, err
	}
	blocks, ok := declarations(text)
	if !ok {
		blocks = Outline(text)
	}
	return extract.Ranges(text, in.Type, report, blocks, true)
}

// declarations divides a Go file before the comments of its declarations.
func declarations(text string) ([]corpus.Block, bool) {
	if len(text) > maxParsed {
		return nil, false
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	offset := func(p token.Pos) int { return files.PositionFor(p, false).Offset }
	blocks := []corpus.Block{{Kind: corpus.BlockCode}}
	for _, d := range file.Decls {
		start, name := offset(d.Pos()), ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = "func " + receiver(d) + d.Name.Name
			if d.Doc != nil {
				start = offset(d.Doc.Pos())
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue // with the package clause
			}
			name = d.Tok.String() + " " + names(d)
			if d.Doc != nil {
				start = offset(d.Doc.Pos())
			}
		}
		start = strings.LastIndexByte(text[:start], '\n') + 1
		last := &blocks[len(blocks)-1]
		if start <= last.Start && len(blocks) > 1 { // two in one line
			continue
		}
		last.End = start
		b := corpus.Block{Kind: corpus.BlockCode, Start: start}
		b.Anchor.Headings = []string{name}
		blocks = append(blocks, b)
	}
	blocks[len(blocks)-1].End = len(text)
	return blocks, true
}

// receiver is "(*Registry) " of a method.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t, star := d.Recv.List[0].Type, ""
	if s, ok := t.(*ast.StarExpr); ok {
		t, star = s.X, "*"
	}
	switch g := t.(type) {
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return "(" + star + id.Name + ") "
	}
	return ""
}

// names are the first names that a declaration declares.
func names(d *ast.GenDecl) string {
	var list []string
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			list = append(list, s.Name.Name)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				list = append(list, n.Name)
			}
		}
	}
	const most = 3
	if len(list) > most {
		list = append(list[:most], "…")
	}
	return strings.Join(list, ", ")
}
