package corpus

import "testing"

// What is parsed is written again as it was, in the one form that there is.
func FuzzParse(f *testing.F) {
	f.Add(NewID().String())
	f.Add(HashBytes([]byte("x")).String())
	f.Add("00000000-0000-0000-0000-00000000000G")
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := ParseID(s); err == nil {
			if again, err := ParseID(id.String()); err != nil || again != id {
				t.Errorf("%q: %v, %v", s, again, err)
			}
		}
		if h, err := ParseHash(s); err == nil {
			if again, err := ParseHash(h.String()); err != nil || again != h {
				t.Errorf("%q: %v, %v", s, again, err)
			}
		}
	})
}
