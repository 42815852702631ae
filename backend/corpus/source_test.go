package corpus_test

import (
	"math"
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
		{"in the future by the clock, too", corpus.Fingerprint{ModTime: before(-time.Hour), ChangeTime: before(-time.Hour), HashedAt: hashed}, false},
		{"in the future, given to it long ago", corpus.Fingerprint{ModTime: before(-time.Hour), ChangeTime: before(time.Hour), HashedAt: hashed}, true},
		{"in the future, given to it just now", corpus.Fingerprint{ModTime: before(-time.Hour), ChangeTime: before(time.Second), HashedAt: hashed}, false},
		{"at the end of time", corpus.Fingerprint{ModTime: math.MaxInt64, HashedAt: hashed}, false},
		{"before all time", corpus.Fingerprint{ModTime: math.MinInt64, HashedAt: hashed}, true},
		{"never hashed", corpus.Fingerprint{}, false},
		{"never hashed, of a time before 1970", corpus.Fingerprint{ModTime: -int64(time.Hour), ChangeTime: -int64(time.Hour)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fp.Settled(); got != tt.want {
				t.Errorf("Settled = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNanoseconds(t *testing.T) {
	for _, tt := range []struct {
		t    time.Time
		want int64
	}{
		{time.Unix(-1, 1), -999_999_999},
		{time.Date(1677, 1, 1, 0, 0, 0, 0, time.UTC), math.MinInt64},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), math.MinInt64},
		{time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC), math.MaxInt64},
		{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), math.MaxInt64},
		{time.Unix(0, math.MaxInt64), math.MaxInt64},
	} {
		if got := corpus.Nanoseconds(tt.t); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.t, got, tt.want)
		}
	}
}
