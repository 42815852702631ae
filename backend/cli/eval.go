package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
	"ibid/backend/eval"
)

func newEval(g *globals) *cobra.Command {
	var modes []string
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure retrieval quality on a BEIR-format folder",
		Long: `Measure retrieval quality on a folder with corpus.jsonl, queries.jsonl and
qrels.tsv (BEIR's format). Each corpus entry is indexed as a document, with the
model and settings in force, in a library of its own; yours is not touched.`,
		Args: exactly(1, "a DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEval(cmd.Context(), g, args[0], modes)
		},
	}
	cmd.Flags().StringArrayVar(&modes, "mode", nil, "keyword, vector, hybrid or rrf; may be repeated (default: all)")
	return cmd
}

func runEval(ctx context.Context, g *globals, dir string, modes []string) error {
	line := newStatusLine(g)
	report, err := boot.Eval(ctx, boot.EvalOptions{
		Options: g.options(), Dataset: dir, Modes: modes,
		Progress: func(p api.Progress) { line.show(progressText(p)) },
	})
	line.clear()
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(report)
	}
	g.printReport(report)
	return nil
}

func (g *globals) printReport(r *eval.Report) {
	g.say("%s: %s", plain(r.Dataset), plural(r.Queries, "query", "queries"))
	rows := [][]string{{"MODE", "NDCG@10", "RECALL@10", "RECALL@100", "MRR", "P50", "P95"}}
	for _, mode := range boot.EvalModes() {
		s, ok := r.Modes[mode]
		if !ok {
			continue
		}
		rows = append(rows, []string{
			mode, fmt.Sprintf("%.3f", s.NDCG10), fmt.Sprintf("%.3f", s.Recall10), fmt.Sprintf("%.3f", s.Recall100),
			fmt.Sprintf("%.3f", s.MRR), fmt.Sprintf("%.1f ms", s.P50), fmt.Sprintf("%.1f ms", s.P95),
		})
	}
	g.table(rows)
}
