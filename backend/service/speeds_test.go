package service

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/ingest"
)

// TestSpeeds: each space keeps what was measured of it, whatever later runs did.
func TestSpeeds(t *testing.T) {
	first := speeds{}.with("a", ingest.Result{Texts: 100, TextSeconds: 4, Embedded: 50, Tokens: 9000, EmbedSeconds: 3})
	if d := cmp.Diff(speeds{Documents: 25, Tokens: map[string]float64{"a": 3000}}, first); d != "" {
		t.Fatal(d)
	}
	small := first.with("a", ingest.Result{Texts: 1, TextSeconds: 4, Embedded: 1, Tokens: 10, EmbedSeconds: 3})
	if d := cmp.Diff(first, small); d != "" {
		t.Error("a run too small to tell counts:", d)
	}
	other := first.with("b", ingest.Result{Embedded: 50, Tokens: 500, EmbedSeconds: 1})
	if d := cmp.Diff(speeds{Documents: 25, Tokens: map[string]float64{"a": 3000, "b": 500}}, other); d != "" {
		t.Error(d)
	}
	if len(first.Tokens) != 1 {
		t.Error("what was known changed")
	}
	if d := cmp.Diff(first, first.with("", ingest.Result{Embedded: 50, Tokens: 500, EmbedSeconds: 1})); d != "" {
		t.Error("no model has a speed:", d)
	}
	apart := speeds{Tokens: map[string]float64{"a": 1}}.or(speeds{Documents: 7, Tokens: map[string]float64{"a": 2, "c": 3}})
	if d := cmp.Diff(speeds{Documents: 7, Tokens: map[string]float64{"a": 1, "c": 3}}, apart); d != "" {
		t.Error(d)
	}
}
