package corpus_test

import (
	"testing"
	"time"

	"ibid/backend/corpus"
)

func TestSettled(t *testing.T) {
	const hashed = int64(1_000 * time.Second)
	before := func(d time.Duration) int64 { return hashed - d.Nanoseconds() }
	tests := []struct {
		name string
		fp   corpus.Fingerprint
		want bool
	}{
		{"long ago", corpus.Fingerprint{ModTime: before(time.Hour), ChangeTime: before(time.Hour), HashedAt: hashed}, true},
		{"just long enough ago", corpus.Fingerprint{ModTime: before(2*time.Second + 1), HashedAt: hashed}, true},
		{"two seconds ago", corpus.Fingerprint{ModTime: before(2 * time.Second), HashedAt: hashed}, false},
		{"an old time given to a file just now", corpus.Fingerprint{ModTime: before(time.Hour), ChangeTime: before(time.Second), HashedAt: hashed}, false},
		{"in the future", corpus.Fingerprint{ModTime: before(-time.Hour), HashedAt: hashed}, false},
		{"never hashed", corpus.Fingerprint{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fp.Settled(); got != tt.want {
				t.Errorf("Settled = %v, want %v", got, tt.want)
			}
		})
	}
}
