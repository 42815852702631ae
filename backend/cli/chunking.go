package cli

import (
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/api"
)

// chunkingHelp explains the flag --chunking.
const chunkingHelp = "how documents are divided: [GLOB=]STRATEGY[:SIZE[:OVERLAP]]; may be repeated, the last that matches decides"

// parseChunking reads rules such as "contract", "contracts/**=contract:200:20".
func parseChunking(list []string) ([]api.ChunkRule, error) {
	rules := []api.ChunkRule{}
	for _, written := range list {
		var r api.ChunkRule
		how := written
		if i := strings.LastIndexByte(written, '='); i >= 0 {
			if r.Glob, how = written[:i], written[i+1:]; r.Glob == "" {
				return nil, badChunking(written)
			}
		}
		parts := strings.Split(how, ":")
		r.Strategy = parts[0]
		if r.Strategy == "" || len(parts) > 3 {
			return nil, badChunking(written)
		}
		if len(parts) > 1 {
			n, err := strconv.Atoi(parts[1])
			if err != nil || n <= 0 {
				return nil, badChunking(written)
			}
			r.Size = n
		}
		if len(parts) > 2 {
			n, err := strconv.Atoi(parts[2])
			if err != nil || n < 0 {
				return nil, badChunking(written)
			}
			r.Overlap = &n
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func badChunking(written string) error {
	return usageError(fmt.Errorf("--chunking takes [GLOB=]STRATEGY[:SIZE[:OVERLAP]] as contracts/**=contract:200, not %q", written))
}

// chunkingWords writes rules as the flag takes them.
func chunkingWords(rules []api.ChunkRule) string {
	var list []string
	for _, r := range rules {
		s := r.Strategy
		if r.Glob != "" {
			s = r.Glob + "=" + s
		}
		if r.Size > 0 || r.Overlap != nil {
			s += ":" + strconv.Itoa(r.Size)
		}
		if r.Overlap != nil {
			s += ":" + strconv.Itoa(*r.Overlap)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}
