package codec_test

import (
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

func TestTime(t *testing.T) {
	for _, at := range []time.Time{{}, time.UnixMicro(0).UTC(), time.Date(2026, 2, 3, 4, 5, 6, 789_000, time.UTC)} {
		if got := codec.Time(at.UnixMicro()); got != at {
			t.Errorf("Time of %v = %v", at, got)
		}
		if got := codec.MaybeTime(codec.Maybe(at)); got != at || (codec.Maybe(at) == nil) != at.IsZero() {
			t.Errorf("MaybeTime of %v = %v", at, got)
		}
	}
}

// These stand in libraries; a change of them takes a migration.
func TestKept(t *testing.T) {
	space := corpus.Space{Provider: "builtin", Model: "a/b", Dimensions: 384, Format: "1"}
	if got, want := codec.SpaceKey(space), `{"provider":"builtin","model":"a/b","dimensions":384,"format":"1"}`; got != want {
		t.Errorf("SpaceKey = %s, want %s", got, want)
	}
	if got := codec.SpaceKey(corpus.Space{}); got != "" {
		t.Errorf("SpaceKey of none = %q", got)
	}
	entry := store.Entry{Whole: []string{"red", "", "brick"}, Parts: []string{"bri"}, Terms: []byte{1, 2, 0}, Length: 3}
	if got, want := hex.EncodeToString(codec.EntryDigest(&entry)), "68ba020c2667cffbc47a2757615a2df2"; got != want {
		t.Errorf("EntryDigest = %s, want %s", got, want)
	}
	if got, want := codec.Modified(corpus.Fingerprint{ModTime: -1_500}), int64(-2); got != want {
		t.Errorf("Modified = %d, want %d", got, want)
	}
}

// Entries that differ anywhere have another digest, wherever a list ends.
func TestEntryDigestTells(t *testing.T) {
	entries := []store.Entry{
		{},
		{Length: 1},
		{Whole: []string{""}},
		{Whole: []string{"ab"}},
		{Whole: []string{"a", "b"}},
		{Whole: []string{"a"}, Parts: []string{"b"}},
		{Parts: []string{"a", "b"}},
		{Parts: []string{"ab"}},
		{Terms: []byte("ab")},
	}
	seen := map[string]int{}
	for i := range entries {
		digest := string(codec.EntryDigest(&entries[i]))
		if before, ok := seen[digest]; ok {
			t.Errorf("entries %d and %d have one digest", before, i)
		}
		seen[digest] = i
	}
	if text := (store.Entry{Chunk: corpus.Chunk{Content: "x"}}); string(codec.EntryDigest(&text)) != string(codec.EntryDigest(&entries[0])) {
		t.Error("the text of a passage changes the digest of its terms")
	}
}

func TestDocument(t *testing.T) {
	want := corpus.Document{
		Fingerprint: corpus.Fingerprint{Size: 7, ModTime: 8, ETag: `"x"`},
		Report:      corpus.Report{Pages: 3, Notes: []string{"a note"}},
		Metadata:    corpus.Metadata{"author": "Ada", "year": 1843.0, "draft": false, "tags": []string{"a", "b"}},
		IndexedAt:   time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
	}
	c, err := codec.EncodeDocument(&want)
	if err != nil {
		t.Fatal(err)
	}
	var got corpus.Document
	c.Decode(&got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if c.Damaged() {
		t.Error("a whole record counts as damaged")
	}
	if _, err := codec.EncodeDocument(&corpus.Document{Metadata: corpus.Metadata{"f": func() {}}}); err == nil {
		t.Error("what is no metadata was encoded")
	}
	for _, broken := range []codec.Document{
		{Fingerprint: []byte("{"), Report: c.Report, Metadata: c.Metadata},
		{Fingerprint: c.Fingerprint, Report: []byte("[]"), Metadata: c.Metadata},
		{Fingerprint: c.Fingerprint, Report: c.Report, Metadata: []byte(`{"a":[1]}`)},
	} {
		var got corpus.Document
		broken.Decode(&got)
		if !got.Damaged || !broken.Damaged() {
			t.Errorf("decoded %s %s %s", broken.Fingerprint, broken.Report, broken.Metadata)
		}
	}
}

func TestEvent(t *testing.T) {
	want := store.Event{Seq: 5, At: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Action: "source.add", Counts: map[string]int{"added": 2}}
	record, err := codec.EncodeEvent(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := codec.DecodeEvent(want.Seq, want.At.UnixMicro(), []byte(record))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("event (-want +got): %v\n%s", err, diff)
	}
	if _, err := codec.DecodeEvent(5, 0, []byte("{")); err == nil {
		t.Error("half a record was decoded")
	}
}

// FuzzDecodeMetadata: what is decoded is flat, and comes back as it was.
func FuzzDecodeMetadata(f *testing.F) {
	f.Add(`{"author":"Ada","year":1843,"draft":true,"tags":["a","b"]}`)
	f.Add(`{"tags":["a",1]}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := codec.DecodeMetadata([]byte(text))
		if err != nil || m.Validate() != nil {
			return
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := codec.DecodeMetadata(b)
		if diff := cmp.Diff(m, again); err != nil || diff != "" {
			t.Errorf("decoded again (-was +is): %v\n%s", err, diff)
		}
	})
}
