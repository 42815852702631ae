package plan

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
