package app

import (
	"path/filepath"
	"slices"
	"strings"
)

// isDocument reports whether the system's program for a file shows it. What is
// not known to be shown might be run (scripts, shortcuts, installers, files with
// macros), and indexing a file is no consent to that.
func isDocument(path string) bool {
	return slices.Contains([]string{
		".txt", ".text", ".log", ".md", ".markdown", ".rst", ".adoc", ".org", ".tex",
		".csv", ".tsv", ".json", ".yaml", ".yml", ".toml", ".xml",
		".pdf", ".epub", ".rtf", ".html", ".htm", ".eml",
		".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp",
		".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff",
	}, strings.ToLower(filepath.Ext(path)))
}
