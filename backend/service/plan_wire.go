package service

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
)

// wirePlan is the one form of a plan outside this process: what clients see
// and what is saved, which savedPlan reads back. The actions are those from an
// offset on, at most limit; 0: all.
func wirePlan(id string, p *plan.Reindex, offset, limit int) api.Plan {
	base, _ := p.Base.MarshalText() // never fails
	t := p.Summary
	out := api.Plan{
		FormatVersion: api.PlanFormat, ID: id, Base: string(base), CreatedAt: timestamp(p.CreatedAt),
		Model: modelOfKey(p.Model), Space: p.Model, Analyzer: p.Analyzer, Build: p.Build, NoOp: p.IsNoOp(),
		Summary: api.PlanSummary{
			Added: t.Added, Updated: t.Updated, Moved: t.Moved, Removed: t.Removed, Unchanged: t.Unchanged,
			Repair: t.Repair, Failed: t.Failed, Unsupported: t.Unsupported, Busy: t.Busy, Unavailable: t.Unavailable,
			ChunksToEmbed: t.ChunksToEmbed, ChunksWaiting: t.ChunksWaiting, ChunksReused: t.ChunksReused,
			ChunksRelocated: t.ChunksRelocated, ChunksRemoved: t.ChunksRemoved, ChunksExact: t.ChunksExact,
			Tokens: t.Tokens, Cost: api.Cost(t.Cost), Seconds: t.Seconds, SecondsGuessed: t.Guessed,
		},
		Sources: []api.PlanSource{}, Actions: []api.PlanAction{},
	}
	for _, s := range p.Sources {
		out.Sources = append(out.Sources, api.PlanSource{
			ID: s.ID.String(), Name: s.Name, Path: s.Path, State: s.State, Detail: s.Detail,
			Files: s.Files, Guard: (*api.Guard)(s.Guard), Mark: s.Mark, MarkBefore: s.MarkBefore, FoldCase: s.FoldCase,
		})
	}
	for _, a := range p.Actions {
		switch {
		case a.Kind != plan.Unchanged && offset > 0:
			offset--
		case a.Kind != plan.Unchanged:
			out.Actions = append(out.Actions, wireAction(a))
			if len(out.Actions) == limit {
				return out
			}
		case limit == 0 && a.Fingerprint != (corpus.Fingerprint{}):
			out.Refresh = append(out.Refresh, api.PlanRefresh{
				Source: a.Source.String(), Path: a.Path, Document: a.Document.String(), Revision: a.Revision,
				Content: a.Content.String(), Fingerprint: fingerprintText(a.Fingerprint),
			})
		}
	}
	return out
}

func wireAction(a plan.Action) api.PlanAction {
	out := api.PlanAction{
		Action: string(a.Kind), Path: a.Path, From: a.From, Source: a.Source.String(),
		Reason: a.Reason, ReasonCode: string(a.Code), Bytes: a.Bytes, Chunks: api.PlanChunks(a.Chunks),
		Missing: a.Missing, Revision: a.Revision,
	}
	if !a.FromSource.IsZero() {
		out.FromSource = a.FromSource.String()
	}
	if !a.Document.IsZero() {
		out.Document = a.Document.String()
	}
	if !a.Content.IsZero() {
		out.Content = a.Content.String()
	}
	if a.Kind == plan.Moved {
		out.Fingerprint = fingerprintText(a.Fingerprint)
	}
	return out
}

// seal is the SHA-256 of a plan without its seal. It is taken of the plan as it
// comes back from JSON, so that whoever kept it need not keep its bytes.
func seal(p api.Plan) (string, error) {
	p.Seal = ""
	body, err := json.Marshal(p)
	if err == nil {
		var kept api.Plan
		if err = json.Unmarshal(body, &kept); err == nil {
			body, err = json.Marshal(kept)
		}
	}
	if err != nil {
		return "", fmt.Errorf("seal plan: %w", err)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// fingerprintText writes a fingerprint as one text: its numbers are larger than
// those that every JSON reader keeps. What only web pages have follows in base64.
func fingerprintText(f corpus.Fingerprint) string {
	text := fmt.Sprintf("%d.%d.%d.%d.%d.%d", f.Size, f.ModTime, f.ChangeTime, f.HashedAt, f.Inode, f.Device)
	if f.ETag != "" || f.Final != "" {
		code := base64.RawURLEncoding
		text += "." + code.EncodeToString([]byte(f.ETag)) + "." + code.EncodeToString([]byte(f.Final))
	}
	return text
}

func parseFingerprint(text string) (f corpus.Fingerprint, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 6 && len(parts) != 8 {
		return f, fmt.Errorf("fingerprint %q", text)
	}
	for i, s := range parts[6:] {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			return f, fmt.Errorf("fingerprint %q", text)
		}
		*[]*string{&f.ETag, &f.Final}[i] = string(b)
	}
	for i, p := range []*int64{&f.Size, &f.ModTime, &f.ChangeTime, &f.HashedAt} {
		if *p, err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return f, fmt.Errorf("fingerprint %q", text)
		}
	}
	for i, p := range []*uint64{&f.Inode, &f.Device} {
		if *p, err = strconv.ParseUint(parts[4+i], 10, 64); err != nil {
			return f, fmt.Errorf("fingerprint %q", text)
		}
	}
	return f, nil
}

// modelOfKey is what people call the model of a space's key: its name in the
// registry, else the key.
func modelOfKey(key string) string {
	provider, model, _ := strings.Cut(key, "/")
	for range 2 { // dimensions and format
		model = model[:max(0, strings.LastIndexByte(model, '/'))]
	}
	if m, ok := config.ModelOf(corpus.Space{Provider: provider, Model: model}); ok {
		return m.Name
	}
	return key
}

func wireDiff(c *ingest.Comparison, price plan.Price, model string) api.Diff {
	out := api.Diff{
		Source: c.Action.Source.String(), Path: c.Action.Path, From: c.Action.From, Title: c.Title,
		Action: string(c.Action.Kind), Reason: c.Action.Reason, Model: model,
		Chunks: api.PlanChunks(c.Action.Chunks), Cost: api.Cost(price.Of(c.Action.Chunks.Tokens)),
		Reading: reading(c.Report), Rows: []api.DiffRow{},
	}
	passage := func(k *corpus.Chunk) *api.DiffPassage {
		if k == nil {
			return nil
		}
		return &api.DiffPassage{Text: k.Content, Tokens: k.Tokens, Reused: c.Have[k.Hash], Location: location(k.Location)}
	}
	for _, r := range c.Rows {
		out.Rows = append(out.Rows, api.DiffRow{Kind: string(r.Kind), Count: r.Count, Old: passage(r.Old), New: passage(r.New)})
	}
	return out
}
