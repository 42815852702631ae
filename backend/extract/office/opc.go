package office

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"ibid/backend/extract"
	"ibid/backend/extract/archive"
	"ibid/backend/extract/xmlwalk"
)

// opc is a package of the Open Packaging Conventions (ECMA-376 part 2): parts
// and relations between them.
type opc struct {
	ctx context.Context //nolint:containedctx // an opc lives for one call of Extract
	*archive.Archive
	b *extract.Builder
}

func openPackage(ctx context.Context, in extract.Input) (*opc, error) {
	a, err := archive.Open(ctx, in.Data)
	if err != nil {
		return nil, err
	}
	b := extract.NewBuilder(in.Type)
	if a.Twins > 0 {
		b.Note("%d parts have the name of another one and were not read", a.Twins)
	}
	return &opc{ctx: ctx, Archive: a, b: b}, nil
}

// walkMain is walk of the main part, whose root has this name.
func (p *opc) walkMain(part, name string, f func(w *xmlwalk.Walker) error) error {
	return p.walk(part, func(w *xmlwalk.Walker, root xmlwalk.Element) error {
		if root.Name != name {
			return fmt.Errorf("the main part is a %q, not a %q", root.Name, name)
		}
		return f(w)
	})
}

// walk reads an XML part.
func (p *opc) walk(name string, f func(w *xmlwalk.Walker, root xmlwalk.Element) error) error {
	r, err := p.Part(name)
	if err != nil {
		return err
	}
	if err := xmlwalk.Walk(p.ctx, r, f); err != nil {
		_ = r.Close()
		return fmt.Errorf("read %s: %w", name, err)
	}
	return r.Close()
}

// walkOptional is walk of a part that may be missing.
func (p *opc) walkOptional(name string, f func(w *xmlwalk.Walker, root xmlwalk.Element) error) error {
	if !p.Has(name) {
		return nil
	}
	return p.walk(name, f)
}

// relation is one relation of a part; kind is the last element of its type.
type relation struct{ id, kind, target string }

type relations []relation

// target returns the part that an id names, or "".
func (r relations) target(id string) string {
	for _, rel := range r {
		if rel.id == id {
			return rel.target
		}
	}
	return ""
}

// of returns the parts of a kind.
func (r relations) of(kind string) []string {
	var targets []string
	for _, rel := range r {
		if rel.kind == kind {
			targets = append(targets, rel.target)
		}
	}
	return targets
}

// relations reads the relations of a part ("" for the package) to others in
// the package.
func (p *opc) relations(part string) (relations, error) {
	dir, file := path.Split(part)
	var list relations
	err := p.walkOptional(dir+"_rels/"+file+".rels", func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Attr("TargetMode") == "External" {
				return nil
			}
			target := e.Attr("Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("/", dir, target)
			}
			list = append(list, relation{e.Attr("Id"), path.Base(e.Attr("Type")), strings.TrimPrefix(target, "/")})
			return nil
		})
	})
	return list, err
}

// main returns the main part of the package and its relations.
func (p *opc) main() (string, relations, error) {
	root, err := p.relations("")
	if err != nil {
		return "", nil, err
	}
	for _, part := range root.of("officeDocument") {
		rels, err := p.relations(part)
		return part, rels, err
	}
	return "", nil, errors.New("the package names no main document")
}

// properties reads the core properties: title and metadata.
func (p *opc) properties() error {
	return p.walkOptional("docProps/core.xml", func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			text, err := w.Text()
			p.b.Property(e.Name, text)
			return err
		})
	})
}
