package source

import (
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkScan looks at 10,000 unchanged files in 350 folders and reports how
// many times longer that takes than `find -type f -printf` for the same facts.
func BenchmarkScan(b *testing.B) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("d%02d/e%d/f%05d.md", i%50, i%7, i)
	}
	s := folder(b, append(names, ".gitignore=*.log\n/build/\n")...)
	find := func() time.Duration {
		start := time.Now()
		if err := exec.CommandContext(b.Context(), "find", s.Root, "-type", "f", "-printf", "%s %T@ %C@ %i %P\\n").Run(); err != nil {
			b.Skipf("SKIPPED: no find to compare with: %v", err)
		}
		return time.Since(start)
	}
	var ours, theirs time.Duration
	for b.Loop() {
		theirs += find()
		start := time.Now()
		if n := len(scan(b, s).Entries); n != len(names) {
			b.Fatalf("%d entries", n)
		}
		ours += time.Since(start)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "x/find")
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/scan")
}
