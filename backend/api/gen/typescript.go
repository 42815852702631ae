package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const header = `// Written by "go run ./backend/api/gen" from backend/api. Do not edit.

`

// writer turns declarations into TypeScript. Names lists the package's own
// types; shapes and methods are collected on the way and written at the end.
type writer struct {
	out     bytes.Buffer
	names   map[string]bool
	shapes  bytes.Buffer
	methods bytes.Buffer
}

// typescript reads the Go package in dir and returns its types, constants and
// service as one TypeScript module. A construct that it cannot carry over is
// an error, never a guess.
func typescript(dir string) ([]byte, error) {
	decls, err := parse(dir)
	if err != nil {
		return nil, err
	}
	w := &writer{names: map[string]bool{}}
	for _, d := range decls {
		for _, s := range d.Specs {
			if t, ok := s.(*ast.TypeSpec); ok {
				w.names[t.Name.Name] = true
			}
		}
	}
	w.out.WriteString(header)
	for _, d := range decls {
		if err := w.decl(d); err != nil {
			return nil, err
		}
	}
	w.out.WriteString("/** The service's methods and the type that each answers with. */\n")
	fmt.Fprintf(&w.out, "export const methods = {\n%s} as const;\n\n", w.methods.String())
	w.out.WriteString("/** The fields that hold lists or objects: Go writes an empty list as null, and a client completes it. */\n")
	fmt.Fprintf(&w.out, "export const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n%s};\n", w.shapes.String())
	return w.out.Bytes(), nil
}

// parse returns the package's type and constant declarations in the order of
// the files' names.
func parse(dir string) ([]*ast.GenDecl, error) {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var decls []*ast.GenDecl
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", p, err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && (g.Tok == token.TYPE || g.Tok == token.CONST) {
				decls = append(decls, g)
			}
		}
	}
	if len(decls) == 0 {
		return nil, fmt.Errorf("parse %s: no declarations: %w", dir, fs.ErrNotExist)
	}
	return decls, nil
}

func (w *writer) decl(d *ast.GenDecl) error {
	for _, s := range d.Specs {
		var err error
		switch s := s.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil {
				doc = d.Doc
			}
			err = w.typeSpec(s, doc)
		case *ast.ValueSpec:
			err = w.constant(s)
		}
		if err != nil {
			return err
		}
	}
	if d.Tok == token.CONST {
		w.out.WriteByte('\n')
	}
	return nil
}

func (w *writer) constant(s *ast.ValueSpec) error {
	for i, n := range s.Names {
		if !n.IsExported() {
			continue
		}
		if i >= len(s.Values) {
			return fmt.Errorf("constant %s: no value of its own", n.Name)
		}
		lit, ok := s.Values[i].(*ast.BasicLit)
		if !ok {
			return fmt.Errorf("constant %s: not a literal", n.Name)
		}
		fmt.Fprintf(&w.out, "export const %s = %s;\n", n.Name, lit.Value)
	}
	return nil
}

func (w *writer) typeSpec(s *ast.TypeSpec, doc *ast.CommentGroup) error {
	var err error
	switch t := s.Type.(type) {
	case *ast.StructType:
		err = w.structType(s.Name.Name, t, doc)
	case *ast.InterfaceType:
		err = w.service(s.Name.Name, t, doc)
	default:
		err = fmt.Errorf("%T is neither a struct nor an interface", t)
	}
	if err != nil {
		return fmt.Errorf("type %s: %w", s.Name.Name, err)
	}
	return nil
}

func (w *writer) structType(name string, t *ast.StructType, doc *ast.CommentGroup) error {
	w.comment("", doc)
	fmt.Fprintf(&w.out, "export interface %s {\n", typeName(name))
	var shape []string
	for _, f := range t.Fields.List {
		field, optional, err := jsonName(f)
		if err != nil {
			return err
		}
		ts, err := w.typeOf(f.Type)
		if err != nil {
			return fmt.Errorf("field %s: %w", field, err)
		}
		_, pointer := f.Type.(*ast.StarExpr)
		if pointer && !optional {
			return fmt.Errorf("field %s: a pointer needs omitempty", field)
		}
		if part := w.shapeOf(f.Type); part != "" && (!optional || w.names[base(f.Type)]) {
			if optional {
				part += "?"
			}
			shape = append(shape, fmt.Sprintf("%s: %q", field, part))
		}
		w.comment("\t", f.Doc)
		mark := ""
		if optional {
			mark = "?"
		}
		fmt.Fprintf(&w.out, "\t%s%s: %s;", field, mark, ts)
		if f.Comment != nil {
			fmt.Fprintf(&w.out, " // %s", strings.TrimSpace(f.Comment.Text()))
		}
		w.out.WriteByte('\n')
	}
	w.out.WriteString("}\n\n")
	if len(shape) > 0 {
		fmt.Fprintf(&w.shapes, "\t%s: { %s },\n", typeName(name), strings.Join(shape, ", "))
	}
	return nil
}

