package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
)

func newChunks(g *globals) *cobra.Command {
	var req api.ChunksRequest
	var how string
	cmd := &cobra.Command{
		Use:   "chunks PATH",
		Short: "Show the passages that a file is divided into",
		Long: `Show the passages that a file is divided into: their sizes, where they stand,
what they repeat, and why each ends where it ends. The file need not be in the
library; nothing is stored. --strategy asks what another one would make of it:
markdown, contract, sentence, qa, code, slides, rows, catalogue, fixed,
recursive, token or character, with a size and an overlap as in contract:200:20.`,
		Args: exactly(1, "a PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Path = args[0]
			if how != "" {
				rules, err := parseChunking([]string{how})
				if err != nil || rules[0].Glob != "" {
					return usageError(fmt.Errorf("--strategy takes STRATEGY[:SIZE[:OVERLAP]], not %q", how))
				}
				req.Strategy, req.Size, req.Overlap = rules[0].Strategy, rules[0].Size, rules[0].Overlap
			}
			return runChunks(cmd.Context(), g, req)
		},
	}
	cmd.Flags().StringVar(&how, "strategy", "", "another strategy, with a size and an overlap: STRATEGY[:SIZE[:OVERLAP]]")
	cmd.Flags().StringVar(&req.Source, "source", "", "the source that PATH is in (default: PATH is a path of the system)")
	return cmd
}

func runChunks(ctx context.Context, g *globals, req api.ChunksRequest) error {
	return answer(ctx, g, func(lib *boot.Library) (api.Chunks, error) {
		if req.Source == "" {
			list, err := lib.Sources(ctx, api.SourcesRequest{})
			if err != nil {
				return api.Chunks{}, err
			}
			if req.Source, req.Path, err = documentAt(list.Sources, req.Path); err != nil {
				return api.Chunks{}, fmt.Errorf("show passages of %s: %w", req.Path, err)
			}
		}
		return lib.Chunks(ctx, req)
	}, g.printChunks)
}

func (g *globals) printChunks(c api.Chunks) {
	state := map[string]string{"new": "not in the library", "indexed": "as in the library", "changed": "other than in the library: see ibid plan"}[c.State]
	g.say("%s  %s", g.style(bold, plain(c.Title)), g.style(faint, plain(c.Path)+" · "+c.Type+" · "+state))
	size := fmt.Sprintf("%s %s", number(c.Size), c.Unit)
	if c.Overlap > 0 {
		size += fmt.Sprintf(", %s of overlap", number(c.Overlap))
	}
	if c.Limit > 0 {
		size += fmt.Sprintf("; the model takes %s tokens", number(c.Limit))
	}
	g.say("%s: %s (%s)", c.Strategy, plain(c.Reason), size)
	g.say("%s, %s tokens by %s", plural(len(c.Passages), "passage"), number(c.Tokens), plain(c.Counted))
	for _, line := range readingLines(c.Reading) {
		g.say("%s", g.style(amber, plain(line)))
	}
	for _, p := range c.Passages {
		g.say("")
		head := fmt.Sprintf("%d · %s", p.N, plural(p.Tokens, "token"))
		if p.Location.Label != "" {
			head += " · " + p.Location.Label
		}
		if p.Embedded {
			head += " · embedded"
		}
		g.say("%s", g.style(bold, plain(head)))
		above := p.Breadcrumb
		if p.Title != "" {
			above = append([]string{p.Title}, above...)
		}
		if len(above) > 0 {
			g.say("  %s", g.style(faint, plain("under: "+strings.Join(above, " > "))))
		}
		for _, repeated := range []struct{ what, text string }{{"repeats", p.Header}, {"repeats", p.Overlap}} {
			if text := strings.TrimSpace(repeated.text); text != "" {
				g.say("  %s", g.style(faint, plain(repeated.what+": "+text)))
			}
		}
		for line := range strings.Lines(strings.Trim(p.Text, "\n")) {
			g.say("  %s", printable(strings.TrimRight(line, "\n")))
		}
		g.say("  %s", g.style(faint, "ends "+endWords(p.End, c.Strategy)))
	}
}

// printable is a line of text that drives no terminal; its indentation stays.
func printable(line string) string {
	body := strings.TrimLeft(line, " \t")
	return strings.ReplaceAll(line[:len(line)-len(body)], "\t", "    ") + plain(body)
}

// partWords say what begins where a strategy always ends a passage.
var partWords = map[string]string{
	"qa": "where the next question begins", "code": "where another function or type begins",
	"slides": "where the next slide begins", "rows": "where another sheet begins",
}

// endWords says why a passage ends.
func endWords(end, strategy string) string {
	if w, ok := partWords[strategy]; ok && end == "part" {
		return w
	}
	words := map[string]string{
		"document":  "with the document",
		"part":      "where another sheet or slide begins",
		"section":   "before a heading",
		"block":     "after a block",
		"paragraph": "after a paragraph",
		"line":      "after a line",
		"sentence":  "after a sentence",
		"clause":    "after a comma or colon: no sentence ends in reach",
		"word":      "between words: nothing better is in reach",
		"inside":    "within a word that is longer than a passage",
		"limit":     "because the model takes no more",
	}
	if w, ok := words[end]; ok {
		return w
	}
	return end
}
