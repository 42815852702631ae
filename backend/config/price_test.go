package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestParsePrices(t *testing.T) {
	tests := []struct {
		text string
		want map[string]Price
	}{
		{"", map[string]Price{}},
		{" ; ", map[string]Price{}},
		{"hash=0.02", map[string]Price{"hash": {PerMillion: .02, Currency: "USD"}}},
		{"hash = 0.13 eur; builtin:minilm=0", map[string]Price{"hash": {PerMillion: .13, Currency: "EUR"}, DefaultModel: {Currency: "USD"}}},
		{"hash", nil},
		{"=1", nil},
		{"hash=", nil},
		{"hash=-1", nil},
		{"hash=NaN", nil},
		{"hash=1e999", nil},
		{"hash=1 euro", nil},
		{"hash=1; hash=2", nil},
		{"unheard-of=1", nil},
	}
	for _, tt := range tests {
		got, err := ParsePrices(tt.text)
		if d := cmp.Diff(tt.want, got); d != "" || (err != nil) != (tt.want == nil) || err != nil && !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%q: %v, %v", tt.text, got, err)
		}
	}
}

// FuzzParsePrices: what is accepted is a price that can be calculated with.
func FuzzParsePrices(f *testing.F) {
	f.Add("hash=0.02 USD; none=1")
	f.Fuzz(func(t *testing.T, text string) {
		prices, err := ParsePrices(text)
		if err != nil {
			return
		}
		for name, p := range prices {
			if _, err := FindModel(name); err != nil || p.PerMillion < 0 || p.PerMillion != p.PerMillion || len(p.Currency) != 3 || p.Free {
				t.Errorf("%q is read as %s: %+v", text, name, p)
			}
		}
	})
}

func TestPriceOf(t *testing.T) {
	m, err := FindModel("hash")
	if err != nil {
		t.Fatal(err)
	}
	s := Defaults()
	if p := s.PriceOf(m); !p.Free {
		t.Errorf("%+v", p)
	}
	s.Prices = "hash=2 CHF"
	if p := s.PriceOf(m); p != (Price{PerMillion: 2, Currency: "CHF"}) {
		t.Errorf("%+v", p)
	}
}
