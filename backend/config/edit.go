package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"ibid/backend/corpus"
)

// at names the line of a TOML text that err is about.
func at(text, key string, err error) error {
	if i, _ := locate(text, key); i >= 0 {
		return fmt.Errorf("%s, line %d: %w", FileName, i+1, err)
	}
	return fmt.Errorf("%s: %w", FileName, err)
}

// locate returns the index of the line that assigns key, or -1, and the index
// behind the last line of the table that key belongs to, or -1 if that table
// has no header. It reads line by line, which finds everything that edit wrote
// and nearly everything that people write; edit checks its result.
func locate(text, key string) (line, tableEnd int) {
	table, _ := split(key)
	line, tableEnd = -1, -1
	current := ""
	if table == "" {
		tableEnd = 0
	}
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
			continue
		case strings.HasPrefix(l, "["):
			header, _, _ := strings.Cut(strings.TrimPrefix(l, "["), "]")
			current = bare(header)
		default:
			left, _, found := strings.Cut(l, "=")
			full := bare(left)
			if current != "" {
				full = current + "." + full
			}
			if found && full == key {
				line = i
			}
		}
		if current == table {
			tableEnd = i + 1
		}
	}
	return line, tableEnd
}

func split(key string) (table, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}

// bare writes a dotted key without blanks and quotes.
func bare(key string) string {
	return strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(key)
}

// edit assigns value to key in a TOML text and leaves all other lines alone.
func edit(text, key string, value any) (string, error) {
	table, name := split(key)
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(map[string]any{name: value}); err != nil {
		return "", fmt.Errorf("encode %s: %w", key, err)
	}
	entry := strings.TrimSuffix(b.String(), "\n")

	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	line, tableEnd := locate(text, key)
	switch {
	case line >= 0:
		before, _, _ := strings.Cut(lines[line], "=")
		_, after, _ := strings.Cut(entry, "=")
		lines[line] = strings.TrimRight(before, " \t") + " =" + after
	case tableEnd >= 0:
		lines = append(lines[:tableEnd:tableEnd], append([]string{entry}, lines[tableEnd:]...)...)
	default:
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, "["+table+"]", entry)
	}
	edited := strings.Join(lines, "\n") + "\n"

	values, err := parse(edited)
	if err == nil {
		for _, v := range values {
			if v.key == key && v.value == value {
				return edited, nil
			}
		}
	}
	return "", fmt.Errorf("%w: %s is written in a way that cannot be edited; put %q under [%s] by hand", corpus.ErrUnsupported, FileName, entry, table)
}

// writeFile replaces a file so that a crash leaves the old or the new one:
// temporary file, sync, rename.
func writeFile(path, text string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".config-*.toml") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after the rename there is nothing to remove
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
