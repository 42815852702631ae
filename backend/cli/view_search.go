package cli

import (
	"fmt"
	"strings"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

func (g *globals) printHits(r api.SearchResponse) {
	for _, note := range r.Notes {
		g.hint("%s", plain(note))
	}
	if len(r.Hits) == 0 {
		g.say("nothing relevant was found")
		if len(r.Unknown) > 0 {
			g.say("these words stand nowhere in the library: %s", plain(strings.Join(r.Unknown, ", ")))
		}
		return
	}
	for _, h := range r.Hits {
		head := g.style(faint, plain(place(h.SourceName, h.Path, h.Location)))
		if h.Title != "" && h.Title != corpus.ShownName(h.Path) { // the path says that one
			head = g.style(bold, plain(h.Title)) + "  " + head
		}
		g.say("%2d  %s", h.Rank, head)
		g.say("    %s", g.marked(h.Marks))
		if h.Explain != nil {
			g.say("    %s", g.style(faint, fmt.Sprintf("score %.2f: %s", h.Score, plain(h.Explain.Sentence))))
			for _, t := range h.Explain.Terms {
				g.say("    %s", g.style(faint, fmt.Sprintf("%-24s ×%d, in %s, %.3f", plain(t.Term), t.Frequency, plural(t.Documents, "passage"), t.Score)))
			}
		}
		for _, d := range h.Duplicates {
			g.say("    %s", g.style(faint, "also in "+plain(d.Path)+" · "+d.Location.Label))
		}
	}
	if d := r.Diagnostics; d != nil {
		g.hint("%s · %d keyword and %d vector candidates · embed %.1f ms, store %.1f ms, rank %.1f ms",
			r.Mode, d.KeywordCandidates, d.VectorCandidates, d.EmbedMS, d.StoreMS, d.RankMS)
	}
}

func place(source, path string, l api.Location) string {
	s := path
	if !strings.Contains(path, "://") { // an address says where it is
		s = whereIn(source + "/" + path)
	}
	if l.Label != "" {
		s += " · " + l.Label
	}
	return s
}

// whereIn says of a document inside of a file that it is: "invoice.pdf in
// letters/mail.eml".
func whereIn(path string) string {
	if in := corpus.Containers(path); len(in) > 0 {
		return path[len(in[0])+1:] + " in " + in[0]
	}
	return path
}

// marked joins a snippet's segments; matches are bold on a terminal.
func (g *globals) marked(segments []api.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		if s.Mark != "" {
			b.WriteString(g.style(bold, plain(s.Text)))
		} else {
			b.WriteString(plain(s.Text))
		}
	}
	return b.String()
}

func (g *globals) printAnswer(a api.Answer) {
	for _, note := range a.Notes {
		g.hint("%s", plain(note))
	}
	for sentence := range strings.SplitSeq(a.Answer, "\n\n") { // each is from a place of its own
		g.say("%s", plain(sentence))
	}
	if len(a.Citations) > 0 {
		g.say("")
	}
	for _, c := range a.Citations {
		state := ""
		if c.State != "supported" {
			state = "  (" + c.State + ")"
		}
		g.say("[%d]  %s%s", c.N, plain(place(c.SourceName, c.Path, c.Location)), state)
		g.say("     %s", g.style(faint, "“"+plain(c.Quote)+"”"))
	}
	switch {
	case !a.Sufficient:
		g.hint("searched for: %s", plain(a.Searched))
	case a.Model == "extractive":
		g.hint("without a language model: the sentences are quoted from the documents")
	}
}

func (g *globals) printStatus(s api.Status) {
	passages := number(s.Chunks)
	if s.Chunks > 0 {
		passages += ", " + share(s.Embedded, s.Chunks) + " embedded"
	}
	rows := [][]string{
		{"library", s.Library},
		{"store", s.Store},
		{"sources", number(s.Sources)},
		{"documents", number(s.Documents)},
		{"passages", passages},
	}
	if s.Model != "" {
		rows = append(rows, []string{"model", s.Model})
	}
	if s.Failed > 0 {
		rows = append(rows, []string{"unreadable", plural(s.Failed, "document")})
	}
	if s.Configured != s.Model {
		rows = append(rows, []string{"configured", s.Configured + " (the next plan shows what this needs)"})
	}
	if s.Building != "" {
		rows = append(rows, []string{"building", s.Building})
	}
	if len(s.Languages) > 0 {
		rows = append(rows, []string{"languages", strings.Join(s.Languages, ", ")})
	}
	if s.Writer != "" {
		rows = append(rows, []string{"writer", s.Writer})
	}
	if s.Paused {
		rows = append(rows, []string{"embedding", "paused"})
	}
	if s.Waiting > 0 {
		rows = append(rows, []string{"waiting", plural(s.Waiting, "change") + " for you (ibid plan shows them, ibid apply applies them)"})
	}
	g.table(rows)
	for _, n := range s.Notes {
		g.say("%s", plain(n))
	}
	if s.Sources == 0 {
		g.hint("next: ibid add PATH")
	}
}
