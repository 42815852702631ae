package office

import (
	"strings"

	"ibid/backend/extract"
	"ibid/backend/extract/xmlwalk"
)

// Parts of DrawingML (ECMA-376 part 1, 20 and 21) that documents and slides share.

// diagram reads the data part of a SmartArt diagram: the texts of its nodes.
func (p *opc) diagram(part string) ([]string, error) {
	var lines []string
	var walk func(w *xmlwalk.Walker) error
	walk = func(w *xmlwalk.Walker) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name != "p" {
				return walk(w)
			}
			text, err := runsOf(w)
			if text = extract.Clean(text); text != "" {
				lines = append(lines, text)
			}
			return err
		})
	}
	return lines, p.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error { return walk(w) })
}

// runsOf is the text of a DrawingML paragraph, or of all paragraphs within.
func runsOf(w *xmlwalk.Walker) (string, error) {
	var b strings.Builder
	err := w.Children(func(e xmlwalk.Element) error {
		text, err := runOf(w, e)
		b.WriteString(text)
		return err
	})
	return b.String(), err
}

// runOf is the text of an element within a paragraph.
func runOf(w *xmlwalk.Walker, e xmlwalk.Element) (string, error) {
	switch e.Name {
	case "t":
		return w.Text()
	case "br":
		return "\n", nil
	case "tab":
		return "\t", nil
	case "oMath":
		return readMath(w)
	case "p":
		text, err := runsOf(w)
		return text + "\n", err
	case "Fallback", "rPr", "pPr":
		return "", nil
	case "fld":
		if strings.HasPrefix(e.Attr("type"), "slidenum") {
			return "", nil
		}
	}
	return runsOf(w)
}

// chart is what a chart part says.
type chart struct {
	title string
	rows  [][]string // a header of series names, then one for each category
}

// series is a row of numbers of a chart.
type series struct {
	name               string
	categories, values map[string]string // by index
	order              []string          // of categories or values, as first met
}

// chart reads a chart part by its cached values.
func (p *opc) chart(part string) (chart, error) {
	var c chart
	var all []series
	err := p.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		var walk func(e xmlwalk.Element) error
		walk = func(e xmlwalk.Element) error {
			switch e.Name {
			case "ser":
				s, err := readSeries(w)
				all = append(all, s)
				return err
			case "title":
				text, err := runsOf(w)
				if c.title == "" {
					c.title = text
				}
				return err
			case "txPr", "spPr", "dLbls":
				return nil
			}
			return w.Children(walk)
		}
		return w.Children(walk)
	})
	if err != nil || len(all) == 0 {
		return c, err
	}
	head := []string{""}
	for _, s := range all {
		head = append(head, s.name)
	}
	c.rows = append(c.rows, head)
	for _, index := range all[0].order {
		row := []string{all[0].categories[index]}
		for _, s := range all {
			row = append(row, s.values[index])
		}
		c.rows = append(c.rows, row)
	}
	return c, nil
}

func readSeries(w *xmlwalk.Walker) (series, error) {
	s := series{categories: map[string]string{}, values: map[string]string{}}
	points := func(f func(index, value string)) func(xmlwalk.Element) error {
		var walk func(e xmlwalk.Element) error
		walk = func(e xmlwalk.Element) error {
			if e.Name != "pt" {
				return w.Children(walk)
			}
			index := e.Attr("idx")
			return w.Children(func(e xmlwalk.Element) error {
				if e.Name != "v" {
					return nil
				}
				text, err := w.Text()
				f(index, text)
				return err
			})
		}
		return walk
	}
	put := func(to map[string]string) func(index, value string) {
		return func(index, value string) {
			_, a := s.categories[index]
			_, b := s.values[index]
			if !a && !b {
				s.order = append(s.order, index)
			}
			to[index] = value
		}
	}
	err := w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "tx":
			return points(func(_, value string) { s.name = value })(e)
		case "cat", "xVal":
			return points(put(s.categories))(e)
		case "val", "yVal":
			return points(put(s.values))(e)
		}
		return nil
	})
	return s, err
}

// chartNodes is a chart as blocks of a text document.
func (d *word) chartNodes(id string) ([]node, error) {
	c, err := d.chart(d.rels.target(id))
	var nodes []node
	if c.title != "" {
		nodes = append(nodes, node{paragraph: &paragraph{text: c.title}})
	}
	if len(c.rows) > 0 {
		t := &table{}
		for i, row := range c.rows {
			r := tableRow{header: i == 0}
			for _, text := range row {
				r.cells = append(r.cells, cell{span: 1, nodes: []node{{paragraph: &paragraph{text: text}}}})
			}
			t.rows = append(t.rows, r)
		}
		nodes = append(nodes, node{table: t})
	}
	return nodes, err
}
