package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	// inlineCode is a span of code in running text, which may go on in the next line.
	inlineCode = regexp.MustCompile("`([^`]+)`")
	longFlag   = regexp.MustCompile(`--([a-z][a-z-]*)`)
)

// commandsOf are the command lines of ibid in a page, without "ibid" itself,
// and the spans of code that may be parts of one.
func commandsOf(page string) (lines [][]string, spans []string) {
	prose := ""
	fenced := false
	for line := range strings.Lines(page) {
		code := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(code, "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
			code, _, _ = strings.Cut(code, " # ")
			for part := range strings.SplitSeq(code, " | ") {
				if words := strings.Fields(strings.TrimPrefix(part, "$ ")); len(words) > 0 && words[0] == "ibid" {
					lines = append(lines, words[1:])
				}
			}
		default:
			prose += line
		}
	}
	for _, span := range inlineCode.FindAllStringSubmatch(prose, -1) {
		words := strings.Fields(span[1])
		if len(words) > 0 && words[0] == "ibid" {
			lines = append(lines, words[1:])
		} else {
			spans = append(spans, span[1])
		}
	}
	return lines, spans
}

// The guide names commands and flags that there are, and all of them.
func TestGuide(t *testing.T) {
	root := newRoot(&globals{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	known := map[string]bool{"help": true, "version": true}
	var commands []*cobra.Command
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			if name := longFlag.FindStringSubmatch(line); name != nil {
				known[name[1]] = true
			}
		}
		commands = append(commands, cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)

	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no guide: %v", err)
	}
	translated, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := ""
	for _, path := range slices.Concat(pages, translated, []string{"../../README.md"}) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(pages, path) {
			guide += string(text)
		}
		page := filepath.Base(path)
		lines, spans := commandsOf(string(text))
		for _, words := range lines {
			cmd, _, err := root.Find(words)
			if err != nil {
				t.Errorf("%s: ibid %s: %v", page, strings.Join(words, " "), err)
				continue
			}
			for _, name := range longFlag.FindAllStringSubmatch(strings.Join(words, " "), -1) {
				if name[1] != "help" && cmd.Flags().Lookup(name[1]) == nil && cmd.InheritedFlags().Lookup(name[1]) == nil {
					t.Errorf("%s: ibid %s: there is no flag --%s", page, strings.Join(words, " "), name[1])
				}
			}
		}
		for _, span := range spans {
			if name := longFlag.FindStringSubmatch(span); name != nil && !known[name[1]] {
				t.Errorf("%s: %s: no command has this flag", page, span)
			}
		}
	}
	guide = strings.Join(strings.Fields(guide), " ")
	for _, cmd := range commands {
		switch {
		case cmd.Name() == "help", cmd.HasParent() && cmd.Parent().Name() == "completion":
			continue
		case !strings.Contains(guide, cmd.CommandPath()):
			t.Errorf("the guide does not mention %s", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			if name := longFlag.FindStringSubmatch(line); name != nil && name[1] != "help" && !strings.Contains(guide, "--"+name[1]) {
				t.Errorf("the guide does not mention %s --%s", cmd.CommandPath(), name[1])
			}
		}
	}
}
