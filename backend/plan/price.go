package plan

// Price is what embedding costs.
type Price struct {
	PerMillion float64 // tokens, in Currency
	Currency   string
	Free       bool // computed on the user's own machine
	Known      bool // false: nothing is known of the price
}

// Cost is money.
type Cost struct {
	Amount   float64
	Currency string
	Free     bool
	Known    bool
}

// Of is the cost of embedding so many tokens.
func (p Price) Of(tokens int) Cost {
	return Cost{
		Amount: p.PerMillion * float64(tokens) / 1e6, Currency: p.Currency,
		Free: p.Free, Known: p.Known,
	}
}
