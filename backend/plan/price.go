package plan

import (
	"strings"

	"ibid/backend/corpus"
)

// Price is what embedding costs.
type Price struct {
	PerMillion float64 `json:"per_million"` // tokens, in Currency
	Currency   string  `json:"currency,omitempty"`
	Free       bool    `json:"free,omitempty"`  // computed on the user's own machine
	Known      bool    `json:"known,omitempty"` // false: nothing is known of the price
}

// Cost is money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	Free     bool    `json:"free"`
	Known    bool    `json:"known"`
}

// Of is the cost of embedding so many tokens.
func (p Price) Of(tokens int) Cost {
	return Cost{
		Amount: p.PerMillion * float64(tokens) / 1e6, Currency: p.Currency,
		Free: p.Free, Known: p.Known,
	}
}

// local providers compute on the user's own machine.
var local = []string{"builtin", "hash", "ollama"}

// prices are list prices in US dollars per million input tokens, standard
// tier, from the providers' price pages in 2025. Configuration overrides them.
var prices = map[string]float64{
	"openai/text-embedding-3-small": .02,
	"openai/text-embedding-3-large": .13,
	"openai/text-embedding-ada-002": .10,
	"voyage/voyage-3-large":         .18,
	"voyage/voyage-3.5":             .06,
	"voyage/voyage-3.5-lite":        .02,
	"voyage/voyage-context-3":       .18,
	"voyage/voyage-code-3":          .18,
	"gemini/gemini-embedding-001":   .15,
	"cohere/embed-v4.0":             .12,
}

// PriceOf looks a space up in the price table. No space at all is free: there
// is nothing to embed.
func PriceOf(space corpus.Space) Price {
	if space == (corpus.Space{}) {
		return Price{Free: true, Known: true, Currency: "USD"}
	}
	for _, l := range local {
		if space.Provider == l {
			return Price{Free: true, Known: true, Currency: "USD"}
		}
	}
	perMillion, ok := prices[strings.ToLower(space.Provider+"/"+space.Model)]
	return Price{PerMillion: perMillion, Currency: "USD", Known: ok}
}
