package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ibid/backend/corpus"
)

// priceForm says how prices are written.
const priceForm = "MODEL=AMOUNT, or MODEL=AMOUNT CURRENCY, for a million tokens; several with ; between them"

// ParsePrices reads the setting "prices": what people pay for embedding a
// million tokens, by the model's name in the registry. The currency is USD
// unless another is named by its three letters (ISO 4217). Errors are
// corpus.ErrInvalid.
func ParsePrices(text string) (map[string]Price, error) {
	prices := map[string]Price{}
	for entry := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		amount, currency, _ := strings.Cut(strings.TrimSpace(value), " ")
		if currency = strings.ToUpper(strings.TrimSpace(currency)); currency == "" {
			currency = "USD"
		}
		x, err := strconv.ParseFloat(amount, 64)
		if !ok || name == "" || err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 || !isCurrency(currency) {
			return nil, fmt.Errorf("%w: price %q: use %s", corpus.ErrInvalid, strings.TrimSpace(entry), priceForm)
		}
		if _, err := FindModel(name); err != nil {
			return nil, err
		}
		if _, twice := prices[name]; twice {
			return nil, fmt.Errorf("%w: model %s has two prices", corpus.ErrInvalid, name)
		}
		prices[name] = Price{PerMillion: x, Currency: currency}
	}
	return prices, nil
}

func isCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// PriceOf is what a model's embedding costs under the settings: the price that
// they name, else the registry's.
func (s *Settings) PriceOf(m Model) Price {
	prices, err := ParsePrices(s.Prices) // checked when it was set
	if p, ok := prices[m.Name]; ok && err == nil {
		return p
	}
	return m.Price
}