// service writes an interface whose methods take (ctx, request) and answer
// (response, error).
func (w *writer) service(name string, t *ast.InterfaceType, doc *ast.CommentGroup) error {
	w.comment("", doc)
	fmt.Fprintf(&w.out, "export interface %s {\n", name)
	for _, m := range t.Methods.List {
		fn, ok := m.Type.(*ast.FuncType)
		if !ok || len(m.Names) != 1 || fn.Params.NumFields() != 2 || fn.Results.NumFields() != 2 {
			return errors.New("a method is not of the form Name(ctx, request) (response, error)")
		}
		request, err := w.typeOf(fn.Params.List[1].Type)
		if err != nil {
			return err
		}
		response, err := w.typeOf(fn.Results.List[0].Type)
		if err != nil {
			return err
		}
		w.comment("\t", m.Doc)
		fmt.Fprintf(&w.out, "\t%s(r: %s): Promise<%s>;\n", m.Names[0].Name, request, response)
		fmt.Fprintf(&w.methods, "\t%s: %q,\n", m.Names[0].Name, response)
	}
	w.out.WriteString("}\n\n")
	return nil
}

var basics = map[string]string{
	"string": "string", "bool": "boolean", "any": "unknown",
	"int": "number", "int64": "number", "float64": "number",
}

func (w *writer) typeOf(e ast.Expr) (string, error) {
	switch t := e.(type) {
	case *ast.Ident:
		if ts, ok := basics[t.Name]; ok {
			return ts, nil
		}
		if w.names[t.Name] {
			return typeName(t.Name), nil
		}
	case *ast.StarExpr:
		return w.typeOf(t.X)
	case *ast.ArrayType:
		if t.Len != nil {
			break
		}
		inner, err := w.typeOf(t.Elt)
		return inner + "[]", err
	case *ast.MapType:
		if base(t.Key) != "string" {
			break
		}
		inner, err := w.typeOf(t.Value)
		return "Record<string, " + inner + ">", err
	case *ast.SelectorExpr:
		if base(t.X) == "json" && t.Sel.Name == "RawMessage" {
			return "unknown", nil
		}
	}
	return "", fmt.Errorf("no TypeScript for %T %s", e, base(e))
}

// shapeOf names what a client must complete: "T" for an object, "T[]" for a
// list, "{}" for a map; empty for plain values.
func (w *writer) shapeOf(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		if w.names[t.Name] {
			return typeName(t.Name)
		}
	case *ast.StarExpr:
		return w.shapeOf(t.X)
	case *ast.ArrayType:
		return w.shapeOf(t.Elt) + "[]"
	case *ast.MapType:
		return "{}"
	}
	return ""
}

// base is the name at the bottom of a type expression.
func base(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return base(t.X)
	case *ast.ArrayType:
		return base(t.Elt)
	}
	return ""
}

// typeName keeps Go's names but for Error, which is a global of JavaScript.
func typeName(name string) string {
	if name == "Error" {
		return "ApiError"
	}
	return name
}

func jsonName(f *ast.Field) (name string, optional bool, err error) {
	if len(f.Names) != 1 || f.Tag == nil {
		return "", false, errors.New("a field has no json tag of its own")
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", false, err
	}
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if name == "" || name == "-" {
		return "", false, fmt.Errorf("field %s has no json name", f.Names[0].Name)
	}
	return name, strings.Contains(options, "omitempty"), nil
}

func (w *writer) comment(indent string, doc *ast.CommentGroup) {
	text := strings.TrimSpace(doc.Text())
	if text == "" {
		return
	}
	lines := strings.Split(strings.ReplaceAll(text, "*/", "* /"), "\n")
	if len(lines) == 1 {
		fmt.Fprintf(&w.out, "%s/** %s */\n", indent, lines[0])
		return
	}
	fmt.Fprintf(&w.out, "%s/**\n", indent)
	for _, l := range lines {
		fmt.Fprintf(&w.out, "%s\n", strings.TrimRight(indent+" * "+l, " "))
	}
	fmt.Fprintf(&w.out, "%s */\n", indent)
}
