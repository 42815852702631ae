package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
)

func TestReadDocuments(t *testing.T) { // A9, E6
	a, b := api.IngestDocument{ID: "a", Text: "x"}, api.IngestDocument{ID: "b", Text: "y\nz"}
	for _, test := range []struct {
		name, text string
		want       []api.IngestDocument
		say        string // of the error
	}{
		{"array", `[{"id":"a","text":"x"},{"id":"b","text":"y\nz"}]`, []api.IngestDocument{a, b}, ""},
		{"lines", "{\"id\":\"a\",\"text\":\"x\"}\n\n{\"id\":\"b\",\"text\":\"y\\nz\"}\n", []api.IngestDocument{a, b}, ""},
		{"objects of several lines", "{\n\"id\": \"a\",\n\"text\": \"x\"\n}\n{\"id\": \"b\", \"text\": \"y\\nz\"}", []api.IngestDocument{a, b}, ""},
		{"white space before an array", " \r\n\t[{\"id\":\"a\",\"text\":\"x\"}] ", []api.IngestDocument{a}, ""},
		{"empty array", "[]", []api.IngestDocument{}, ""},
		{"nothing", "", []api.IngestDocument{}, ""},
		{
			"all fields", `{"id":"a","title":"t","uri":"u","type":"text/markdown","text":"x","metadata":{"s":"v","n":1.5,"i":-3,"b":true,"l":["p","q"],"e":[]}}`,
			[]api.IngestDocument{{ID: "a", Title: "t", URI: "u", Type: "text/markdown", Text: "x", Metadata: map[string]any{
				"s": "v", "n": 1.5, "i": -3., "b": true, "l": []string{"p", "q"}, "e": []string{},
			}}},
			"",
		},
		{
			"largest exact number", `{"id":"a","text":"x","metadata":{"n":9007199254740992}}`,
			[]api.IngestDocument{{ID: "a", Text: "x", Metadata: map[string]any{"n": 9007199254740992.}}},
			"",
		},
		{"unknown field", "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\",\"txt\":\"y\"}", nil, `document 2 (line 2): a document has the unknown field "txt"`},
		{"field in another case", `{"ID":"a","text":"x"}`, nil, `unknown field "ID"`},
		{"field twice", `{"id":"a","id":"b","text":"x"}`, nil, `the field "id" twice`},
		{"label twice", `{"id":"a","text":"x","metadata":{"k":1,"k":2}}`, nil, `metadata has the field "k" twice`},
		{"number for text", `{"id":7,"text":"x"}`, nil, "a document's id is no text"},
		{"null for text", `{"id":"a","text":null}`, nil, "a document's text is no text"},
		{"object for text", `{"id":"a","text":{"b":1}}`, nil, "a document's text is no text"},
		{"text for document", `["a"]`, nil, "document 1 (line 1): a document is no JSON object"},
		{"null for document", `[null]`, nil, "a document is no JSON object"},
		{"nested label", `{"id":"a","text":"x","metadata":{"k":{"l":1}}}`, nil, `metadata "k" is nested`},
		{"list in a list", `{"id":"a","text":"x","metadata":{"k":[["l"]]}}`, nil, `metadata "k" is a list of other things than texts`},
		{"list of numbers", `{"id":"a","text":"x","metadata":{"k":[1]}}`, nil, `metadata "k" is a list of other things than texts`},
		{"null label", `{"id":"a","text":"x","metadata":{"k":null}}`, nil, `metadata "k" has no value`},
		{"list for metadata", `{"id":"a","text":"x","metadata":[]}`, nil, "metadata is no JSON object"},
		{"null for metadata", `{"id":"a","text":"x","metadata":null}`, nil, "metadata is no JSON object"},
		{"too large a number", `{"id":"a","text":"x","metadata":{"k":1e999}}`, nil, `metadata "k" is not a finite number`},
		{"too long a number", `{"id":"a","text":"x","metadata":{"k":9007199254740993}}`, nil, `metadata "k" is a number of more digits than can be kept`},
		{"not UTF-8", "{\"id\":\"a\",\"text\":\"\xff\"}", nil, "not valid UTF-8"},
		{"half a character", `{"id":"a","text":"\ud83d"}`, nil, "half of a surrogate pair"},
		{"cut off", `{"id":"a","text":"x"`, nil, "document 1 (line 1)"},
		{"array cut off", `[{"id":"a","text":"x"}`, nil, "the list of documents does not end"},
		{"no comma", `[{"id":"a","text":"x"} {"id":"b","text":"y"}]`, nil, "document 2"},
		{"more after the array", `[{"id":"a","text":"x"}]{"id":"b","text":"y"}`, nil, "more after the list"},
		{"prose", "Dear Ada,", nil, "document 1 (line 1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := api.ReadDocuments([]byte(test.text))
			if (err != nil) != (test.say != "") || err != nil && !strings.Contains(err.Error(), test.say) {
				t.Fatalf("error %v, want one that says %q", err, test.say)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRequestIsStrict: the same rules hold inside of a request.
func TestRequestIsStrict(t *testing.T) {
	var r api.IngestRequest
	if err := json.Unmarshal([]byte(`{"source":"s","documents":[{"id":"a","text":"x","metadata":{"k":["v"]}}]}`), &r); err != nil {
		t.Fatal(err)
	}
	want := api.IngestRequest{Source: "s", Documents: []api.IngestDocument{{ID: "a", Text: "x", Metadata: map[string]any{"k": []string{"v"}}}}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"documents":[{"id":"a","text":"x","tenant":"other"}]}`), &r); err == nil {
		t.Error("an unknown field of a document was accepted")
	}
}

// FuzzReadDocuments: whatever comes, it is refused, or it is what was written
// and reads the same when it is written again.
func FuzzReadDocuments(f *testing.F) {
	for _, s := range []string{
		`[{"id":"a","text":"x","metadata":{"k":["v"],"n":1e3,"b":false}}]`, "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\"}", `[`, `{"id":"\ud83d\ude00"}`, `{"metadata":{}}`, `{"text":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := api.ReadDocuments(data)
		if err != nil {
			return
		}
		written, err := json.Marshal(docs)
		if err != nil {
			t.Fatalf("write %+v: %v", docs, err)
		}
		again, err := api.ReadDocuments(written)
		if err != nil {
			t.Fatalf("read again %s: %v", written, err)
		}
		for i := range docs { // an empty object is left out
			if len(docs[i].Metadata) == 0 {
				docs[i].Metadata = nil
			}
			if len(again[i].Metadata) == 0 {
				again[i].Metadata = nil
			}
			if !utf8.ValidString(docs[i].Text) {
				t.Errorf("text %q", docs[i].Text)
			}
		}
		if diff := cmp.Diff(docs, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}
