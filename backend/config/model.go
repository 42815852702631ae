package config

import (
	"fmt"
	"strings"

	"ibid/backend/corpus"
)

// DefaultModel is the embedding model of a library that nobody configured.
const DefaultModel = "builtin:minilm"

// NoProvider is the provider of "none": keywords only, no vectors.
const NoProvider = "none"

// Model is an entry of the registry: what an alias such as "embeddings" may
// stand for.
type Model struct {
	Name     string // "builtin:minilm"
	Provider string // "builtin", "hash", NoProvider
	Model    string // the provider's own name of it; "" if it has but one
	Price    Price
	// Speed is how many tokens a second it embeds on an ordinary computer with two
	// cores: the first guess of a plan, until a run has measured it. 0: not known.
	Speed float64
	// Languages that the model knows (ISO 639-1); nil: all alike.
	Languages []string
}

// Price is what embedding costs.
type Price struct {
	PerMillion float64 // of tokens, in Currency
	Currency   string
	Free       bool // computed here: no price at all
}

// models is the registry of embedding models with the price table.
func models() []Model {
	free := Price{Currency: "USD", Free: true}
	return []Model{
		{Name: DefaultModel, Provider: "builtin", Model: "minilm", Price: free, Speed: 8_000, Languages: []string{"en"}},
		{Name: "builtin:bge-small", Provider: "builtin", Model: "bge-small", Price: free, Speed: 3_500, Languages: []string{"en"}},
		{Name: "hash", Provider: "hash", Price: free, Speed: 500_000},
		{Name: "none", Provider: NoProvider, Price: free},
	}
}

// ModelNames lists the registry, the default first.
func ModelNames() []string {
	var names []string
	for _, m := range models() {
		names = append(names, m.Name)
	}
	return names
}

// FindModel returns the registry's entry of that name.
func FindModel(name string) (Model, error) {
	for _, m := range models() {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("%w: no embedding model %q; there are %s", corpus.ErrInvalid, name, strings.Join(ModelNames(), ", "))
}

// ModelOf returns the registry's entry that makes vectors of a space. The zero
// space is that of "none".
func ModelOf(space corpus.Space) (Model, bool) {
	for _, m := range models() {
		switch {
		case m.Provider == NoProvider:
			if space == (corpus.Space{}) {
				return m, true
			}
		case m.Provider == space.Provider && (m.Model == "" || m.Model == space.Model):
			return m, true
		}
	}
	return Model{}, false
}
