package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// robots are the rules of a robots.txt for this program (RFC 9309). The zero
// value allows everything.
type robots struct {
	rules []robotRule
	delay time.Duration // between two requests: not in the RFC, but asked for by many
}

type robotRule struct {
	pattern string // as escapePath writes it, with "*" and "$"
	allow   bool
}

// Bounds of a robots.txt. The RFC asks for at least 500 KiB.
const (
	maxRobots      = 512 << 10
	maxRobotsDelay = 10 * time.Second
)

// parseRobots reads a robots.txt: the groups that name this program, merged,
// else those for "*".
func parseRobots(text string) robots {
	var own, all robots
	named := false
	var group []*robots // that the lines at hand belong to
	inRules := true     // a user-agent line begins a new group
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "user-agent":
			if inRules {
				group, inRules = nil, false
			}
			switch {
			case value == "*":
				group = append(group, &all)
			case strings.EqualFold(productToken(value), agent):
				named = true
				group = append(group, &own)
			}
		case "allow", "disallow":
			inRules = true
			if value == "" {
				continue // matches nothing
			}
			for _, g := range group {
				g.rules = append(g.rules, robotRule{escapePath(value), strings.EqualFold(strings.TrimSpace(key), "allow")})
			}
		case "crawl-delay":
			inRules = true
			if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
				for _, g := range group {
					g.delay = min(maxRobotsDelay, time.Duration(min(s, 3600)*float64(time.Second)))
				}
			}
		}
	}
	if named {
		return own
	}
	return all
}

// productToken is the beginning of a user-agent line's value that may name a
// program: letters, "_" and "-".
func productToken(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	})
	if end < 0 {
		return s
	}
	return s[:end]
}

// allows reports whether an address may be fetched: the longest matching rule
// decides, "allow" where two are equally long.
func (r robots) allows(u *url.URL) bool {
	target := escapePath(u.EscapedPath())
	if u.RawQuery != "" {
		target += "?" + escapePath(u.RawQuery)
	}
	if target == "/robots.txt" {
		return true
	}
	longest, allowed := -1, true
	for _, rule := range r.rules {
		n := len(rule.pattern)
		if (n > longest || n == longest && rule.allow) && matchRobots(rule.pattern, target) {
			longest, allowed = n, rule.allow
		}
	}
	return allowed
}

// matchRobots reports whether a path begins as the pattern says: "*" stands
// for anything, "$" at the end for the end. It takes time in proportion to
// both lengths, whatever the pattern.
func matchRobots(pattern, target string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	first, rest, starred := strings.Cut(pattern, "*")
	target, ok := strings.CutPrefix(target, first)
	if !ok || !starred {
		return ok && (!anchored || target == "")
	}
	parts := strings.Split(rest, "*")
	for i, part := range parts {
		if i == len(parts)-1 && anchored {
			return strings.HasSuffix(target, part)
		}
		at := strings.Index(target, part)
		if at < 0 {
			return false
		}
		target = target[at+len(part):]
	}
	return true
}
