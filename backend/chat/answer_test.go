package chat_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/chat"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/hash"
	"ibid/backend/search"
	"ibid/backend/search/searchtest"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
)

func manual() []searchtest.Document {
	return []searchtest.Document{
		{Path: "deposit.md", Title: "Deposits", Language: "en", Text: "# Deposits\n\nThe deposit is two months' rent. It is paid back\nwithin thirty days after the keys were returned.\n\nDamage beyond wear is taken from the deposit."},
		{Path: "pets.md", Title: "Animals", Language: "en", Text: "Cats are welcome. Dogs need the landlord's written consent.\n\nAquariums above 200 litres are not allowed on upper floors."},
		{Path: "heating.md", Title: "Heating", Language: "en", Text: "The boiler is serviced every October.\n\n- Error E-1042 means that the pressure is too low.\n- Error E-1024 means that the door is open."},
		{Path: "noise.md", Title: "Quiet hours", Language: "en", Text: "Music is turned down after ten in the evening.\n\nWashing machines run until nine."},
		{Path: "muell.md", Title: "Müll", Language: "de", Text: "Der Biomüll wird am Dienstag abgeholt. Altglas gehört in die Container an der Ecke."},
	}
}

func library(t *testing.T, e embed.Embedder, docs []searchtest.Document) (store.Store, *chat.Answerer) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	searchtest.Fill(t.Context(), t, s, e, docs)
	searcher, err := search.New(search.Options{Store: s, Embedder: e, Settings: search.DefaultSettings()})
	if err != nil {
		t.Fatal(err)
	}
	return s, &chat.Answerer{Store: s, Retriever: searcher}
}

// Questions that the library answers get sentences of it, each cited; questions
// about what it does not have get the refusal, both without a model and with one.
func TestAnswer(t *testing.T) {
	hashing, err := hash.New(0)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]embed.Embedder{"words only": nil, "hash": hashing} {
		t.Run(name, func(t *testing.T) {
			s, answerer := library(t, e, manual())
			for question, want := range map[string]string{
				"When is the deposit paid back?":        "within thirty days after the keys were returned.",
				"Explain what happens with the deposit": "deposit",
				"Do dogs need consent?":                 "Dogs need the landlord's written consent.",
				"What does E-1042 mean?":                "Error E-1042 means that the pressure is too low.",
				"how often is the boiler serviced":      "The boiler is serviced every October.",
				"Wann wird der Biomüll abgeholt?":       "Der Biomüll wird am Dienstag abgeholt.",
			} {
				a := ask(t, answerer, question)
				if !a.Sufficient || !strings.Contains(a.Text, want) {
					t.Errorf("%q: %q lacks %q", question, a.Text, want)
				}
				checkEvidence(t, s, a)
			}
			for _, question := range []string{
				"Who painted the ceiling of the Sistine Chapel?",
				"What does E-2077 mean?",
				"How do I apply for a parking permit?",
				"Wie hoch ist der Mount Everest?",
				"the of and",
				"??",
			} {
				a := ask(t, answerer, question)
				if a.Sufficient || a.Text != "I do not have sufficient documentation to answer this question accurately." || len(a.Citations) != 0 {
					t.Errorf("%q: answered %q", question, a.Text)
				}
			}
		})
	}
}

func ask(t *testing.T, answerer *chat.Answerer, question string) *chat.Answer {
	t.Helper()
	a, err := answerer.Answer(t.Context(), chat.Question{Text: question})
	if err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	if a.Model != chat.Extractive {
		t.Errorf("%q: model %q", question, a.Model)
	}
	return a
}

