package archive

import (
	"strings"
	"testing"

	"ibid/backend/extract/extracttest"
)

// Whatever the bytes are, no name leads out of the archive, and no part is read
// beyond what an archive may hold.
func FuzzArchive(f *testing.F) {
	f.Add(extracttest.Zip(f, extracttest.Part{Name: "a/b.xml", Data: "<a/>"}, extracttest.Part{Name: `..\..\c`, Data: "c"}))
	f.Add(extracttest.Zip(f, extracttest.Part{Name: "A"}, extracttest.Part{Name: "a", Data: strings.Repeat(" ", 5000)}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Open(t.Context(), data)
		if err != nil {
			return
		}
		total := 0
		for _, name := range a.Names() {
			if strings.HasPrefix(name, "/") || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, `\`) {
				t.Errorf("name %q", name)
			}
			part, err := a.Read(name)
			if err == nil && !a.Has(name) {
				t.Errorf("%q is read and not there", name)
			}
			total += len(part)
		}
		if total > MaxTotal {
			t.Errorf("%d bytes of %d", total, MaxTotal)
		}
	})
}
