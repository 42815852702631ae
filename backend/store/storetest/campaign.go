package storetest

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Kills tells how often a campaign kills: usual times, short times with -short,
// IBID_KILLS times where that is set.
func Kills(tb testing.TB, usual, short int) int {
	tb.Helper()
	if runtime.GOOS == "windows" {
		tb.Skip("no SIGKILL")
	}
	if s := os.Getenv("IBID_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			tb.Fatal(err)
		}
		return n
	}
	if testing.Short() {
		return short
	}
	return usual
}

// Schemas are the versions of a store's schema, the oldest first, by the files
// of its folder "migrations".
func Schemas(tb testing.TB) (versions []int64) {
	tb.Helper()
	files, err := os.ReadDir("migrations")
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "_")
		v, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		versions = append(versions, v)
	}
	return versions
}
