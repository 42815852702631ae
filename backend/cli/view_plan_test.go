package cli

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
)

func printed(verbose bool, p api.Plan) string {
	var out strings.Builder
	g := &globals{streams: Streams{Out: &out}, verbose: verbose}
	g.printPlan(p)
	return out.String()
}

func TestPlanView(t *testing.T) {
	action := func(kind, path, reason string, c api.PlanChunks) api.PlanAction {
		return api.PlanAction{Action: kind, Source: "s", Path: path, Reason: reason, Chunks: c}
	}
	source := api.PlanSource{ID: "s", Name: "notes", Path: "/notes", State: "complete"}
	tests := []struct {
		name    string
		verbose bool
		plan    api.Plan
		want    string
	}{
		{"nothing to do", false, api.Plan{NoOp: true, Sources: []api.PlanSource{source}, Summary: api.PlanSummary{Unchanged: 1234}}, `Plan for 1 source
+0 added  ~0 updated  ↦0 moved  −0 removed  =1,234 unchanged
`},
		{"vectors left from before", false, api.Plan{Model: "m", Sources: []api.PlanSource{source}, Summary: api.PlanSummary{
			Unchanged: 2, ChunksToEmbed: 7, ChunksWaiting: 7, ChunksExact: true, Tokens: 900, Seconds: 125, SecondsGuessed: true, Cost: api.Cost{Known: true, Amount: 12.345, Currency: "EUR"},
		}}, `Plan for 1 source
+0 added  ~0 updated  ↦0 moved  −0 removed  =2 unchanged
7 passages to embed (900 tokens), 7 of them left from before · 0 reused · m: 12.35 EUR, about 2 min (a first guess; runs measure it)
`},
		{"unsupported, in words", true, api.Plan{NoOp: true, Sources: []api.PlanSource{source}, Summary: api.PlanSummary{Unsupported: 1}, Actions: []api.PlanAction{
			action("unsupported", "x/a.jpg", "JPEG image: not a type that ibid reads", api.PlanChunks{}),
		}}, `Plan for 1 source
+0 added  ~0 updated  ↦0 moved  −0 removed  =0 unchanged
notes  /notes
  x/
  · a.jpg  JPEG image: not a type that ibid reads
1 file of types ibid does not read: 1 .jpg
`},
		{"one folder away", false, api.Plan{NoOp: true, Sources: []api.PlanSource{{ID: "s", Name: "notes", Path: "/notes", State: "partial", Detail: "dir: permission denied"}}, Summary: api.PlanSummary{Unavailable: 2}, Actions: []api.PlanAction{
			action("unavailable", "dir/a.md", "folder unavailable: permission denied", api.PlanChunks{}),
			action("unavailable", "dir/b.md", "folder unavailable: permission denied", api.PlanChunks{}),
		}}, `Plan for 1 source
+0 added  ~0 updated  ↦0 moved  −0 removed  =0 unchanged  2 unavailable
notes  /notes  partial: dir: permission denied
  ? 2 documents  folder unavailable: permission denied
`},
		{"another model", false, api.Plan{Build: true, Model: "none", Sources: []api.PlanSource{source}, Summary: api.PlanSummary{Updated: 1, ChunksExact: true}, Actions: []api.PlanAction{
			action("updated", "a.md", "embedding model changed", api.PlanChunks{Total: 3, Exact: true}),
		}}, `Plan for 1 source
+0 added  ~1 updated  ↦0 moved  −0 removed  =0 unchanged
0 passages to embed (0 tokens) · 0 reused · no embedding model: keyword search only
the new generation is made beside the one in use, which answers until it is complete
notes  /notes
  ~ a.md  embedding model changed  0 of 3 passages to embed
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, printed(tt.verbose, tt.plan)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestPlanViewIsBounded: a source that is away says why once, however many
// documents it has, and a long plan does not scroll away.
func TestPlanViewIsBounded(t *testing.T) {
	p := api.Plan{Sources: []api.PlanSource{
		{ID: "away", Name: "away", Path: "/away", State: "unavailable", Detail: "root: not mounted"}, {ID: "s", Name: "notes", Path: "/notes"},
	}}
	for i := range 500 {
		p.Actions = append(p.Actions, api.PlanAction{Action: "unavailable", Source: "away", Path: strconv.Itoa(i), Reason: "source unavailable: root: not mounted"})
	}
	for i := range 500 {
		p.Actions = append(p.Actions, api.PlanAction{Action: "added", Source: "s", Path: strconv.Itoa(i), Reason: "new file"})
	}
	out := printed(false, p)
	if n := strings.Count(out, "not mounted"); n != 1 {
		t.Errorf("the reason is told %d times", n)
	}
	if n := strings.Count(out, "new file"); n != listed {
		t.Errorf("%d actions are listed, want %d", n, listed)
	}
	for _, part := range []string{"? 500 documents stay as they are", "… and 300 more"} {
		if !strings.Contains(out, part) {
			t.Errorf("it does not say %q:\n%s", part, out)
		}
	}
}

func TestQuestion(t *testing.T) {
	tests := []struct {
		plan api.Plan
		want string
	}{
		{api.Plan{Summary: api.PlanSummary{Added: 1}}, "Apply 1 change?"},
		{api.Plan{Summary: api.PlanSummary{ChunksToEmbed: 1200}}, "Embed 1,200 passages?"},
		{api.Plan{Build: true, Model: "hash", Summary: api.PlanSummary{Updated: 2}}, "Apply 2 changes and switch the library to hash?"},
		{api.Plan{Build: true, Model: "none"}, "Switch the library to none?"},
	}
	for _, tt := range tests {
		if got := question(tt.plan); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
