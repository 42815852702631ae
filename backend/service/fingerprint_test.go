package service

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// A saved plan keeps all of a fingerprint.
func TestFingerprintText(t *testing.T) {
	file := corpus.Fingerprint{Size: 3, ModTime: 1 << 60, ChangeTime: -5, HashedAt: 6, Inode: 1<<64 - 1, Device: 9}
	page := corpus.Fingerprint{Size: 3, ModTime: 1, HashedAt: 6, ETag: `W/"a.b"`, Final: "https://example.org/a.html?b=1.2"}
	for name, fp := range map[string]corpus.Fingerprint{
		"zero": {}, "file": file, "page": page, "tag alone": {ETag: "x"}, "redirect alone": {Final: page.Final},
	} {
		got, err := parseFingerprint(fingerprintText(fp))
		if diff := cmp.Diff(fp, got); err != nil || diff != "" {
			t.Errorf("%s: %s (-want +got): %v\n%s", name, fingerprintText(fp), err, diff)
		}
	}
	for _, text := range []string{"", "1.2.3", "1.2.3.4.5.6.7", "1.2.3.4.5.x", "1.2.3.4.-5.6", "1.2.3.4.5.6.!.YQ", "1.2.3.4.5.6.YQ.YQ.YQ"} {
		if fp, err := parseFingerprint(text); err == nil {
			t.Errorf("%q is read as %+v", text, fp)
		}
	}
}
