package extracttest

import (
	"os"
	"testing"
)

// NeedTesseract skips a test where tesseract was not found (program is ""), or
// fails it where set-up owes it: when CI is "true" or IBID_REQUIRE_TESSERACT is
// "1".
func NeedTesseract(tb testing.TB, program string) {
	tb.Helper()
	const missing = "tesseract is not installed, so no page is recognised: scripts/test-setup.sh installs it"
	switch {
	case program != "":
	case os.Getenv("CI") == "true", os.Getenv("IBID_REQUIRE_TESSERACT") == "1":
		tb.Fatal(missing)
	default:
		tb.Skip(missing)
	}
}
