package cli

import (
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
)

// Help reads alike from command to command.
func TestHelp(t *testing.T) {
	const width = 80
	letters := map[string]string{"n": "limit", "k": "k", "y": "yes", "q": "quiet"}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		name := cmd.CommandPath()
		if first := []rune(cmd.Short)[0]; !unicode.IsUpper(first) || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q is no line that begins with a capital and ends without a full stop", name, cmd.Short)
		}
		for line := range strings.Lines(cmd.Long) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%s: a line of help has %d characters, more than %d: %s", name, n, width, line)
			}
		}
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			if strings.HasSuffix(strings.TrimSpace(line), ".") {
				t.Errorf("%s: help of a flag ends with a full stop: %s", name, line)
			}
		}
		for letter, flag := range letters {
			if f := cmd.LocalFlags().ShorthandLookup(letter); f != nil && f.Name != flag {
				t.Errorf("%s: -%s is --%s, not --%s", name, letter, f.Name, flag)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&globals{}))
}
