package extract

import (
	"path"
	"strings"
)

// Media types that this package knows by name.
const (
	TypePlain      = "text/plain"
	TypeMarkdown   = "text/markdown"
	TypeHTML       = "text/html"
	TypePDF        = "application/pdf"
	TypeDOCX       = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	TypeXLSX       = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	TypePPTX       = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	TypeEPUB       = "application/epub+zip"
	TypeODT        = "application/vnd.oasis.opendocument.text"
	TypeODS        = "application/vnd.oasis.opendocument.spreadsheet"
	TypeODP        = "application/vnd.oasis.opendocument.presentation"
	TypeRTF        = "application/rtf"
	TypeEML        = "message/rfc822"
	TypeMBOX       = "application/mbox"
	typeBinary     = "application/octet-stream"
	TypeOLE        = "application/x-ole-storage"
	typeZip        = "application/zip"
	typeXML        = "application/xml"
	typePostScript = "application/postscript"
)

// textTypes gives the type of a text by its extension. Content decides first
// whether a file is text at all, so formats that are not text stand in sniff.go.
var textTypes = map[string]string{
	".md": TypeMarkdown, ".markdown": TypeMarkdown, ".mdown": TypeMarkdown, ".mkd": TypeMarkdown, ".mdx": TypeMarkdown,
	".txt": TypePlain, ".text": TypePlain, ".log": TypePlain,
	".htm": TypeHTML, ".html": TypeHTML, ".xhtml": TypeHTML,
	".eml": TypeEML, ".mht": TypeEML, ".mhtml": TypeEML, ".mbox": TypeMBOX,
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values",
	".json": "application/json", ".jsonl": "application/json", ".ndjson": "application/json", ".ipynb": "application/json",
	".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
	".xml": typeXML, ".svg": "image/svg+xml",
	".bash": "text/x-shell", ".c": "text/x-c", ".cc": "text/x-c++", ".clj": "text/x-clojure", ".cpp": "text/x-c++",
	".cs": "text/x-csharp", ".css": "text/x-css", ".cxx": "text/x-c++", ".dart": "text/x-dart", ".el": "text/x-lisp",
	".erl": "text/x-erlang", ".ex": "text/x-elixir", ".exs": "text/x-elixir", ".fs": "text/x-fsharp", ".go": "text/x-go",
	".gradle": "text/x-groovy", ".groovy": "text/x-groovy", ".h": "text/x-c", ".hh": "text/x-c++", ".hpp": "text/x-c++",
	".hs": "text/x-haskell", ".java": "text/x-java", ".jl": "text/x-julia", ".js": "text/x-javascript",
	".jsx": "text/x-javascript", ".kt": "text/x-kotlin", ".kts": "text/x-kotlin", ".lisp": "text/x-lisp",
	".lua": "text/x-lua", ".m": "text/x-objective-c", ".mjs": "text/x-javascript", ".ml": "text/x-ocaml",
	".php": "text/x-php", ".pl": "text/x-perl", ".pm": "text/x-perl", ".proto": "text/x-protobuf",
	".ps1": "text/x-powershell", ".py": "text/x-python", ".r": "text/x-r", ".rb": "text/x-ruby", ".rs": "text/x-rust",
	".scala": "text/x-scala", ".scss": "text/x-css", ".sh": "text/x-shell", ".sql": "text/x-sql",
	".svelte": "text/x-svelte", ".swift": "text/x-swift", ".tf": "text/x-hcl", ".ts": "text/x-typescript",
	".tsx": "text/x-typescript", ".vue": "text/x-vue", ".zig": "text/x-zig", ".zsh": "text/x-shell",
}

// zipTypes gives the type of an archive whose parts do not tell.
var zipTypes = map[string]string{
	".docx": TypeDOCX, ".docm": TypeDOCX, ".dotx": TypeDOCX, ".xlsx": TypeXLSX, ".xlsm": TypeXLSX, ".xltx": TypeXLSX,
	".pptx": TypePPTX, ".pptm": TypePPTX, ".ppsx": TypePPTX, ".potx": TypePPTX,
	".odt": TypeODT, ".ods": TypeODS, ".odp": TypeODP, ".epub": TypeEPUB,
}

// typeNames are what a person calls types.
var typeNames = map[string]string{
	TypePDF: "PDF", TypeDOCX: "Word (DOCX)", TypeXLSX: "Excel (XLSX)", TypePPTX: "PowerPoint (PPTX)",
	TypeEPUB: "EPUB", TypeODT: "OpenDocument text (ODT)", TypeODS: "OpenDocument sheet (ODS)",
	TypeODP: "OpenDocument slides (ODP)", TypeRTF: "RTF", TypeEML: "e-mail (EML)", TypeMBOX: "mailbox (MBOX)", TypeHTML: "HTML",
	typePostScript: "PostScript", typeZip: "ZIP archive", typeBinary: "binary file",
	TypeOLE: "old Office file or encrypted document (OLE)",
}

// TypeName names a media type for people: "PDF", "PNG image", else the type itself.
func TypeName(mediaType string) string {
	if name, ok := typeNames[mediaType]; ok {
		return name
	}
	for _, family := range []string{"image", "audio", "video", "font"} {
		if sub, ok := strings.CutPrefix(mediaType, family+"/"); ok {
			return strings.ToUpper(strings.TrimPrefix(sub, "x-")) + " " + family
		}
	}
	return mediaType
}

// extension returns the lower-case extension of a file name or URL path.
func extension(name string) string { return strings.ToLower(path.Ext(name)) }
