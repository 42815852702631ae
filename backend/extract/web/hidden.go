package web

import (
	"regexp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/backend/extract"
)

// noText are elements that hold no text of the page.
var noText = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Iframe: true, atom.Object: true,
	atom.Embed: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Svg: true, atom.Head: true,
	atom.Button: true, atom.Select: true, atom.Datalist: true, atom.Input: true, atom.Noembed: true, atom.Noframes: true,
	atom.Rt: true, atom.Rp: true,
}

// invisible finds styles that hide an element, by whatever means an author of
// hidden instructions would use.
var invisible = regexp.MustCompile(`(?i)(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)|(?:left|top|text-indent)\s*:\s*-\d{4,})`)

// dropHidden removes hidden elements, whose text it counts. Those without text
// stay: readability judges by them.
func dropHidden(b *extract.Builder, root *html.Node) {
	walk(root, func(n *html.Node) bool {
		if n.Type != html.ElementNode || n.Parent == nil || noText[n.DataAtom] {
			return n.Type == html.DocumentNode
		}
		if !hasAttr(n, "hidden") && !invisible.MatchString(attr(n, "style")) {
			return true
		}
		b.Hide(extract.Clean(inlineText(n)))
		n.Parent.RemoveChild(n)
		return false
	})
}