// checkEvidence holds that every sentence ends in its citation, and every quote
// stands word for word at its location in the stored text, inside its passage.
func checkEvidence(t *testing.T, s store.Store, a *chat.Answer) {
	t.Helper()
	if n := len(a.Parts); n == 0 || n > 5 || n != len(a.Citations) {
		t.Fatalf("%d parts and %d citations", n, len(a.Citations))
	}
	var text []string
	for i, part := range a.Parts {
		text = append(text, part.Text+" [Citation "+strconv.Itoa(i+1)+"]")
		if diff := cmp.Diff([]int{i + 1}, part.Citations); diff != "" {
			t.Errorf("citations (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(strings.Join(text, "\n\n"), a.Text); diff != "" {
		t.Errorf("answer (-parts +text):\n%s", diff)
	}
	err := s.View(t.Context(), func(r store.Reader) error {
		for i, c := range a.Citations {
			stored, _, err := r.Text(t.Context(), 0, c.Passage.Document.ID)
			if err != nil {
				return err
			}
			l, p := c.Location, c.Passage.Location
			if c.N != i+1 || c.State != chat.Supported || stored[l.Start:l.End] != c.Quote || l.Start < p.Start || l.End > p.End {
				t.Errorf("citation %d of %q in state %q: %q is not at %d", c.N, c.Passage.Document.Path, c.State, c.Quote, l.Start)
			}
			if got := strings.Join(strings.Fields(c.Quote), " "); got != a.Parts[i].Text {
				t.Errorf("the claim %q is not its quote %q", a.Parts[i].Text, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What was found and not cited is listed apart, and nothing twice.
func TestConsidered(t *testing.T) {
	_, answerer := library(t, nil, manual())
	a := ask(t, answerer, "Which error means that the pressure is too low?")
	seen := make(map[corpus.ID]bool)
	for _, c := range a.Citations {
		seen[c.Passage.ID] = true
	}
	for _, h := range a.Considered {
		if seen[h.ID] {
			t.Errorf("%s is cited and considered", h.Document.Path)
		}
	}
	if len(seen) == 0 || a.Searched == "" {
		t.Errorf("answer %+v", a)
	}
}

// Quotation marks in a question are no demand for a phrase.
func TestQuestionIsNoQuery(t *testing.T) {
	_, answerer := library(t, nil, manual())
	if a := ask(t, answerer, `When is the "deposit" of the rent "paid out" after the keys -returned?`); !a.Sufficient {
		t.Errorf("answer %q", a.Text)
	}
}

func TestStages(t *testing.T) {
	_, answerer := library(t, nil, manual())
	var stages []string
	_, err := answerer.Answer(t.Context(), chat.Question{Text: "deposit", Stage: func(s string) { stages = append(stages, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"retrieve", "assemble", "answer"}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
}

// changing is a retriever that the library moves on under: what it found is of
// an earlier revision by the time it is read.
type changing struct {
	chat.Retriever
}

func (c changing) Search(ctx context.Context, r search.Request) (*search.Result, error) {
	found, err := c.Retriever.Search(ctx, r)
	for i := range found.Hits {
		found.Hits[i].Revision--
	}
	return found, err
}

func TestChangedDocumentIsNotQuoted(t *testing.T) {
	_, answerer := library(t, nil, manual())
	answerer.Retriever = changing{answerer.Retriever}
	if a := ask(t, answerer, "Do dogs need consent?"); a.Sufficient {
		t.Errorf("answered %q from a text that has changed", a.Text)
	}
}

// A list of questions says what is asked, not what is so.
func TestQuestionsAnswerNothing(t *testing.T) {
	_, answerer := library(t, nil, []searchtest.Document{
		{Path: "faq.md", Language: "en", Text: "Q: How long may a guest stay?\n\nA guest may stay for two weeks."},
		{Path: "usage.md", Language: "en", Text: "- `ask \"How long may a guest stay?\"`"},
	})
	if a := ask(t, answerer, "How long may a guest stay?"); !strings.Contains(a.Text, "two weeks") || strings.Contains(a.Text, "How long") {
		t.Errorf("answered %q", a.Text)
	}
}

func TestErrors(t *testing.T) {
	_, answerer := library(t, nil, manual())
	if _, err := answerer.Answer(t.Context(), chat.Question{Text: " "}); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("no question: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := answerer.Answer(ctx, chat.Question{Text: "deposit"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
